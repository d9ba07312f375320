"""Blocks of a stream for worker processes, which read byte ranges of the files themselves if they can see the files.

The process that reads a range checks its hash. If a worker does not see the files, its block is computed here, and
later blocks are sent to workers as texts. Blocks of files that cannot be split are always sent as texts.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay.errors import counted
from mtassay.execution import blocks
from mtassay.io.inputs import is_url
from mtassay.io.line_blocks import is_divisible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mtassay.data.testset import TestSet
    from mtassay.data.text_stream import Ranges, TextStream
    from mtassay.execution import Execution

_S = TypeVar("_S")
_R = TypeVar("_R")


@dataclass(frozen=True)
class StreamBlock:
    """A block of segments.

    Attributes:
        texts: the texts, or None if they are to be read.
        ranges: where they are in the files, if these can be split.
        options: further input of the function that is applied to the block.
    """

    texts: TestSet | None
    ranges: Ranges | None = None
    options: Any = None

    @property
    def identity(self) -> object:
        """What the result depends on, whether or not texts are sent."""
        return (self.ranges or self.texts, self.options)

    @property
    def n_segments(self) -> int | None:
        """Number of segments."""
        if self.ranges is not None:
            return self.ranges[0].n_lines
        return None if self.texts is None else self.texts.n_segments

    def texts_here(self, stream: TextStream) -> TestSet:
        """The texts, read from the files if they are not at hand."""
        if self.texts is not None:
            return self.texts
        if self.ranges is None:
            raise RuntimeError("a block of a stream has neither texts nor a place in the files")
        return stream.read(self.ranges)

    def with_texts(self, stream: TextStream) -> StreamBlock:
        """The same block with its texts."""
        return replace(self, texts=self.texts_here(stream))

    def read(self, stream: TextStream) -> TestSet | None:
        """The texts; None if this process does not see the files."""
        if self.texts is not None or self.ranges is None:
            return self.texts
        if not all(is_url(block.path) or os.path.isfile(block.path) for block in self.ranges):  # noqa: PTH113
            return None
        return stream.read(self.ranges)


def stream_blocks(stream: TextStream, execution: Execution) -> Iterator[StreamBlock]:
    """The blocks of a stream: byte ranges for other processes if files can be split, else texts."""
    if execution.leaves_process and all(is_divisible(path, encoding=stream.encoding) for path in stream.paths):
        for ranges in stream.ranges(blocks.BLOCK):
            yield StreamBlock(None, tuple(replace(block, path=_absolute(block.path)) for block in ranges))
    else:
        for texts in stream.blocks(blocks.BLOCK):
            yield StreamBlock(texts)


def _absolute(path: Any) -> Any:
    return path if is_url(path) else os.path.abspath(path)  # noqa: PTH100  (any name)


def map_stream_blocks(
    function: Callable[[_S, StreamBlock], _R | None],
    items: Iterable[StreamBlock],
    *,
    shared: _S,
    stream: TextStream,
    execution: Execution,
) -> Iterator[tuple[StreamBlock, _R]]:
    """Yield every block with its result, in order.

    `function` returns None for a block whose files it does not see, and is then called here, with the texts. A block
    without a result raises ``RuntimeError``: without it, all sums would be wrong.
    """
    sent: deque[StreamBlock] = deque()
    are_seen = True

    def each() -> Iterator[StreamBlock]:
        for item in items:
            sent.append(item)
            yield item if are_seen else item.with_texts(stream)

    for result in execution.map_chunks(function, each(), shared=shared):
        block = sent.popleft()
        if result is None:
            are_seen = False
            result = function(shared, block.with_texts(stream))
            if result is None:
                raise RuntimeError("a block of a stream has no result, although its texts were given")
        yield block, result
    if sent:
        raise RuntimeError(f"{counted(len(sent), 'block')} of a stream came back without a result")
