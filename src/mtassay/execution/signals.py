"""Delaying the signals that stop a run."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Signals that stop a run; Windows has no SIGHUP.
STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def signals_held() -> Iterator[None]:
    """Deliver signals after the block: one during a start would lose track of the started process.

    Handlers hold them, not a mask: Python runs handlers in the main thread only, whichever thread takes the signal,
    while a mask of the main thread leaves signals to other threads, such as those of BLAS.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    ours = [number for number in STOPPING if signal.getsignal(number) not in (None, signal.SIG_IGN)]
    handlers = {number: signal.signal(number, lambda number, _: held.append(number)) for number in ours}
    try:
        yield
    finally:
        for number in reversed(handlers):  # that of Ctrl-C last: it may raise before the others are set
            signal.signal(number, handlers[number])
        for came in held:
            signal.raise_signal(came)
