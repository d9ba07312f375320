"""The command as a process: permissions, read-only files, leftovers of killed runs, Ctrl-C, terminals, odd names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from command import refused

from mtassay.cli.main import main
from mtassay.data import atomic_folder, atomic_write
from mtassay.errors import InputError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="permissions, signals and terminals are those of POSIX")
SCORED = ["ref.txt", "-i", "hyp.txt"]
_NOBODY = 65534


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("a b c d\nx y\n", encoding="utf-8")
    Path("hyp.txt").write_text("a b c\nx\n", encoding="utf-8")


@contextmanager
def without_privileges() -> Iterator[None]:
    """Work in a folder that everybody may use, with the rights of nobody: root may do everything."""
    here, user = Path.cwd(), os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        if user == 0:
            os.seteuid(_NOBODY)
        try:
            os.chdir(folder)
            yield
        finally:
            os.seteuid(user)
            os.chdir(here)


def test_read_only_files_are_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("out.txt")
    path.write_text("old", encoding="utf-8")
    path.chmod(0o444)
    said = "out.txt is read-only; make it writable, or choose another file"
    assert refused(capsys, "score", *SCORED, "-o", "out.txt") == said
    assert refused(capsys, "score", "no.txt", "-o", "out.txt") == said  # before anything is read
    with pytest.raises(InputError, match="is read-only"):
        atomic_write(path)
    assert path.read_text(encoding="utf-8") == "old"
    path.chmod(0o644)
    assert main(["score", *SCORED, "-o", "out.txt"]) == 0


def test_a_file_that_becomes_read_only_is_not_replaced() -> None:
    path = Path("out.txt")
    path.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_write(path) as file:
            file.write("new")
            path.chmod(0o444)

    with pytest.raises(InputError, match="is read-only"):
        write()
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in Path().iterdir() if entry.name.endswith(".tmp")] == []


def test_folders_without_permission(capsys: pytest.CaptureFixture[str]) -> None:
    main(["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o", "before"])  # all modules are loaded
    capsys.readouterr()
    texts = {name: Path(name).read_bytes() for name in ("ref.txt", "hyp.txt")}
    with without_privileges():
        Path("closed/inside").mkdir(parents=True)
        for name, text in texts.items():
            Path(name).write_bytes(text)
        Path("closed").chmod(0)
        try:
            convert = ["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o"]
            assert refused(capsys, *convert, "closed").startswith("closed cannot be written: ")
            for path in ("closed/x", "closed/inside", "closed/inside/x"):
                assert refused(capsys, *convert, path).startswith(f"{path} cannot be written: ")
                assert refused(capsys, "score", *SCORED, "-o", path).startswith(f"{path} cannot be written: ")
            assert refused(capsys, "score", "closed/x", "-i", "hyp.txt") == "closed/x cannot be read: permission denied"
            assert "standard output" not in refused(capsys, "score", "closed", "-i", "hyp.txt")
            with pytest.raises(InputError, match="cannot be written: Permission denied"), atomic_folder("closed"):
                pass
        finally:
            Path("closed").chmod(0o777)


def test_errors_of_the_system_name_the_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(argv: list[str]) -> int:
        raise PermissionError(13, "Permission denied", "closed/folder")

    monkeypatch.setattr("mtassay.cli.score.run", fail)
    assert refused(capsys, "score") == "closed/folder cannot be used: Permission denied"


KILLED = """\
import os, signal
from mtassay.data import atomic_write, atomic_folder
with {function}("out") as made:
    print("ready", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("function", ["atomic_write", "atomic_folder"])
def test_leftovers_of_killed_runs_are_removed(function: str) -> None:
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED.format(function=function)], check=False)
    # Each run removes what the one before left.
    (left,) = [path for path in Path().iterdir() if path.name.endswith(".tmp")]
    others = [Path(f".other{left.name}"), Path(left.name.replace(".out.", ".out2.")), Path(".out.tmp")]
    alive = Path(left.name.replace(f"-{_pid(left)}-", f"-{os.getppid()}-"))
    for path in (*others, alive):
        path.write_text("", encoding="utf-8")
    if function == "atomic_write":
        with atomic_write("out") as file:
            file.write("x")
    else:
        with atomic_folder("out"):
            pass
    assert not left.exists()
    assert Path("out").exists()
    assert all(path.exists() for path in (*others, alive))


def _pid(path: Path) -> str:
    return path.name.split("-")[-2]


