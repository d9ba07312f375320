"""A Dask cluster behind ``Execution``: chunks run on its workers (extra ``cluster``).

A bounded number of chunks is at the scheduler at any time, and results are used in order, so that workers can join,
leave and die without changing a result. The data that all chunks of a job share is a task of its own, which the
scheduler repeats if the worker that holds it dies. A worker rejects chunks of another version of mtassay.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import count, takewhile
from multiprocessing import resource_tracker
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay import __version__
from mtassay.errors import InputError, MissingExtraError, MtassayError, counted
from mtassay.execution import Execution, Progress
from mtassay.execution.signals import signals_held

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mtassay.execution import Resume

_S = TypeVar("_S")
_T = TypeVar("_T")
_R = TypeVar("_R")

#: Beginnings of the addresses of schedulers.
_PROTOCOLS = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
#: Chunks in flight for each thread of the workers, and the least number of them.
_AHEAD, _LEAST_AHEAD = 4, 16
#: Seconds to wait for a scheduler, and for the first worker; seconds between checks of the number of workers.
_PATIENCE, _WORKER_PATIENCE, _LOOK_AGAIN = 20, 60, 2.0
_MOST_WORKERS = 1024
#: Characters of a scheduler file that are read; Dask writes some hundreds.
_LONGEST_FILE = 1 << 20
#: Settings of Dask: no warning about large chunks; no profiler in local workers, which it would interrupt a hundred
#: times a second; workers that do not answer are given up after half a minute.
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "10 GB",
    "distributed.scheduler.worker-ttl": "30 s",
    "distributed.worker.profile.enabled": False,
}


class ClusterError(MtassayError):
    """A cluster cannot be reached, or was lost."""


@dataclass(frozen=True, init=False, eq=False)
class Cluster(Execution):
    """Runs chunks on a Dask cluster.

    Use it in a ``with`` statement, which ends the connection, and the workers if they are local. A script that starts
    local workers needs ``if __name__ == "__main__":``, since they import it.

    Args:
        address: ``local`` or ``local:N`` for N processes on this machine, ``tcp://HOST:PORT`` of a scheduler, or the
            path of its scheduler file.
        threads: number of threads of work that stays in this process.
        progress: wraps loops over chunks, for a progress bar.
        resume: folder of finished chunks, from which an interrupted job goes on.

    Attributes:
        connection: the connection, made when the first chunk is run.
    """

    address: str = "local"
    connection: Connection = field(repr=False, default=None)  # type: ignore[assignment]  # __init__ sets it

    def __init__(
        self,
        address: str = "local",
        *,
        threads: int = 1,
        progress: Progress = iter,
        resume: Resume = None,
        connection: Connection | None = None,
    ) -> None:
        object.__setattr__(self, "threads", threads)
        object.__setattr__(self, "progress", progress)
        object.__setattr__(self, "resume", resume)
        object.__setattr__(self, "address", address)
        object.__setattr__(self, "connection", connection or Connection(address))
        self.__post_init__()

    @property
    def leaves_process(self) -> bool:
        """True."""
        return True

    @property
    def dashboard_link(self) -> str:
        """The address of Dask's dashboard."""
        return str(self.connection.client.dashboard_link)

    def close(self) -> None:
        """End the connection, and local workers; a later job connects again."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _compute_chunks(self, function: Callable[[_S, _T], _R], items: Iterable[_T], shared: _S) -> Iterator[_R]:
        results = self.connection.run(function, items, shared)
        if not isinstance(items, Sized):
            yield from results
            return
        for _, result in zip(self.progress(range(len(items))), results, strict=True):
            yield result


class Connection:
    """A client of a scheduler, and local workers if it has started some; copies of a ``Cluster`` share it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._n_local = _local_workers(address)
        self._scheduler_file = ""
        if self._n_local is None and not address.startswith(_PROTOCOLS):
            self._scheduler_file = address
            if not os.path.isfile(address):  # noqa: PTH113  (False for invalid names)
                raise InputError(
                    f"there is no scheduler file {address!r}; a cluster is local, local:N, tcp://HOST:PORT or the path "
                    "of a scheduler file"
                )
            _check_scheduler_file(address)
        self._local: Any = None
        self._client: Any = None

    @property
    def client(self) -> Any:
        """The client of Dask; connects the first time."""
        if self._client is None:
            self._connect()
        return self._client

    def _connect(self) -> None:
        _package()
        dask = import_module("dask")
        # Dask logs lost workers and schedulers in many lines; here an exception reports those that matter.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        options: dict[str, Any] = {"timeout": _PATIENCE, "set_as_default": False, "name": "mtassay"}
        with dask.config.set(_SETTINGS):
            try:
                if self._n_local is not None:
                    if os.name == "posix":
                        # Started in the block below, it would deliver Ctrl-C again. It ignores only Ctrl-C and SIGTERM
                        # by itself; if SIGHUP ended it, processes that use it would print tracebacks.
                        with _masked(signal.SIGHUP):
                            resource_tracker.ensure_running()
                    with _interrupts_held():
                        self._local = _start_local(self._n_local)
                    self._client = _start_client(self._local, **options)
                elif self._scheduler_file:
                    self._client = _start_client(scheduler_file=self._scheduler_file, **options)
                else:
                    self._client = _start_client(self.address, **options)
                self._client.wait_for_workers(1, timeout=_WORKER_PATIENCE)
            except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:  # TypeError: TLS without keys
                had_client = self._client is not None
                self.close()
                if had_client:
                    raise ClusterError(f"the cluster {self.address} has no worker after {_WORKER_PATIENCE} s") from None
                raise ClusterError(
                    f"no scheduler answers at {self.address}: {str(error) or type(error).__name__}"
                ) from None

        if sys.stderr is not None and sys.stderr.isatty():
            n_workers = counted(len(self._client.nthreads()), "worker")
            print(f"mtassay: {n_workers}; dashboard: {self._client.dashboard_link}", file=sys.stderr)

    def close(self) -> None:
        """End the connection and local workers."""
        client, local, self._client, self._local = self._client, self._local, None, None
        with _interrupts_held():
            for open_ in (client, local):
                if open_ is not None:
                    open_.close()

    def run(self, function: Callable[[_S, _T], _R], items: Iterable[_T], shared: _S) -> Iterator[_R]:
        """Yield the results of chunks in order."""
        distributed = _package()
        cancelled = distributed.client.FutureCancelledError
        dumps = distributed.protocol.pickle.dumps  # can also send functions without a module, as in users' metrics
        client, job = self.client, token_hex(8)
        try:
            sent = dumps(shared)
        except Exception as error:  # of any kind: objects of users refuse in their own ways
            raise InputError(
                f"{shared} cannot be sent to workers ({type(error).__name__}: {error}): run it without a cluster"
            ) from error
        in_flight: deque[Any] = deque()
        try:
            workers = _Workers(client)
            workers.room()
            # As bytes, which the scheduler forwards without looking inside.
            of_all = _submit(client, _loaded, sent, key=f"mtassay-shared-{job}")
            for number, item in zip(count(), items, strict=False):
                chunk = dumps((function, item))
                key = f"mtassay-{function.__name__}-{job}-{number}"
                in_flight.append(_submit(client, _computed, of_all, chunk, key=key))
                while len(in_flight) >= workers.room():
                    yield from _first_results(client, in_flight)
            while in_flight:
                yield from _first_results(client, in_flight)
        except distributed.scheduler.KilledWorker as error:
            raise ClusterError(
                f"every worker that ran a chunk of {function.__name__} died, the last at {error.last_worker.address}; "
                "workers may lack memory"
            ) from None
        except (cancelled, OSError) as error:
            if client.status == "running" and not isinstance(error, cancelled):
                raise
            raise ClusterError(
                f"the scheduler of {self.address} is gone; start it again (with --resume DIR, a job continues from its "
                "finished chunks)"
            ) from None
        finally:
            if in_flight and client.status == "running":
                client.cancel(list(in_flight), force=True)


