"""Model files: arrays and a description, without pickle; a model is loaded only if it scores as it did when saved.

A file is a ZIP archive of arrays in NumPy's format and of ``mtassay.json``: the kind of model and its parameters, the
features, the training data, the versions of the programs, and the SHA-256 of all arrays together with these facts. This
checksum finds damage and changes. A file contains no code: only arrays of numbers are made from it, and these are
checked (``model_check``) before they are used. Among them are some training examples, the probes, with the scores that
scikit-learn gave them: a model is loaded, whatever versions are installed, if it gives the probes the same scores.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay import __version__
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.io.inputs import read_bytes, shown
from mtassay.learn.comparisons import n_columns
from mtassay.learn.features import is_feature
from mtassay.learn.model_check import DamagedError, check_model
from mtassay.learn.models import MODELS, Fitted

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike
    from mtassay.types import Array

SCHEMA = "mtassay.model/2"
_ABOUT, _ARRAY = "mtassay.json", ".npy"
#: Arrays that every model has, whatever its kind.
_COMMON = ("mean", "scale", "probes", "probe_scores")
_LARGEST = 1 << 30
_LARGEST_NUMBER = 1e300
_DIGITS = 8
#: Bytes of a ZIP archive for each member in addition to its content and twice its name, and bytes at the end.
_AROUND, _END = 30 + 46, 22


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {"version": __version__, "scikit-learn": version("scikit-learn")}
    except PackageNotFoundError:
        return {"version": __version__, "scikit-learn": ""}


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A trained model with its description.

    Attributes:
        fitted: the model.
        features: names of its features, in order.
        trained_on: facts about the training data: ``name``, ``sha256``, ``systems``, ``segments``, ``examples``,
            ``normalise``, ``n_references``, ``resources`` (index and annotator) and options of training.
        digest: the SHA-256 of the file's content in hexadecimal; '' before it is saved.
        versions: versions of mtassay (``version``) and ``scikit-learn`` when it was trained.
    """

    fitted: Fitted
    features: tuple[str, ...]
    trained_on: dict[str, Any]
    digest: str = ""
    versions: dict[str, str] = field(default_factory=_versions)

    @property
    def signature(self) -> str:
        """What makes the model reproducible, in the form of a metric's signature."""
        parameters = ",".join(f"{name}={value:g}" for name, value in self.fitted.parameters.items())
        return (
            f"model:{self.fitted.kind.name}|parameters:{parameters}|features:{len(self.features)}"
            f"|refs:{self.trained_on['n_references']}|data:{self.trained_on['sha256'][:_DIGITS]}"
            + "".join(f"|{name}:{value}" for name, value in self.trained_on.get("resources", {}).items())
            + f"|sklearn:{self.versions['scikit-learn']}|mtassay:{self.versions['version']}"
        )

    def about(self) -> dict[str, Any]:
        """The description in the file, without its checksum."""
        return {
            "schema": SCHEMA,
            **self.versions,
            "kind": self.fitted.kind.name,
            "parameters": self.fitted.parameters,
            "features": list(self.features),
            "offset": self.fitted.offset,
            "spread": self.fitted.spread,
            "trained_on": self.trained_on,
            "signature": self.signature,
        }

    def save(self, path: PathLike) -> str:
        """Write the model to a file atomically; returns the SHA-256 of its content."""
        arrays = {name: getattr(self.fitted, name) for name in _COMMON} | self.fitted.arrays
        members = {f"{name}{_ARRAY}": _packed(array) for name, array in arrays.items()}
        about = self.about()
        about["sha256"] = _sum(members, about)
        members[_ABOUT] = json.dumps(about, indent=1, ensure_ascii=False).encode()
        result = BytesIO()
        with zipfile.ZipFile(result, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        with atomic_write(path, binary=True) as file:
            file.write(result.getvalue())
        return str(about["sha256"])


def load_model(path: PathLike) -> LearnedModel:
    """Read a model from a file; an error if it is damaged, changed or unknown."""
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = _members(archive, shown(path), len(data))
    except InputError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
        struct.error,
        ValueError,
    ):
        raise _refused(path, "it is not a model file, or is cut short") from None
    about = _checked(members, path)
    try:
        arrays = {name.removesuffix(_ARRAY): _unpacked(content) for name, content in members.items()}
        fitted = Fitted(
            kind=MODELS[about["kind"]],
            parameters=about["parameters"],
            offset=float(about["offset"]),
            spread=float(about["spread"]),
            **{name: arrays.pop(name) for name in _COMMON},
            arrays=arrays,
        )
        check_model(fitted, n_columns(fitted.kind, about["features"]))
    except DamagedError as error:
        raise _refused(path, f"it is damaged: {error}") from None
    except Exception as error:
        raise _refused(path, f"its content has another form ({type(error).__name__})") from error
    versions = {name: about[name] for name in _versions()}
    return LearnedModel(fitted, tuple(about["features"]), about["trained_on"], about["sha256"], versions)


