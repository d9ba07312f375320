"""Build the data sets that tests, studies and benchmarks read: ``make data``; docs/data.md describes them."""

from __future__ import annotations

import sys

from real_data.command import main

if __name__ == "__main__":
    sys.exit(main())
