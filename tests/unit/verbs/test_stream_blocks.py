"""No block of a stream is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mtassay.data.testset import TestSet
from mtassay.data.text_stream import TextStream
from mtassay.execution import SERIAL, Execution
from mtassay.verbs.stream_blocks import StreamBlock, map_stream_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCKS = [StreamBlock(TestSet([[text]], {"x": [text]})) for text in ("a", "b", "c")]


def _mapped(
    stream: TextStream, function: Callable[[None, StreamBlock], int | None], execution: Execution = SERIAL
) -> list[int]:
    found = map_stream_blocks(function, BLOCKS, shared=None, stream=stream, execution=execution)
    return [result for _, result in found]


@pytest.fixture
def stream(tmp_path: Path) -> TextStream:
    (tmp_path / "a").write_text("a\nb\nc\n", encoding="utf-8")
    return TextStream([tmp_path / "a"], [tmp_path / "a"])


def test_a_function_that_gives_nothing_twice_is_an_error(stream: TextStream) -> None:
    asked: list[StreamBlock] = []

    def lacks_one(_: None, block: StreamBlock) -> int | None:
        asked.append(block)
        return None if block.texts is not None and block.texts.references[0] == ("b",) else 1

    with pytest.raises(RuntimeError, match="no result, although its texts were given"):
        _mapped(stream, lacks_one)
    assert asked.count(BLOCKS[1]) == 2


def test_a_function_that_gives_nothing_once_is_asked_again(stream: TextStream) -> None:
    asked: list[StreamBlock] = []

    def sees_later(_: None, block: StreamBlock) -> int | None:
        asked.append(block)
        return len(asked) if asked.count(block) == 2 or block is not BLOCKS[1] else None

    assert _mapped(stream, sees_later) == [1, 3, 4]


def test_results_that_end_early_are_an_error(stream: TextStream) -> None:
    class LosesLast(Execution):
        def map_chunks(self, function: Any, chunks: Any, *, shared: Any) -> Iterator[Any]:
            yield from [function(shared, chunk) for chunk in chunks][:-1]

    with pytest.raises(RuntimeError, match="1 block of a stream came back without a result"):
        _mapped(stream, lambda _, __: 1, LosesLast())


def test_a_block_without_texts_and_place_is_an_error(stream: TextStream) -> None:
    with pytest.raises(RuntimeError, match="neither texts nor a place"):
        StreamBlock(None).texts_here(stream)
