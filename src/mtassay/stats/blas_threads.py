"""Products of NumPy that start no threads of their own."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any


class _SingleThread:
    """One limit for all threads of the process: the first to enter sets it, the last to leave lifts it.

    The number of BLAS threads belongs to the process. If each thread restored what it found, one could lift the limit
    while another computes, and the last could leave it in force.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside:
                self._limit.restore_original_limits()


#: A context in which NumPy's products start no threads of their own. Those would wait for each other and for ours, and
#: the last bits of fractions could depend on their number.
single_blas_thread = _SingleThread()


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
