"""The command ``mtassay``, also as ``python -m mtassay``."""

import sys


def run() -> int:
    """Run the command; returns the exit status."""
    try:
        from mtassay.cli.main import main
    except KeyboardInterrupt:
        # Ctrl-C while modules are loaded, before `main` can catch it. Nothing can catch it earlier, while Python starts
        # and imports the package.
        print("mtassay: interrupted", file=sys.stderr)
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