class _Workers:
    """The current workers, checked from time to time, since workers may join and leave."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._checked: set[str] = set()
        self._room = 0
        self._look_again = 0.0

    def room(self) -> int:
        """How many chunks may be in flight: as many as the workers can use."""
        if time.monotonic() >= self._look_again:
            n_threads = self._client.nthreads()
            self._check(set(n_threads) - self._checked)
            self._room = max(_LEAST_AHEAD, _AHEAD * sum(n_threads.values()))
            self._look_again = time.monotonic() + _LOOK_AGAIN
        return self._room

    def _check(self, new: set[str]) -> None:
        """Reject workers without this version of mtassay; one that lacks mtassay could not report it itself."""
        found = self._client.run(_find_version, workers=sorted(new), on_error="return") if new else {}
        for address, version in found.items():
            if isinstance(version, ImportError):
                raise ClusterError(
                    f"the worker {address} cannot load mtassay ({version}): install mtassay {__version__} there"
                )
            if isinstance(version, str) and version != __version__:
                raise ClusterError(_other_version(f"the worker {address}", __version__, version))
        self._checked |= new


def _other_version(worker: str, wanted: str, found: str) -> str:
    return f"{worker} runs mtassay {found}, not {wanted}: install the same version there"


#: A lambda is sent whole, so that it runs where mtassay cannot be loaded.
_find_version = lambda: __import__("mtassay").__version__  # noqa: E731


@dataclass(frozen=True)
class _Refused:
    """The message of an error in a chunk's input; not an exception, since workers would log that."""

    message: str


