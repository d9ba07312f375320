"""``python -m mtassay.compat.sacrebleu``: sacreBLEU's command line."""

from __future__ import annotations

import signal

from mtassay.compat.sacrebleu.sacrebleu import main

if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        # Like sacreBLEU, end silently when the reader closes the pipe (``| head``). Not in `main`: the setting affects
        # the whole process, and `main` may be called by a program that continues.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