def test_names_may_be_as_long_as_the_system_allows() -> None:
    for name in ("ü" * 127, "文" * 85, "x" * 255):
        with atomic_write(name) as file:
            file.write("x")
        assert Path(name).read_text(encoding="utf-8") == "x"


INTERRUPTED = """\
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from mtassay.cli import run
sys.argv = ["mtassay", "score", "ref.txt", "-i", "hyp.txt"]
sys.exit(run())
"""


@pytest.mark.parametrize("name", ["mtassay.cli.main", "mtassay.io", "mtassay.cli.score", "numpy"])
def test_ctrl_c_while_modules_are_loaded(name: str) -> None:
    code = INTERRUPTED.format(name=name)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "mtassay: interrupted\n")


def test_ctrl_c_while_reading() -> None:
    command = [sys.executable, "-m", "mtassay", "score", "ref.txt", "-v"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, b"mtassay: interrupted\n")


HALF_WRITTEN = """\
import os, signal, sys, time
from contextlib import contextmanager
from mtassay.cli import run
from mtassay.data.formats import writing

whole = writing.atomic_folder

@contextmanager
def interrupted(folder):
    with whole(folder) as made:
        (made / "half").write_text("x")
        os.kill(os.getpid(), {number})
        time.sleep(10)
        yield made

signal.signal({number}, signal.default_int_handler if {number} == signal.SIGINT else signal.SIG_DFL)
writing.atomic_folder = interrupted
sys.argv = "mtassay convert ref.txt -i hyp.txt --to evalset -l de-en -o out".split()
sys.exit(run())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_signals_leave_nothing_half_written(number: signal.Signals) -> None:
    code = HALF_WRITTEN.format(number=int(number))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "mtassay: interrupted\n")
    assert sorted(path.name for path in Path().iterdir()) == ["hyp.txt", "ref.txt"]


def _on_a_terminal(arguments: list[str], *, typed: bytes) -> tuple[int, bytes]:
    """Exit status and all that a terminal shows."""
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "mtassay", *arguments])
    shown = b""
    with suppress(OSError):  # Linux: the other end is closed
        os.write(terminal, typed)
        while block := os.read(terminal, 1 << 16):
            shown += block
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown


def test_a_terminal_is_told_what_is_read() -> None:
    hint = b"mtassay: reading hypotheses from the terminal (end with Ctrl-D); to score files, give them with -i"
    for verb in ("score", "compare"):
        _, shown = _on_a_terminal([verb, "ref.txt"], typed=b"a b c\nx\n\x04")
        assert shown.count(hint) == 1
    _, shown = _on_a_terminal(["score", "ref.txt", "hyp.txt"], typed=b"a b c\nx\n\x04")
    assert b"nothing was given with -i, so hyp.txt was taken as a reference; to score it, write -i hyp.txt" in shown
    status, shown = _on_a_terminal(["score", "ref.txt", "-b"], typed=b"a b c d\nx y\n\x04")
    assert status == 0
    assert b"100" in shown
    status, shown = _on_a_terminal(["score", *SCORED], typed=b"")
    assert status == 0
    assert b"terminal" not in shown


def test_no_hint_where_input_is_a_pipe() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mtassay", "score", "ref.txt"], input=b"a\nb\n", capture_output=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
@pytest.mark.parametrize(
    ("verb", "kind"),
    [("compare", "intervals"), ("compare", "heatmap"), ("compare", "distribution"), ("rank", "clusters")],
)
def test_names_that_are_not_utf8_are_drawn_with_escapes(verb: str, kind: str, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    odd = os.fsdecode(b"o\xffdd.txt")
    Path(odd).write_bytes(Path("hyp.txt").read_bytes())
    picture = Path(f"a.{ending}")
    arguments = [verb, *SCORED, odd, "--resamples", "100", "-o", "out.txt", "--plot", kind, str(picture)]
    assert main(arguments) == 0
    if ending == "svg":
        assert rb"o\udcffdd" in picture.read_bytes()


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
@pytest.mark.parametrize("kind", ["ranks", "heatmap"])
def test_names_of_judged_systems_are_drawn_with_escapes(kind: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    rows = [{"first": "o\udcffdd", "second": "b", "outcome": k % 2, "segment": k + 1} for k in range(6)]
    import json

    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["humans", "pairs.jsonl", "--resamples", "50", "-o", "out.txt", "--plot", kind, "a.svg"]) == 0
    assert rb"o\udcffdd" in Path("a.svg").read_bytes()
