"""The public verbs, one per module: each combines the lower packages into a result."""
