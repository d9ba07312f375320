"""The command line: one file per verb, which parses arguments. `mtassay.verbs` computes, `mtassay.report` formats."""

import sys


def run() -> int:
    """Run the command; returns the exit status."""
    try:
        from mtassay.cli.main import main
    except KeyboardInterrupt:
        # Ctrl-C while modules are loaded, before `main` can catch it. It cannot be caught while Python itself starts
        # and imports the package.
        print("mtassay: interrupted", file=sys.stderr)
        return 130
    return main()
