"""Readers of compressed files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Readable(Protocol):
        """Has a method that returns at most `size` bytes, and none at the end."""

        def read(self, size: int, /) -> bytes: ...  # noqa: D102


#: Number of compressed bytes read at once.
_BLOCK = 1 << 16


class FileWithHead:
    """A file whose first bytes are read ahead.

    Attributes:
        head: the first bytes that were not read again.
        has_failed: whether reading the file raised an error, as opposed to decompressing its content.
    """

    def __init__(self, file: Readable, n_bytes: int, *, reads_short: bool) -> None:
        """Read the first `n_bytes`; with `reads_short`, a read may return fewer bytes before the end of the file."""
        self.has_failed = False
        self._file = file
        self._reads_short = reads_short
        self._is_over = False
        self.head = b""
        while len(self.head) < n_bytes and (more := self._read(n_bytes - len(self.head))):
            self.head += more

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        block, self.head = self.head[:size], self.head[size:]
        return block or self._read(size)

    def _read(self, size: int) -> bytes:
        # Do not read again after the end: a terminal would wait for a second Ctrl-D.
        if self._is_over:
            return b""
        try:
            block = self._file.read(size)
        except BaseException:
            self.has_failed = True
            raise
        self._is_over = not block or (len(block) < size and not self._reads_short)
        return block


def decompressor(kind: str, file: Any) -> Readable:
    """A decompressing reader of a file, which needs only ``read``; it returns all bytes before damaged data."""
    # Imported here: most inputs are not compressed, and importing the three modules takes longer than reading them.
    if kind == "gzip":
        import gzip

        return _InPieces(gzip.GzipFile(fileobj=file).read1)
    if kind == "xz":
        import lzma

        return _Streams(file, lzma.LZMADecompressor, padding=b"\0")
    import bz2

    return _Streams(file, bz2.BZ2Decompressor)


class _InPieces:
    """A file that is read with ``read1``, so that the data before an error is not lost."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.read = read


class _Streams:
    """One or more compressed streams, one after another.

    ``LZMAFile`` and ``BZ2File`` ignore what follows the first stream unless it begins as a stream does, and so lose the
    rest of a file with a damaged byte there; here it is an error.

    Args:
        file: the compressed file.
        decompressor: makes the decompressor of a stream.
        padding: bytes that may follow a stream.
    """

    def __init__(self, file: Readable, decompressor: Callable[[], Any], *, padding: bytes = b"") -> None:
        self._file = file
        self._new = decompressor
        self._padding = padding
        self._stream = decompressor()

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        while True:
            block = b""
            if self._stream.eof:
                block = self._next_stream()
                if not block:
                    return b""
                self._stream = self._new()
            elif self._stream.needs_input:
                block = self._file.read(_BLOCK)
                if not block:
                    raise EOFError("it ends before its end-of-stream marker")
            data: bytes = self._stream.decompress(block, size)
            if data:
                return data

    def _next_stream(self) -> bytes:
        """The first bytes after a stream and its padding; none at the end of the file."""
        block = self._stream.unused_data or self._file.read(_BLOCK)
        while block and not (rest := block.lstrip(self._padding)):
            block = self._file.read(_BLOCK)
        return rest if block else b""
