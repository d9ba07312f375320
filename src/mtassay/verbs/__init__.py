"""The public verbs, one per module: each joins the packages below into a result."""
