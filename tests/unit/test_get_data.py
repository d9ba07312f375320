"""``make data``: sets built from small mirrors, checked, resumed, and refused with one line."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from real_data.build import UNFINISHED
from real_data.command import main
from real_data.errors import DataError
from real_data.manifest import Entry, Manifest
from real_data.sources import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parents[2]
REPOSITORY = "someone/texts"
#: Files of the source repository.
SOURCES = {
    "a.txt": b"one\ntwo\nthree\n",
    "with-mark.txt": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "outputs/MES:(x).1": b"eins\n",
    "outputs/b": b"zwei\n",
    "judged.csv": b"srclang,judgeId,rank\r\nCzech,A2X,1\r\nCzech,B7,2\r\nCzech,A2X,3\r\n",
    "cs-en.rank": b"7\tcs-en\tsys2\tcs-en\tsys1\n9\tcs-en\tsys1\tcs-en\tsys2\n",
}
XML = b"""<WMT15-results>
<HIT source-language="deu" target-language="eng"><ranking-task id="5">
  <ranking-result user="x"><translation system="newstest2015.A.1.de-en.txt" rank="1"/></ranking-result>
</ranking-task></HIT>
<HIT source-language="fin" target-language="eng"><ranking-task id="6">
  <ranking-result user="y" skipped="true"/>
</ranking-task><ranking-task id="7">
  <ranking-result user="y">
    <translation system="newstest2015.A.1.fi-en.txt,newstest2015.B.0.fi-en.txt" rank="2"/>
    <translation system="newstest2015.C.fi-en.txt" rank="1"/>
  </ranking-result>
