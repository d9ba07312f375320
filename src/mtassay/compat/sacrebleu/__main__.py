"""``python -m mtassay.compat.sacrebleu``: sacreBLEU's command line."""

from __future__ import annotations

from mtassay.compat.sacrebleu.sacrebleu import main

if __name__ == "__main__":
    main()
