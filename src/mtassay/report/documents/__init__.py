"""Documents: one module per verb, with ``document(result, ...)``."""
