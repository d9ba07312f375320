"""The command ``mtassay``, also as ``python -m mtassay``."""

import sys

from mtassay.cli import run

if __name__ == "__main__":
    sys.exit(run())
