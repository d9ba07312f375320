from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mtassay.data import atomic_folder, atomic_write
from mtassay.errors import InputError


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with atomic_write(path) as file:
        file.write("é\n")
        assert not path.exists()
    assert path.read_bytes() == "é\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_binary(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "out", binary=True) as file:
        file.write(b"\xff")
    assert (tmp_path / "out").read_bytes() == b"\xff"


def test_after_an_exception_the_old_file_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_write(path) as file:
            file.write("new")
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
def test_a_file_that_exists_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def refuse(*names: str, **options: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted", *names)

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "out"
    with atomic_write(path, binary=True, replace=False) as file:
        file.write(b"first")

    def write_meanwhile() -> None:
        path.unlink()
        with atomic_write(path, binary=True, replace=False) as file:
            file.write(b"second")
            path.write_bytes(b"another")

    with pytest.raises(InputError, match="out exists; choose another name"):
        write_meanwhile()
    assert path.read_bytes() == b"another"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links are those of POSIX")
def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "out.txt", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    fresh = tmp_path / "fresh"
    with atomic_write(fresh) as file:
        file.write("new")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no /dev/null here")
def test_devices_are_written_to() -> None:
    with atomic_write("/dev/null") as file:
        file.write("x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


WRITE = "from mtassay.data import atomic_write\nwith atomic_write({path!r}{binary}) as file: file.write({text!r})"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1", "/dev/fd/3", "/dev/stderr"])
@pytest.mark.parametrize("binary", [False, True])
def test_a_redirected_output_keeps_what_others_write(tmp_path: Path, path: str, append: bool, binary: bool) -> None:
    text: str | bytes = b"middle\n" if binary else "middle\n"
    code = WRITE.format(path=path, text=text, binary=", binary=True" if binary else "")
    script = '{ echo first; "$0" -c "$1"; echo last; } ' + (">>" if append else ">") + ' "$2" 2>&1 3>&1'
    (tmp_path / "out").write_text("before\n")
    inode = (tmp_path / "out").stat().st_ino
    subprocess.run(["sh", "-c", script, sys.executable, code, str(tmp_path / "out")], check=True)
    assert (tmp_path / "out").read_text() == ("before\n" if append else "") + "first\nmiddle\nlast\n"
    assert (tmp_path / "out").stat().st_ino == inode


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here")
def test_a_descriptor_of_another_process_is_written_to(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as other:
        other.write("first\n")
        other.flush()
        with atomic_write(f"/proc/{os.getpid()}/fd/{other.fileno()}") as file:
            file.write("second\n")
    assert (tmp_path / "out").read_text() == "first\nsecond\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipes_are_written_to(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    with atomic_write(pipe) as file:
        file.write("x\n")
    reader.join(timeout=10)
    assert received == ["x\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_descriptors_that_cannot_be_written() -> None:
    for name in ("/dev/fd/987654", "/dev/fd/98765432109876"):
        with pytest.raises(InputError, match=f"{name} cannot be written"), atomic_write(name):
            pass
    descriptor = os.open(os.devnull, os.O_RDONLY)
    try:
        with pytest.raises(InputError, match="cannot be written"), atomic_write(f"/dev/fd/{descriptor}") as file:
            file.write("x")
    finally:
        os.close(descriptor)


def test_closed_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match="standard output is closed"), atomic_write("-"):
        pass


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with atomic_write("-") as text:
        text.write("é\n")
    with atomic_write("-", binary=True) as binary:
        binary.write(b"\xff\n")
    print("still open", flush=True)
    assert capfdbinary.readouterr().out.replace(b"\r", b"") == b"\xc3\xa9\n\xff\nstill open\n"


@pytest.mark.parametrize("name", ["out", "-"])
def test_lone_surrogates(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with atomic_write(name) as file:
        file.write("é n\udcff\n")
    written = capfdbinary.readouterr().out if name == "-" else Path(name).read_bytes()
    assert written.replace(b"\r", b"") == b"\xc3\xa9 n\\udcff\n"
    refused = pytest.raises(InputError, match=r"UTF-8 does not allow the lone surrogate '\\udcff'")
    with refused, atomic_write(name, exact=True) as file:
        file.write("n\udcff\n")
    assert name == "-" or Path(name).read_bytes() == written


def test_standard_output_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    class TextOnly:
        def __init__(self) -> None:
            self.text = ""

        def write(self, text: str) -> None:
            self.text += text

    output = TextOnly()
    monkeypatch.setattr(sys, "stdout", output)
    with atomic_write("-") as file:
        file.write("x")
    assert output.text == "x"
    with pytest.raises(InputError, match="not accept binary data"), atomic_write("-", binary=True):
        pass


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*absent; create it first"):
        atomic_write(tmp_path / "absent" / "x").__enter__()
    with pytest.raises(InputError, match="is a folder; give a file name"):
        atomic_write(tmp_path).__enter__()
    with pytest.raises(InputError, match="is not a file name"):
        atomic_write("a\0b").__enter__()
    with pytest.raises(InputError, match="an empty file name"):
        atomic_write("").__enter__()
    with pytest.raises(InputError, match="cannot be written"), atomic_write(tmp_path / ("x" * 300)):
        pass
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        atomic_write(tmp_path / "file" / "x").__enter__()


def test_folder_appears_whole(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "new") as root:
        (root / "x").write_text("1")
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new" / "x").read_text() == "1"
    assert [p.name for p in tmp_path.iterdir()] == ["new"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with atomic_folder(tmp_path / "new") as root:
        (root / "x").write_text("1")
    assert (tmp_path / "new" / "x").exists()


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_folder(tmp_path / "new") as root:
            (root / "x").write_text("1")
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_errors_of_files_in_a_folder_have_its_name(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_folder(tmp_path / "new") as root, atomic_write(root / "no" / "x"):
            pass

    with pytest.raises(InputError, match=f"{tmp_path}/new/no/x cannot be written"):
        fail()


def test_folders_in_use_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="exists and is not empty"), atomic_folder(tmp_path):
        pass
    with pytest.raises(InputError, match="is a file"), atomic_folder(tmp_path / "file"):
        pass
    with pytest.raises(InputError, match="there is no folder"), atomic_folder(tmp_path / "a" / "b"):
        pass
