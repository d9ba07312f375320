"""Finished chunks in a folder, from which an interrupted job resumes.

The folder has ``jobs.json``, which lists the jobs of the command in order, each by a fingerprint of its position, its
function, the version and the data that its chunks share; and a file for each finished chunk, written completely or not
at all. The first line of a file has the job, the fingerprint of the chunk and the SHA-256 of the rest. A folder of
another command, of other inputs or of another version is rejected, and so is a file that was changed.
"""

from __future__ import annotations

import json
from collections import deque
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay import __version__
from mtassay.errors import InputError
from mtassay.execution.packing import fingerprint, pack, unpack
from mtassay.io.atomic import atomic_write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mtassay.io.inputs import PathLike

_LIST = "jobs.json"
_SCHEMA = "mtassay.chunks/1"
_NO_JOBS: dict[str, Any] = {"version": __version__, "jobs": []}


class FinishedChunks:
    """The folder; jobs are identified by their order in the command.

    Args:
        folder: created if it does not exist.
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        self._jobs: list[str] | None = None
        self._n_started = 0

    def map(
        self,
        compute: Callable[[Any, Iterable[Any], Any], Iterator[Any]],
        function: Callable[[Any, Any], Any],
        items: Iterable[Any],
        shared: Any,
    ) -> Iterator[Any]:
        """Results of all items in order, read from files if they are finished, else computed and then written."""
        job = self._job(function, shared)
        #: Chunks that are not yet yielded, and whether each was already finished.
        order: deque[tuple[_Chunk, bool]] = deque()

        def missing() -> Iterator[Any]:
            for number, item in enumerate(items):
                chunk = _Chunk(
                    self.folder / f"{job[:16]}-{number}.chunk", job, fingerprint(getattr(item, "identity", item))
                )
                is_finished = chunk.path.exists()
                order.append((chunk, is_finished))
                if not is_finished:
                    yield item

        for result in compute(function, missing(), shared):
            while order[0][1]:
                yield order.popleft()[0].read()
            order.popleft()[0].write(result)
            yield result
        while order:
            yield order.popleft()[0].read()

    def _job(self, function: Callable[..., Any], shared: Any) -> str:
        """The fingerprint of the next job, which must equal the folder's at this position."""
        job = fingerprint(__version__, self._n_started, f"{function.__module__}.{function.__qualname__}", shared)
        if self._jobs is None:
            self._jobs = self._read_jobs()
        if self._n_started == len(self._jobs):
            self._jobs.append(job)
            with atomic_write(self.folder / _LIST) as file:
                json.dump({"schema": _SCHEMA, "version": __version__, "jobs": self._jobs}, file)
        elif self._jobs[self._n_started] != job:
            raise InputError(
                f"{self.folder} has finished chunks of other inputs or options: give the same ones again, or another "
                "folder"
            )
        self._n_started += 1
        return job

    def _read_jobs(self) -> list[str]:
        path = self.folder / _LIST
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if any(self.folder.iterdir()) and not path.exists():
                raise FileExistsError(0, "it has other files; choose a new folder")
            content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else _NO_JOBS
            version, jobs = content["version"], [str(job) for job in content["jobs"]]
        except OSError as error:
            raise InputError(f"{self.folder} cannot be used for finished chunks: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{path} is damaged; choose a new folder for finished chunks") from None
        if version != __version__:
            raise InputError(
                f"{self.folder} has finished chunks of mtassay {version}, but this is {__version__}: choose another "
                "folder"
            )
        return jobs


class _Chunk:
    """The file of a chunk."""

    def __init__(self, path: Path, job: str, content: str) -> None:
        self.path = path
        self._owner = f"{_SCHEMA} {job} {content}"

    def write(self, result: Any) -> None:
        data = pack(result)
        with atomic_write(self.path, binary=True) as file:
            file.write(f"{self._owner} {sha256(data).hexdigest()}\n".encode())
            file.write(data)

    def read(self) -> Any:
        try:
            head, _, data = self.path.read_bytes().partition(b"\n")
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from None
        owner, _, digest = head.decode("ascii", "replace").rpartition(" ")
        damaged = InputError(f"{self.path} was changed or damaged; remove it to compute its chunk again")
        if digest != sha256(data).hexdigest():
            raise damaged
        if owner != self._owner:
            raise InputError(
                f"{self.path} is a chunk of other inputs or options; give the same ones again, or another folder"
            )
        try:
            return unpack(data)
        except Exception as error:
            raise damaged from error
