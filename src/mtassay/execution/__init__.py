"""How a list of chunks is run."""
