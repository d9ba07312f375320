"""The command line: one file per verb, which parses arguments. `mtassay.verbs` computes, `mtassay.report` formats."""
