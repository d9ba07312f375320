"""Where models are found, with a stand-in for huggingface_hub."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.metrics.neural.models import ModelFiles, find_model

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class NoConnectionError(OSError):
    """As of requests."""


class Hub(ModuleType):
    """Knows one model; notes what it is asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__("huggingface_hub")
        self.folder, self.asked = folder, list[Any]()
        self.here: str | None = None
        self.failure: Exception | None = None
        self.HfApi = lambda: self
        self.files = ["config.json", "model.safetensors", "pytorch_model.bin"]

    def try_to_load_from_cache(self, name: str, file: str, revision: str | None = None) -> str | None:
        if self.here is None or (revision or "main") not in {"main", self.here}:
            return None
        return str(self.folder / "snapshots" / self.here / file)

    def model_info(self, name: str, revision: str | None = None) -> Any:
        self.asked.append(("info", name, revision))
        if self.failure:
            raise self.failure
        return SimpleNamespace(sha=COMMIT)

    def list_repo_files(self, name: str, revision: str) -> list[str]:
        if self.failure:
            raise self.failure
        return self.files

    def snapshot_download(self, name: str, revision: str, ignore_patterns: list[str]) -> str:
        self.asked.append(("download", name, revision, tuple(ignore_patterns)))
        if self.failure:
            raise self.failure
        return str(self.folder)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(tmp_path / "hub")
    monkeypatch.setitem(sys.modules, "huggingface_hub", made)
    return made


def find(name: str, *, revision: str | None = None, **options: Any) -> ModelFiles:
    return find_model(name, revision=revision, extra="comet", **{"needed": ("config.json",), **options})


def folder(path: Path, **files: str) -> Path:
    for name, content in {"config": "{}", **files}.items():
        file = path / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return path


def test_folders_are_known_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = folder(tmp_path / "one", a="x"), folder(tmp_path / "other", a="x")
    (other / ".cache").write_text("hidden files do not count")
    found = find(str(one))
    assert found.path == one
    assert found.version == find(str(other)).version
    assert (found.shown, found.shown_version) == ("one", f"sha256-{found.version[7:19]}")
    assert found.on_this_machine("comet") == one
    assert find(str(folder(tmp_path / "third", a="y"))).version != found.version
    assert find(str(folder(tmp_path / "fourth", b="x"))).version != found.version
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find("~/one").version == found.version


def test_digests_are_remembered_by_size_and_time(tmp_path: Path) -> None:
    made = folder(tmp_path / "one", a="x")
    before = find(str(made)).version
    times = (made / "a.json").stat()
    (made / "a.json").write_text("y")
    assert find(str(made)).version != before
    (made / "a.json").write_text("z")
    os.utime(made / "a.json", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert find(str(made)).version == before  # as make and git would say


def test_a_file_and_those_beside_it(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoints" / "any.ckpt"
    checkpoint.parent.mkdir()
    checkpoint.write_text("weights")
    with pytest.raises(InputError, match=r"the model cannot be read: .*hparams.yaml: No such file or directory"):
        find(str(checkpoint), beside=("../hparams.yaml",))
    (tmp_path / "hparams.yaml").write_text("a: 1")
    first = find(str(checkpoint), beside=("../hparams.yaml",))
    assert first.path == checkpoint
    (tmp_path / "hparams.yaml").write_text("a: 22")
    assert find(str(checkpoint), beside=("../hparams.yaml",)).version != first.version


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path} is not a model for this metric: it has no file config.json$"):
        find(str(tmp_path))
    for name in ("a/b/c", "/no/such", "./x", "x.ckpt", "../x", "a b", "\x00", "x" * 5000 + "/é"):
        with pytest.raises(InputError, match=r"it is neither here nor a name on the Hugging Face hub$"):
            find(name)
    with pytest.raises(InputError, match="the name of the model is empty"):
        find("")
    with pytest.raises(InputError, match=r"revision=main is for models on the Hugging Face hub, but .* this machine"):
        find(str(folder(tmp_path / "one")), revision="main")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    made = folder(tmp_path / "one", a="x")
    (made / "a.json").chmod(0)
    with pytest.raises(InputError, match=r"the model cannot be read: .*a.json: Permission denied"):
        find(str(made))


def test_a_model_of_the_hub_that_is_here(hub: Hub) -> None:
    hub.here = "feedbeef"
    found = find("Unbabel/wmt22-comet-da", needed=("checkpoints/model.ckpt", "hparams.yaml"))
    assert found == ModelFiles("Unbabel/wmt22-comet-da", "feedbeef", None)
    assert (found.shown, found.shown_version) == ("Unbabel/wmt22-comet-da", "feedbeef")
    assert hub.asked == []


def test_a_model_of_the_hub_that_is_not_here(hub: Hub) -> None:
    found = find("roberta-large", revision="v1")
    assert found == ModelFiles("roberta-large", COMMIT, None)
    assert found.shown_version == COMMIT[:12]
    assert find("roberta-large", revision="v1") == found  # asked once
    assert hub.asked == [("info", "roberta-large", "v1")]


def test_downloads(hub: Hub) -> None:
    found = ModelFiles("a/b", COMMIT, None)
    assert found.on_this_machine("comet") == hub.folder
    *what, ignored = hub.asked[-1]
    assert what == ["download", "a/b", COMMIT]
    assert {"*.h5", "*.bin"} <= set(ignored)
    assert "*.safetensors" not in ignored
    hub.files.remove("model.safetensors")
    found.on_this_machine("comet")
    assert "*.bin" not in hub.asked[-1][-1]
    found.on_this_machine("comet", weights=False)
    assert {"*.bin", "*.safetensors"} <= set(hub.asked[-1][-1])


def test_a_hub_that_does_not_answer(hub: Hub) -> None:
    hub.failure = NoConnectionError("(MaxRetryError: …")
    with pytest.raises(MtassayError) as raised:
        find("a/b")
    assert str(raised.value) == (
        "the model a/b is not on this machine, and the Hugging Face hub does not give it: no connection"
    )
    hub.failure = ValueError("404 Client Error.\n\nRepository Not Found")
    with pytest.raises(MtassayError, match=r"the model a/c at revision x is not .*: ValueError: 404 Client Error\.$"):
        find("a/c", revision="x")
    with pytest.raises(MtassayError, match=r"^the model a/b cannot be downloaded: ValueError: 404 Client Error\.$"):
        ModelFiles("a/b", COMMIT, None).on_this_machine("comet")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[comet\]'$"):
        find("a/b")
