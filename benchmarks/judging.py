"""Load and faults of ``mtassay judge serve``: simulated judges on one server process, on this machine only.

    python benchmarks/judging.py               speed, pace and faults
    python benchmarks/judging.py faults        one of them

speed: 100 judges answer as fast as they can. pace: 50 answers per second, how long a reply takes. faults: 100 judges
while the server is killed (SIGKILL) five times at random moments, the disk is full once (a limit on the size of files)
and the clock is moved once by two days; then every acknowledged answer must be stored once.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import resource
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

HOST = "127.0.0.1"
_HIDDEN = re.compile(rb'<input type="hidden" name="(\w+)" value="([^"]*)">')


@dataclass
class Server:
    """The server in a process of its own; it is started again after it was killed."""

    path: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port = probe.getsockname()[1]
        self.clock.write_text("0", encoding="utf-8")

    @property
    def clock(self) -> Path:
        """A file with the seconds by which the server's clock is moved."""
        return self.path.with_suffix(".clock")

    async def start(self) -> None:
        """Start, and wait until it answers."""
        self.process = subprocess.Popen([sys.executable, __file__, "--server", str(self.path), str(self.port)])
        for _ in range(600):
            try:
                _, writer = await asyncio.open_connection(HOST, self.port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def megabytes(self) -> float:
        """Largest memory of the process so far."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def limit_files(self, size: int) -> None:
        """No file of the server may grow beyond this size; writing more fails as on a full disk."""
        assert self.process is not None
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, hard))


@dataclass
class Judge:
    """A simulated judge, who sends an answer again until it is acknowledged."""

    port: int
    link: str
    cookie: str = ""
    acknowledged: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str, bytes]:
        """Status, location and body; tries again while the server is dead or cannot save."""
        while True:
            try:
                reply = await asyncio.wait_for(self._request(path, form), 20)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
                await self.close()
                await asyncio.sleep(0.05)
                continue
            self.statuses[reply[0]] += 1
            if reply[0] != 503:
                return reply
            await asyncio.sleep(0.05)

    async def _request(self, path: str, form: dict[str, str] | None) -> tuple[int, str, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(HOST, self.port)
        reader, writer = self._streams
        body = b"" if form is None else urlencode(form).encode()
        head = f"{'GET' if form is None else 'POST'} {path} HTTP/1.1\r\nHost: {HOST}:{self.port}\r\n"
        head += f"Cookie: {self.cookie}\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        writer.write(head.encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        if cookie := next((line.split(": ", 1)[1] for line in lines if line.lower().startswith("set-cookie")), ""):
            self.cookie = cookie.split(";")[0]
        return (
            int(lines[0].split()[1]),
            headers.get("location", ""),
            await reader.readexactly(int(headers["content-length"])),
        )

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def begin(self) -> None:
        """Open the personal link, and take a task."""
        await self.request(self.link)
        await self.take_task()

    async def take_task(self) -> bool:
        """Whether there is a task to work on."""
        _, _, body = await self.request("/")
        _, location, _ = await self.request("/start", _fields(body))
        return location == "/work"

    async def work(self, n: int, wait: Callable[[], Awaitable[None]] | None = None) -> None:
        """Give `n` answers, and wait before each."""
        while len(self.acknowledged) < n:
            if wait is not None:
                await wait()
            status, _, body = await self.request("/work")
            if status == 303:
                if not await self.take_task():
                    return
                continue
            form = _fields(body) | {"score": str(random.randrange(101)), "action": "save"}
            began = time.perf_counter()
            status, _, body = await self.request("/work", form)
            self.seconds.append(time.perf_counter() - began)
            if status != 303:
                raise RuntimeError(f"status {status} for an answer: {body[:300]!r}")
            self.acknowledged.append(form["nonce"])
        await self.close()


def _fields(body: bytes) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in _HIDDEN.findall(body)}


def make(folder: Path, n_judges: int) -> tuple[Server, list[Judge]]:
    """A campaign of direct assessment for many judges, and these."""
    import mtassay
    from mtassay.sample import sample_path

    path = folder / "load.db"
    testset = mtassay.load(sample_path(), lp="de-en")
    mtassay.judge.new(path, testset, protocol="da", controls=False, task_size=20, training=0, judges_per_task=n_judges)
    server = Server(path)
    links = mtassay.judge.invite(path, n_judges)
    return server, [Judge(server.port, f"/j/{one.link.rpartition('/')[2]}") for one in links]


async def run(
    folder: Path, *, n_judges: int, n_answers: int, rate: float = 0.0, kills: int = 0, other_faults: bool = False
) -> dict[str, float]:
    """Let judges work, and compare what was acknowledged with what is stored.

    Args:
        folder: where the campaign is made.
        n_judges: number of judges.
        n_answers: answers of each judge.
        rate: answers per second of all judges together; 0 for as many as they can.
        kills: how often the server is killed.
        other_faults: whether the disk is full once and the clock is moved once.
    """
    server, judges = make(folder, n_judges)
    await server.start()
    await asyncio.gather(*(judge.begin() for judge in judges))
    n_wanted = n_judges * n_answers
    gap = n_judges / rate if rate else 0.0

    async def wait() -> None:
        await asyncio.sleep(random.uniform(0.5, 1.5) * gap)

    began = time.perf_counter()
    work = asyncio.gather(*(judge.work(n_answers, wait if rate else None) for judge in judges))
    faults = ["kill"] * kills
    if other_faults:
        faults[kills // 2 : kills // 2] = ["full", "clock"]
    moments = sorted(random.sample(range(n_wanted // 10, n_wanted * 9 // 10), len(faults)))
    for moment, fault in zip(moments, faults, strict=True):
        while count(judges) < moment and not work.done():
            await asyncio.sleep(0.01)
        if fault == "kill":
            await asyncio.sleep(random.uniform(0, 0.1))
            server.kill()
            await server.start()
        elif fault == "full":
            server.limit_files(8192)
            await asyncio.sleep(0.5)
            server.limit_files(resource.RLIM_INFINITY)
        elif fault == "clock":
            server.clock.write_text(str(2 * 24 * 60 * 60), encoding="utf-8")
    await work
    seconds = time.perf_counter() - began
    megabytes = server.megabytes
    server.kill()
    return compared(server, judges) | {
        "answers per second": count(judges) / seconds,
        "median reply in ms": 1000 * statistics.median([one for judge in judges for one in judge.seconds]),
        "megabytes": megabytes,
        "replies 503": sum(judge.statuses[503] for judge in judges),
    }


def count(judges: list[Judge]) -> int:
    """Number of acknowledged answers."""
    return sum(len(judge.acknowledged) for judge in judges)


def compared(server: Server, judges: list[Judge]) -> dict[str, float]:
    """How many answers were acknowledged, stored, lost and stored twice."""
    with closing(sqlite3.connect(server.path)) as connection:
        stored = Counter(nonce for (nonce,) in connection.execute("SELECT nonce FROM answer"))
        rows = connection.execute("SELECT judge, screen, count(*) FROM answer GROUP BY 1, 2").fetchall()
        [counted] = connection.execute("SELECT sum(answered) FROM lease").fetchone()
        [intact] = connection.execute("PRAGMA integrity_check").fetchone()
    acknowledged = [nonce for judge in judges for nonce in judge.acknowledged]
    return {
        "acknowledged": len(acknowledged),
        "stored": sum(stored.values()),
        "lost": sum(nonce not in stored for nonce in acknowledged),
        "twice": sum(n > 1 for *_, n in rows),
        "counted by leases": counted,
        "intact": float(intact == "ok"),
    }


def serve(path: str, port: int) -> None:
    """The server, with a clock that can be moved."""
    from mtassay.collect.serving import listening, run_app
    from mtassay.collect.web.app import campaign_app

    moved = Path(path).with_suffix(".clock")
    app = campaign_app(path, clock=lambda: time.time() + float(moved.read_text(encoding="utf-8") or 0))
    with listening(HOST, port) as found:
        run_app(app, found)


RUNS = {
    "speed": {"n_judges": 100, "n_answers": 30},
    "pace": {"n_judges": 50, "n_answers": 15, "rate": 50.0},
    "faults": {"n_judges": 100, "n_answers": 30, "kills": 5, "other_faults": True},
}


def main(words: list[str]) -> None:
    for name in words or RUNS:
        random.seed(1)
        with tempfile.TemporaryDirectory() as folder:
            found = asyncio.run(run(Path(folder), **RUNS[name]))  # type: ignore[arg-type]
        print(
            name, json.dumps({key: round(value, 1) for key, value in found.items()}), f"load {os.getloadavg()[0]:.1f}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--server"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:])
