"""The pages of a campaign and of ``mtassay serve``, and the parts of a web server that both share."""