</ranking-task></HIT>
</WMT15-results>"""
#: Files of the sets: recipe, sources and contents.
FILES = {
    "plain/copied": ("copy", "a.txt", b"one\ntwo\nthree\n"),
    "plain/cleaned": ("plain", "with-mark.txt", b"one\ntwo\n"),
    "plain/first": ("head:2", "a.txt", b"one\ntwo\n"),
    "plain/member": ("member:in/side", "archive.tar.gz", b"inside\n"),
    "made/cs-en/hyp/MES:(x).1": ("copy", "outputs/MES:(x).1", b"eins\n"),
    "made/cs-en/hyp/b": ("copy", "outputs/b", b"zwei\n"),
    "made/cs-en/pairs.tsv": ("pairs", "cs-en.rank", b"7\tMES:(x).1\tb\n9\tb\tMES:(x).1\n"),
    "made/judged.csv": (
        "judges",
        "judged.csv",
        b"srclang,judgeId,rank\nCzech,judge0001,1\nCzech,judge0002,2\nCzech,judge0001,3\n",
    ),
    "made/fi-en/rankings.tsv": (
        "rankings",
        "results.xml.gz",
        b"rankingID\tsegment\tjudge\titems\n3\t7\tjudge2\tA.1+B.0=2 C=1\n",
    ),
}


def _git(place: Path, *arguments: str) -> str:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    done = subprocess.run(["git", *names, *arguments], cwd=place, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("in/side")
        member.size = len(b"inside\n")
        archive.addfile(member, io.BytesIO(b"inside\n"))
    return buffer.getvalue()


class Mirrors:
    """A folder of mirrors with one repository, in every form, and the list of files that are made from it."""

    def __init__(self, place: Path) -> None:
        self.plain = place / "plain"
        self.checkout = place / "checkouts"
        self.bare = place / "bare"
        repository = self.checkout / "texts"
        for name, contents in {**SOURCES, "archive.tar.gz": _archive(), "results.xml.gz": gzip.compress(XML)}.items():
            for root in (self.plain / "someone+texts", repository):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(contents)
        _git(repository, "init", "--quiet")
        _git(repository, "add", ".")
        _git(repository, "commit", "--quiet", "-m", "Texts")
        commit = _git(repository, "rev-parse", "HEAD")
        # What is checked out is another version.
        (repository / "a.txt").write_bytes(b"changed\n")
        _git(repository, "commit", "--quiet", "-am", "Change")
        self.bare.mkdir()
        _git(self.bare, "clone", "--quiet", "--bare", str(repository), "someone+texts")
        self.manifest = Manifest(tuple(_entry(name, *of) for name, of in FILES.items()), {REPOSITORY: commit})


def _entry(name: str, recipe: str, source: str, contents: bytes) -> Entry:
    return Entry(name, len(contents), hashlib.sha256(contents).hexdigest(), recipe, REPOSITORY, (source,))


@pytest.fixture
def mirrors(tmp_path: Path) -> Mirrors:
    if shutil.which("git") is None:
        pytest.skip("no git")
    return Mirrors(tmp_path / "mirrors")


def _build(mirrors: Mirrors, to: Path, *arguments: str, mirror: str | Path | None = None) -> int:
    chosen = str(mirrors.bare if mirror is None else mirror)
    return main([*arguments, "--to", str(to), "--mirror", chosen], manifest=mirrors.manifest)


def _contents(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


EXPECTED = {name: contents for name, (_, _, contents) in FILES.items()}


@pytest.mark.parametrize("form", ["bare", "checkout", "plain"])
def test_every_recipe_from_every_form_of_mirror(
    mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    to = tmp_path / "data"
    assert _build(mirrors, to, mirror=getattr(mirrors, form)) == 0
    assert _contents(to) == EXPECTED
    assert capsys.readouterr() == ("plain: 4 made, 0 kept, 0.0 MB\nmade: 5 made, 0 kept, 0.0 MB\n", "")


def test_a_set_at_a_time(mirrors: Mirrors, tmp_path: Path) -> None:
    to = tmp_path / "data"
    assert _build(mirrors, to, "made") == 0
    assert _contents(to) == {name: of for name, of in EXPECTED.items() if name.startswith("made/")}
    assert _build(mirrors, to, "plain", "plain") == 0
    assert _contents(to) == EXPECTED


def test_files_that_are_there_are_kept_and_damaged_ones_made_anew(
    mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "data"
    assert _build(mirrors, to) == 0
    (to / "plain/copied").write_bytes(b"ONE\ntwo\nthree\n")
    (to / "plain/first").unlink()
    (to / "plain/own notes").write_bytes(b"mine")
    kept = (to / "plain/member").stat().st_mtime_ns
    capsys.readouterr()
    assert _build(mirrors, to) == 0
    assert _contents(to) == {**EXPECTED, "plain/own notes": b"mine"}
    assert (to / "plain/member").stat().st_mtime_ns == kept
    assert capsys.readouterr().out.startswith("plain: 2 made, 2 kept")


@pytest.mark.parametrize(
    ("arguments", "mirror", "message"),
    [
        (["nosuch"], None, "no data set named nosuch; there are: plain, made"),
        ([], "nowhere", "nowhere: no such folder of mirrors"),
        ([], "empty", "empty: no mirror of someone/texts (looked for someone+texts)"),
    ],
)
def test_what_cannot_be_built_is_refused_with_one_line(
    mirrors: Mirrors,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    arguments: list[str],
    mirror: str | None,
    message: str,
) -> None:
    (tmp_path / "empty").mkdir()
    chosen = mirrors.bare if mirror is None else tmp_path / mirror
    assert _build(mirrors, tmp_path / "data", *arguments, mirror=chosen) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith(f"{message}\n")
    assert not (tmp_path / "data").exists()


def test_a_wrong_checksum_leaves_no_set_and_is_mended(
    mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to, source = tmp_path / "data", mirrors.plain / "someone+texts" / "with-mark.txt"
    source.write_bytes(b"another version\n")
    assert _build(mirrors, to, "plain", mirror=mirrors.plain) == 2
    message = "plain/cleaned: wrong checksum; someone/texts with-mark.txt is broken or another version"
    assert capsys.readouterr().err == f"make data: {message}\n"
    assert set(_contents(to)) == {f"{UNFINISHED}/plain/copied"}
    source.write_bytes(SOURCES["with-mark.txt"])
    assert _build(mirrors, to, "plain", mirror=mirrors.plain) == 0
    assert capsys.readouterr().out == "plain: 3 made, 1 kept, 0.0 MB\n"
    assert not (to / UNFINISHED).exists()


@pytest.mark.parametrize("name", ["archive.tar.gz", "results.xml.gz", "cs-en.rank", "judged.csv"])
def test_a_source_that_cannot_be_converted(
    mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    source = mirrors.plain / "someone+texts" / name
    source.write_bytes(source.read_bytes()[:12])
    assert _build(mirrors, tmp_path / "data", mirror=mirrors.plain) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"cannot be made from someone/texts {name}, which is broken or another version" in err


def test_a_commit_or_file_that_the_mirror_lacks(
    mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = mirrors.manifest.commits[REPOSITORY]
    mirrors.manifest.commits[REPOSITORY] = "0" * 40
    assert _build(mirrors, tmp_path / "data") == 2
    assert f"cannot read {'0' * 40}:a.txt (fatal: " in capsys.readouterr().err
    mirrors.manifest.commits[REPOSITORY] = commit
    (mirrors.plain / "someone+texts" / "a.txt").unlink()
    assert _build(mirrors, tmp_path / "data", mirror=mirrors.plain) == 2
    assert capsys.readouterr().err.endswith("someone+texts/a.txt: No such file or directory\n")


def test_a_folder_that_cannot_be_written(mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").write_text("a file")
    assert _build(mirrors, tmp_path / "data") == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Not a directory" in err or "File exists" in err


class Handler(SimpleHTTPRequestHandler):
    """Serves OWNER/NAME/COMMIT/PATH; ``broken`` says how often each path first fails, and how."""

    broken: dict[str, list[str]]

    def do_GET(self) -> None:
        faults = self.broken.get(self.path.rpartition("/")[2], [])
        fault = faults.pop(0) if faults else ""
        if fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"one\n")
        elif fault:
            self.send_error(int(fault))
        else:
            super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server(mirrors: Mirrors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Any]]:
    root = tmp_path / "served"
    shutil.copytree(mirrors.plain / "someone+texts", root / REPOSITORY / mirrors.manifest.commits[REPOSITORY])
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr(Handler, "broken", {}, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root))) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", Handler
        running.shutdown()
        thread.join()


def test_download(mirrors: Mirrors, tmp_path: Path, server: tuple[str, Any]) -> None:
    address, handler = server
    handler.broken = {"a.txt": ["cut", "503"], "b": ["500", "429"]}
    assert _build(mirrors, tmp_path / "data", mirror=f"{address}/") == 0
    assert _contents(tmp_path / "data") == EXPECTED
    assert handler.broken == {"a.txt": [], "b": []}


@pytest.mark.parametrize(
    ("faults", "problem"),
    [
        (["cut"] * 4, "the download ended after 4 bytes"),
        (["503"] * 4, "the server answers 503 Service Unavailable"),
        (["404"], "the server answers 404 Not Found"),
    ],
)
def test_a_download_that_fails(
    mirrors: Mirrors,
    tmp_path: Path,
    server: tuple[str, Any],
    capsys: pytest.CaptureFixture[str],
    *,
    faults: list[str],
    problem: str,
) -> None:
    address, handler = server
    handler.broken = {"a.txt": list(faults)}
    assert _build(mirrors, tmp_path / "data", mirror=address) == 2
    commit = mirrors.manifest.commits[REPOSITORY]
    assert capsys.readouterr().err == f"make data: {address}/{REPOSITORY}/{commit}/a.txt: {problem}\n"
    assert handler.broken == {"a.txt": []}
    assert _contents(tmp_path / "data") == {}


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(DataError, match=r"^http://127\.0\.0\.1:1/a/b/c/d: .*refused"):
        Server("http://127.0.0.1:1", pause=0).read("a/b", "c", "d")


def test_killed_and_resumed(mirrors: Mirrors, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reader of sources kills the process in the middle of a set."""
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, sys\n"
        f"sys.path[:0] = [{str(HERE / 'tools')!r}, {str(HERE / 'tests/unit')!r}]\n"
        "from pathlib import Path\n"
        "from real_data.build import build\n"
        "from real_data.manifest import Manifest\n"
        "from real_data.sources import MirrorFolder\n"
        "manifest = Manifest.read(Path(sys.argv[1]))\n"
        "mirror = MirrorFolder(Path(sys.argv[2]))\n"
        "def read(repository, commit, path):\n"
        "    if path == 'archive.tar.gz':\n"
        f"        os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
        "    return mirror.read(repository, commit, path)\n"
        "build(manifest, 'plain', Path(sys.argv[3]), read=read, progress=lambda n: None)\n"
    )
    lists, to = tmp_path / "lists", tmp_path / "data"
    _write_lists(mirrors.manifest, lists)
    done = subprocess.run([sys.executable, script, lists, mirrors.bare, to], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (to / "plain").exists()
    assert set(_contents(to)) == {f"{UNFINISHED}/plain/{name}" for name in ("copied", "cleaned", "first")}
    # The file that was being written when the power went.
    (to / UNFINISHED / "plain" / ".member.part").write_bytes(b"ins")
    assert _build(mirrors, to, "plain") == 0
    assert capsys.readouterr().out == "plain: 1 made, 3 kept, 0.0 MB\n"
    assert _contents(to) == {name: of for name, of in EXPECTED.items() if name.startswith("plain/")}


def _write_lists(manifest: Manifest, place: Path) -> None:
    place.mkdir()
    rows = [
        f"{entry.file}\t{entry.size}\t{entry.sha256}\t{entry.recipe}\t{entry.repository}\t{' '.join(entry.paths)}\n"
        for entry in manifest.entries
    ]
    (place / "files.tsv").write_text("file\tbytes\tsha256\trecipe\trepository\tpaths\n" + "".join(rows))
    commits = "".join(f"{name}\t{commit}\n" for name, commit in manifest.commits.items())
    (place / "sources.tsv").write_text("repository\tcommit\n" + commits)
    assert Manifest.read(place) == manifest
