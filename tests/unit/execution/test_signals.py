"""Signals that come while they are held."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import pytest

from mtassay.execution.signals import signals_held

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture
def taken() -> Any:
    """The numbers of the signals that handlers outside the block got."""
    found: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, _: found.append(number)) for number in numbers}
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


def test_all_signals_are_delivered_after_the_block_in_order(taken: list[int]) -> None:
    # Another thread, as those of BLAS, may take them.
    ends = threading.Event()
    other = threading.Thread(target=ends.wait)
    other.start()
    with signals_held():
        for number in (signal.SIGTERM, signal.SIGINT):
            os.kill(os.getpid(), number)
            time.sleep(0.05)
        assert not taken
    assert taken == [signal.SIGTERM, signal.SIGINT]
    os.kill(os.getpid(), signal.SIGHUP)
    ends.set()
    other.join()
    assert taken == [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def test_all_handlers_are_restored_before_ctrl_c_raises(taken: list[int]) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt), signals_held():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is handler
