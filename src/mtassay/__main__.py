"""``python -m mtassay``."""

import sys

from mtassay.cli.main import main

sys.exit(main())
