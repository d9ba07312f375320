from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from operator import add, truediv

import pytest

from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.verbs.score import score


def _slow_first(delay: float, number: int) -> int:
    time.sleep(delay / (number + 1))
    return number


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert list(Execution(threads).map_chunks(_slow_first, range(20), shared=0.02)) == list(range(20))
    assert list(Execution(threads).map_chunks(add, [], shared=1)) == []
    assert list(Execution(threads).map_chunks(add, iter("abc"), shared="x")) == ["xa", "xb", "xc"]


def test_an_execution_of_another_type_is_refused() -> None:
    with pytest.raises(InputError, match="execution must be a Cluster or an Execution, not 'local:2'"):
        score([["a"]], {"x": ["a"]}, execution="local:2")  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_bounded_number_of_items_is_taken_in_advance(threads: int) -> None:
    taken = []
    before = threading.active_count()

    def items() -> Iterator[int]:
        for number in range(10**9):
            taken.append(number)
            yield number

    results = Execution(threads).map_chunks(add, items(), shared=1)
    assert [next(results) for _ in range(10)] == list(range(1, 11))
    time.sleep(0.05)
    assert len(taken) <= 10 + 5 * threads
    del results  # ends the threads
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_the_exception_of_an_item_is_raised(threads: int) -> None:
    before, execution = threading.active_count(), Execution(threads)
    with pytest.raises(ZeroDivisionError):
        list(execution.map_chunks(truediv, [3, 2, 0, 1], shared=1))
    with pytest.raises(ZeroDivisionError):
        execution.map(lambda number: 1 / number, [3, 2, 0, 1])
    assert threading.active_count() == before


def _fail(delay: float, number: int) -> None:
    time.sleep(delay / (number + 1))
    raise InputError(f"line {number}")


def test_the_first_item_that_fails_is_named_whatever_the_number_of_threads() -> None:
    for threads in (1, 2, 4):
        with pytest.raises(InputError, match="line 0"):
            list(Execution(threads).map_chunks(_fail, range(4), shared=0.05))


def test_an_exception_of_the_items_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InputError("ref.txt, line 2: bad")

    with pytest.raises(InputError, match="line 2"):
        list(Execution(2).map_chunks(add, items(), shared=1))
