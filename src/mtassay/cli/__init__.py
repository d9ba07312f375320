"""The command line: one file per verb. Verbs neither compute nor format."""
