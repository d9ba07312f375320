"""The limit of BLAS threads, which belongs to the whole process."""

from __future__ import annotations

from contextlib import ExitStack

from threadpoolctl import ThreadpoolController, threadpool_limits

from mtassay.stats.blas_threads import single_blas_thread


def _n_threads() -> int:
    pools = ThreadpoolController().select(user_api="blas").info()
    return min(int(pool["num_threads"]) for pool in pools)


def test_threads_share_the_limit() -> None:
    """The first to enter sets it, the last to leave lifts it, whoever leaves first."""
    with threadpool_limits(2, user_api="blas"):
        before = _n_threads()
        with ExitStack() as first, ExitStack() as second:
            first.enter_context(single_blas_thread)
            second.enter_context(single_blas_thread)
            first.close()
            assert _n_threads() == 1
        assert _n_threads() == before == 2
