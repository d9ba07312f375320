"""``python -m mtassay.compat.sacrebleu``: sacreBLEU's command line."""

from __future__ import annotations

import signal

from mtassay.compat.sacrebleu.sacrebleu import main

if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        # Like sacreBLEU, end without a word when the reader closes the pipe (``| head``). Only here: it holds for the
        # whole process, and `main` may be called by a program that goes on.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