def _packed(array: Array) -> bytes:
    file = BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def _unpacked(content: bytes) -> Array:
    """An array from the bytes of a member; a wrong size in its header allocates no memory."""
    file = BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise DamagedError("an array has another format")
    shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file)
    if in_columns or dtype not in (np.float64, np.int64):
        raise DamagedError("an array is of another type")
    return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape)


def _members(archive: zipfile.ZipFile, name: str, size: int) -> dict[str, bytes]:
    """Names and contents of the members; an error if the file has anything else."""
    members = archive.infolist()
    names = {member.filename for member in members}
    if size != _END + sum(_AROUND + 2 * len(member.filename) + member.compress_size for member in members):
        raise _refused(name, "its size is not that of its members")
    if len(names) < len(members) or sum(member.file_size for member in members) > _LARGEST:
        raise _refused(name, "its members are not those of a model")
    if _ABOUT not in names:
        raise _refused(name, "it is not a model of mtassay learn train")
    if not all(member == _ABOUT or member.endswith(_ARRAY) for member in names):
        raise _refused(name, "its members are not those of a model")
    return {member: archive.read(member) for member in names}


def _checked(members: dict[str, bytes], path: PathLike) -> dict[str, Any]:
    """Remove the description from the members and return it; an error unless format, checksum and facts are right."""
    try:
        about = json.loads(members.pop(_ABOUT))
        claimed, schema = about.pop("sha256"), about["schema"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise _refused(path, "its description cannot be read") from None
    if schema != SCHEMA:
        raise _refused(path, f"its format is {shortened(schema)}, but this program knows only '{SCHEMA}'")
    if claimed != _sum(members, about):
        raise _refused(path, "its content is not what was saved: it was changed or damaged")
    if not _is_known(about):
        raise _refused(path, "this program does not know its form, kind of model or features")
    return {**about, "sha256": claimed}


def _is_known(about: dict[str, Any]) -> bool:
    """Whether a description has everything that a model needs, in the form in which it is saved."""
    kind, features, facts = (about.get(name) for name in ("kind", "features", "trained_on"))
    if not isinstance(kind, str) or kind not in MODELS:
        return False
    if not isinstance(features, list) or not features or not all(isinstance(name, str) for name in features):
        return False
    if len(set(features)) < len(features) or not all(map(is_feature, features)):
        return False
    if not isinstance(facts, dict) or not isinstance(facts.get("name"), str):
        return False
    if not re.fullmatch("[0-9a-f]{64}", str(facts.get("sha256"))):
        return False
    parameters = about.get("parameters")
    if not isinstance(parameters, dict) or not parameters:
        return False
    resources = facts.get("resources", {})
    if not isinstance(resources, dict) or not all(map(_is_word, (*resources, *resources.values()))):
        return False
    n_references = facts.get("n_references")
    if type(n_references) is not int or n_references < 0 or not _is_word(facts.get("language", "")):
        return False
    if not all(_is_word(about.get(name)) for name in ("version", "scikit-learn")):
        return False
    numbers = (about.get("offset"), about.get("spread"), *parameters.values())
    return all(map(_is_number, numbers)) and about["spread"] > 0


def _is_word(value: Any) -> bool:
    """Whether a value can be part of a signature."""
    return isinstance(value, str) and value.isprintable() and "|" not in value


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and abs(value) < _LARGEST_NUMBER


def _sum(arrays: dict[str, bytes], about: dict[str, Any]) -> str:
    """SHA-256 of all arrays, and of the description without the checksum."""
    total = sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(arrays):
        total.update(json.dumps([name, sha256(arrays[name]).hexdigest()]).encode())
    return total.hexdigest()


def _refused(path: PathLike, why: str) -> InputError:
    return InputError(f"{shown(path)} is not loaded: {why}; train it again (mtassay learn train)")
