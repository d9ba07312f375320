"""The pages of a campaign, and the parts of a web server that other pages can share."""