def _submit(client: Any, function: Callable[..., Any], *args: Any, key: str) -> Any:
    """Submit a function that workers run; it takes the version first."""
    with import_module("dask").config.set(_SETTINGS):  # also here: the client warns about large chunks
        return client.submit(function, __version__, *args, key=key, pure=False)


def _first_results(client: Any, in_flight: deque[Any]) -> Iterator[Any]:
    """Wait for the first chunk; yield its result and those of all finished chunks that follow it.

    They are fetched together, since each request to the scheduler takes milliseconds.
    """
    in_flight[0].exception()  # waits
    chunks = list(takewhile(lambda chunk: chunk.status == "finished", in_flight)) or [in_flight[0]]
    for result in client.gather(chunks):
        if isinstance(result, _Refused):
            raise InputError(result.message)
        in_flight.popleft()
        yield result
    for chunk in chunks:
        chunk.release()  # now, since Ctrl-C in a destructor is lost


# Functions that workers run


def _loaded(version: str, data: bytes) -> Any:
    """The data that all chunks share, or the reason why they cannot run here."""
    if version != __version__:
        return _Refused(_other_version("a worker", version, __version__))
    try:
        return pickle.loads(data)
    except MtassayError as error:
        return _Refused(str(error))
    except (ImportError, AttributeError) as error:  # a function of a module that is another one here
        return _Refused(f"a worker cannot load what it is sent: {error}")


def _computed(version: str, shared: Any, chunk: bytes) -> Any:
    """The result of a chunk, or the reason why there is none."""
    if version != __version__:
        return _loaded(version, b"")
    if isinstance(shared, _Refused):
        return shared
    _use_one_thread()
    function, item = pickle.loads(chunk)
    try:
        return function(shared, item)
    except MtassayError as error:
        return _Refused(str(error))


@cache
def _use_one_thread() -> None:
    """Keep BLAS of this process in one thread, as without a cluster, so that sums are rounded in the same way."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


def _local_workers(address: str) -> int | None:
    """The number of local workers that an address asks for; None if it is another address.

    >>> _local_workers("local:3"), _local_workers("tcp://10.0.0.1:8786")
    (3, None)
    """
    kind, colon, number = address.partition(":")
    if kind != "local" or Path(address).exists():
        return None
    if not colon:
        return os.cpu_count() or 1
    if not number.isdecimal() or not 1 <= int(number) <= _MOST_WORKERS:
        raise InputError(f"local:N needs a number of processes from 1 to {_MOST_WORKERS}, not {number!r}")
    return int(number)


def _start_local(n_workers: int) -> Any:
    """Local workers; if their start fails, they end with this process."""
    kind = _package().LocalCluster
    local = kind.__new__(kind)  # not yet started, to be at hand if the start fails
    try:
        kind.__init__(
            local,
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    except BaseException as error:
        local.shutdown_on_close = False  # Dask's exit handler fails on workers that are not started
        if isinstance(error, RuntimeError):
            raise ClusterError(f"local workers cannot be started: {error}") from error
        raise
    return local


def _start_client(*place: Any, **options: Any) -> Any:
    """A client; if its start fails, it is closed: its destructor would wait at the end of this process, and fail."""
    kind = _package().Client
    client = kind.__new__(kind)  # not yet started, to be at hand if the start fails
    try:
        kind.__init__(client, *place, **options)
    except BaseException:
        with suppress(AttributeError):  # it failed before it had anything to close
            client.close()
        raise
    return client


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Deliver Ctrl-C and the signals that ask to end after the block.

    Processes that are started in the block do not get Ctrl-C, by which they would print tracebacks; the other signals
    end them silently, and must still do so.
    """
    with signals_held():
        if os.name != "posix":
            yield
            return
        with _masked(signal.SIGINT):
            yield


@contextmanager
def _masked(number: int) -> Iterator[None]:
    """Block a signal, for the processes that are started in the block, which inherit that."""
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def _check_scheduler_file(path: str) -> None:
    """Reject a file that Dask cannot use: it would wait for it, or fail after a while with a traceback."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            content = json.loads(file.read(_LONGEST_FILE))
    except (OSError, ValueError, RecursionError):
        content = None
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str) or not address.startswith(_PROTOCOLS):
        raise InputError(f"{path} is not a scheduler file, as dask scheduler --scheduler-file writes it")


def _package() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtraError("a cluster", "cluster") from None
