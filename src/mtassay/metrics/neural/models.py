"""Location and version of the model of a neural metric.

A model is a folder or file on this machine, identified by the SHA-256 of its files, or a name on the Hugging Face hub,
identified by its commit. If a model was downloaded before, its name means the commit that is on this machine, so that
no network is needed and scores stay the same until it is downloaded again; ``revision=`` chooses another commit.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.io.cache import cache_folder
from mtassay.io.inputs import open_input
from mtassay.io.store import Store, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

#: ``name`` or ``owner/name`` on the hub.
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
#: Weights for programs other than PyTorch.
_OTHER_WEIGHTS = ("*.h5", "*.msgpack", "*.ot", "*.onnx", "onnx/*", "*.tflite", "*.mlmodel", "openvino/*")
#: Weights for PyTorch, which are not downloaded if only the tokenizer is needed.
_WEIGHTS = ("*.bin", "*.safetensors", "*.ckpt", "*.pt")
#: Digests of files that this process has read, in case they cannot be kept on disk.
_digests: dict[bytes, bytes] = {}
#: Digits of a commit or of a SHA-256 in signatures.
_SHOWN_DIGITS = 12


@dataclass(frozen=True)
class ModelFiles:
    """A model and its version.

    Attributes:
        name: the name as the user wrote it.
        version: the commit, or ``sha256-`` and the digest of its files.
        path: the folder or file; None if the model is on the hub.
    """

    name: str
    version: str
    path: Path | None

    @property
    def shown(self) -> str:
        """The name without folders, which differ between machines."""
        return self.name if self.path is None else self.path.name or str(self.path)

    @property
    def shown_version(self) -> str:
        """The first digits of the version."""
        prefix = "sha256-" if self.path is not None else ""
        return prefix + self.version.removeprefix("sha256-")[:_SHOWN_DIGITS]

    def on_this_machine(self, extra: str, *, weights: bool = True) -> Path:
        """The folder or file; files that are missing are downloaded, those of weights only if `weights` is true."""
        if self.path is not None:
            return self.path
        hub = _hub(extra)
        ignored = [*_OTHER_WEIGHTS, *(() if weights else _WEIGHTS)]
        try:
            files = hub.list_repo_files(self.name, revision=self.version)
        except Exception:
            files = []  # offline: use the files that were downloaded before
        if any(name.endswith(".safetensors") for name in files):
            ignored.append("*.bin")
        try:
            return Path(hub.snapshot_download(self.name, revision=self.version, ignore_patterns=ignored))
        except Exception as error:
            raise MtassayError(f"the model {self.name} cannot be downloaded: {reason(error)}") from error


def find_model(
    name: str, *, revision: str | None, extra: str, needed: Sequence[str], beside: Sequence[str] = ()
) -> ModelFiles:
    """Find a model.

    Args:
        name: a folder, a file, or a name on the hub.
        revision: branch, tag or commit on the hub.
        extra: the extra that installs the library, for messages.
        needed: files that a folder must have; the first one shows whether a model of the hub was downloaded.
        beside: if the model is a file, further files that belong to it, relative to its folder.
    """
    if not name:
        raise InputError("the name of the model is empty: give model=NAME, a folder, or a name on the Hugging Face hub")
    path = Path(os.path.expanduser(name))  # noqa: PTH111  (Path.expanduser fails on odd names)
    try:
        is_here = path.exists()
    except (OSError, ValueError):  # a null byte, a very long name
        is_here = False
    if is_here:
        if revision is not None:
            raise InputError(
                f"revision={revision} is for models on the Hugging Face hub, but {name} is on this machine"
            )
        return ModelFiles(name, f"sha256-{_digest(path, needed, beside)}", path)
    if not _HUB_NAME.fullmatch(name) or name.endswith(".ckpt"):
        raise InputError(f"there is no model {name}: it is neither here nor a name on the Hugging Face hub")
    return ModelFiles(name, _commit(name, revision, needed[0], extra), None)


def reason(error: BaseException) -> str:
    """The first line of the message of an exception, after its class."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__


@lru_cache
def _commit(name: str, revision: str | None, marker: str, extra: str) -> str:
    """The commit of a name on the hub: the one on this machine, or else the current one on the hub."""
    hub = _hub(extra)
    try:
        found = hub.try_to_load_from_cache(name, marker, revision=revision)
        if isinstance(found, str):
            # models--OWNER--NAME/snapshots/COMMIT/FILE
            return Path(found).parents[marker.count("/")].name
        return str(hub.HfApi().model_info(name, revision=revision).sha)
    except Exception as error:
        at = f" at revision {revision}" if revision else ""
        why = "no connection" if "connect" in type(error).__name__.lower() else reason(error)
        raise MtassayError(
            f"the model {name}{at} is not on this machine, and the Hugging Face hub does not give it: {why}"
        ) from error


def _hub(extra: str) -> Any:
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise MissingExtraError(f"the metric {extra}", extra) from error


def _digest(path: Path, needed: Sequence[str], beside: Sequence[str]) -> str:
    """SHA-256 of the digests of the model's files, and of their names if it is a folder."""
    if path.is_dir():
        lacking = next((name for name in needed if not (path / name).is_file()), None)
        if lacking:
            raise InputError(f"{path} is not a model for this metric: it has no file {lacking}")
        inside = {file.name for file in path.iterdir() if file.is_file() and not file.name.startswith(".")}
        files = {name: path / name for name in inside | set(needed)}
    else:
        files = {"": path} | {name: path.parent / name for name in beside}
    whole = sha256()
    for name, file in sorted(files.items()):
        whole.update(name.encode("utf-8", "surrogateescape") + b"\0" + _file_digest(file))
    return whole.hexdigest()


def _file_digest(file: Path) -> bytes:
    """SHA-256 of a file; remembered by size and time, since weights are gigabytes."""
    known = Store(cache_folder() / "scores" / "model-digests.db", content="digests")
    try:
        with open_input(file) as opened:
            state = os.fstat(opened.fileno())
            key = digest(repr((str(file.resolve()), state.st_size, state.st_mtime_ns)))
            found = _digests.get(key) or known.read([key]).get(key, b"")
            if len(found) != sha256().digest_size:
                found = file_digest(opened, "sha256").digest()  # type: ignore[arg-type]
                known.write({key: found})
            _digests[key] = found
    except OSError as error:
        raise InputError(f"the model cannot be read: {file}: {error.strerror or error}") from error
    return found
