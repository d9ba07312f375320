"""Model files: written by skops, without pickle, and refused unless every byte and every type is what it should be.

A file is skops's ZIP archive with one more member, ``mtassay.json``: the version of the toolkit and of scikit-learn,
the kind of model and its parameters, the features, what it was trained on, and the SHA-256 of all other members
together with these facts. A file is loaded only if that sum is right, the versions are those at hand, and its types are
among those that models of this toolkit consist of. The sum finds damage and changes by chance or by hand; against a
file that was made to do harm stands the list of types: nothing but arrays, numbers and scikit-learn's estimators is
ever made from a file, and none of its code is run, for it has none. What is made is checked (``model_check``) before it
is used.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay._version import __version__
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.io.inputs import read_bytes, shown
from mtassay.learn.comparisons import n_columns
from mtassay.learn.features import is_feature
from mtassay.learn.model_check import DamagedError, check_model
from mtassay.learn.models import KINDS, Fitted, require_packages

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

SCHEMA = "mtassay.model/1"
_ABOUT, _CONTENT = "mtassay.json", "schema.json"
_LARGEST = 1 << 30
_LARGEST_NUMBER = 1e300
_DIGITS = 8
#: Bytes that a ZIP archive has for each member beside its content and twice its name, and at its end.
_AROUND, _END = 30 + 46, 22
#: Types that models consist of, as skops names them.
_PLAIN = {
    "builtins.dict", "builtins.list", "builtins.str", "builtins.tuple",
    "numpy.ndarray", "numpy.float64", "numpy.float32", "numpy.int64", "numpy.int32", "numpy.uint64", "numpy.uint32",
    "numpy.bool_", "numpy.bool", "numpy.dtype",
}  # fmt: skip
#: How skops makes values of these types; the others call functions or build types.
_LOADERS = {
    "DictNode", "ListNode", "TupleNode", "JsonNode", "TypeNode", "NdArrayNode", "DTypeNode", "ObjectNode", "LossNode",
    "RandomGeneratorNode",
}  # fmt: skip
_OF_KIND = {
    "svr": {"sklearn.svm._classes.SVR"},
    "svm": {"sklearn.svm._classes.SVC"},
    "ridge": {"sklearn.linear_model._ridge.Ridge"},
    "logistic": {"sklearn.linear_model._logistic.LogisticRegression"},
    "pairwise": {"sklearn.linear_model._logistic.LogisticRegression"},
    "trees": {
        "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingRegressor",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn._loss.loss.HalfSquaredError",
        "sklearn._loss._loss.CyHalfSquaredError",
        "sklearn._loss.link.IdentityLink",
        "sklearn._loss.link.Interval",
        "numpy.random._generator.Generator",
    },
}


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A trained model and what is known about it.

    Attributes:
        fitted: the model.
        features: names of its features, in order.
        trained_on: facts about the training data: ``name``, ``sha256``, ``systems``, ``segments``, ``examples``,
            ``normalise``, ``n_references``, ``resources`` (index and annotator) and what else training noted.
        digest: the SHA-256 of the file's content in hexadecimal; '' before it is saved.
    """

    fitted: Fitted
    features: tuple[str, ...]
    trained_on: dict[str, Any]
    digest: str = ""

    @property
    def signature(self) -> str:
        """What makes the model reproducible, in the form of a metric's signature."""
        parameters = ",".join(f"{name}={value:g}" for name, value in self.fitted.parameters.items())
        return (
            f"model:{self.fitted.kind.name}|parameters:{parameters}|features:{len(self.features)}"
            f"|refs:{self.trained_on['n_references']}|data:{self.trained_on['sha256'][:_DIGITS]}"
            + "".join(f"|{name}:{value}" for name, value in self.trained_on.get("resources", {}).items())
            + f"|sklearn:{_sklearn_version()}|mtassay:{__version__}"
        )

    def about(self) -> dict[str, Any]:
        """What the file says about itself, but for its sum."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "scikit-learn": _sklearn_version(),
            "kind": self.fitted.kind.name,
            "parameters": self.fitted.parameters,
            "features": list(self.features),
            "offset": self.fitted.offset,
            "spread": self.fitted.spread,
            "trained_on": self.trained_on,
            "signature": self.signature,
        }

    def save(self, path: PathLike) -> str:
        """Write the model to a file, whole or not at all; returns the SHA-256 of its content."""
        require_packages()
        import skops.io

        content = {"estimator": self.fitted.estimator, "mean": self.fitted.mean, "scale": self.fitted.scale}
        packed = _same_names(skops.io.dumps(content))
        about = self.about()
        with zipfile.ZipFile(packed) as archive:
            about["sha256"] = _sum(archive, about)
        with zipfile.ZipFile(packed, "a") as archive:
            archive.writestr(zipfile.ZipInfo(_ABOUT), json.dumps(about, indent=1, ensure_ascii=False))
        with atomic_write(path, binary=True) as file:
            file.write(packed.getvalue())
        return str(about["sha256"])


def load_model(path: PathLike) -> LearnedModel:
    """Read a model from a file, or say why it is refused."""
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            about = _checked(archive, shown(path), len(data))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, struct.error):
        raise _refused(path, "it is no model file, or is cut short") from None
    require_packages()
    import skops.io

    try:
        # skops looks at types in its own way, too, and refuses those that are not on the list.
        content = skops.io.loads(data, trusted=sorted(_PLAIN | _OF_KIND[about["kind"]]))
        fitted = Fitted(
            KINDS[about["kind"]],
            about["parameters"],
            content["mean"],
            content["scale"],
            float(about["offset"]),
            float(about["spread"]),
            content["estimator"],
        )
        check_model(fitted, n_columns(fitted.kind, about["features"]))
        scores_numbers = bool(np.isfinite(fitted.scores(fitted.mean)))
    except DamagedError as error:
        raise _refused(path, f"it is damaged: {error}") from None
    except Exception as error:
        raise _refused(path, f"its content has another form ({type(error).__name__})") from error
    if not scores_numbers:
        raise _refused(path, "its scores are not numbers")
    return LearnedModel(fitted, tuple(about["features"]), about["trained_on"], about["sha256"])


def _same_names(packed: bytes) -> BytesIO:
    """The archive with members and objects numbered in order: skops calls them by where they lay in memory."""
    numbers: dict[Any, int] = {}

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(part) for part in value]
        if not isinstance(value, dict):
            return value
        named = {key: renamed(part) for key, part in value.items()}
        if "__id__" in named:
            named["__id__"] = numbers.setdefault(named["__id__"], len(numbers))
        if isinstance(named.get("file"), str):
            stem, dot, ending = named["file"].partition(".")
            named["file"] = f"{numbers.setdefault(stem, len(numbers))}{dot}{ending}"
            files[f"{stem}{dot}{ending}"] = named["file"]
        return named

    files: dict[str, str] = {}
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(packed)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        content = json.dumps(renamed(json.loads(old.read(_CONTENT))))
        for name in old.namelist():
            member = zipfile.ZipInfo(files.get(name, name))
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, content if name == _CONTENT else old.read(name))
    return result


def _checked(archive: zipfile.ZipFile, name: str, size: int) -> dict[str, Any]:
    """What a file says about itself; refuse it unless sum, versions, types and members are right."""
    members = archive.infolist()
    names = [member.filename for member in members]
    if size != _END + sum(_AROUND + 2 * len(member.filename) + member.compress_size for member in members):
        raise _refused(name, "it has more than the members of a model, or less")
    if len(set(names)) < len(names) or sum(member.file_size for member in members) > _LARGEST:
        raise _refused(name, "its members are not those of a model")
    if _ABOUT not in names or _CONTENT not in names:
        raise _refused(name, "it is no model of mtassay learn train")
    try:
        about = json.loads(archive.read(_ABOUT))
        content = json.loads(archive.read(_CONTENT))
        claimed = about.pop("sha256")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise _refused(name, "what it says about itself cannot be read") from None
    if claimed != _sum(archive, about):
        raise _refused(name, "its content is not what was saved: it was changed or damaged")
    for what, here in (("version", __version__), ("scikit-learn", _sklearn_version())):
        if about.get(what) != here:
            program = "mtassay" if what == "version" else what
            raise _refused(name, f"it was made with {program} {about.get(what)}, and this is {here}")
    if not _is_known(about):
        raise _refused(name, "it has another form, model or features than this program knows")
    types, files = _types(content)
    if unknown := sorted(types - _PLAIN - _OF_KIND[about["kind"]]):
        raise _refused(name, f"it has a type that models do not consist of: {unknown[0]}")
    if set(names) != files | {_ABOUT, _CONTENT}:
        raise _refused(name, "its members are not those of a model")
    return {**about, "sha256": claimed}


def _is_known(about: dict[str, Any]) -> bool:
    """Whether a description has all that a model needs, in the form in which it is saved."""
    kind, features, facts = (about.get(name) for name in ("kind", "features", "trained_on"))
    if about.get("schema") != SCHEMA or not isinstance(kind, str) or kind not in KINDS:
        return False
    if not isinstance(features, list) or not features or not all(isinstance(name, str) for name in features):
        return False
    if len(set(features)) < len(features) or not all(map(is_feature, features)):
        return False
    if not isinstance(facts, dict) or not all(isinstance(facts.get(name), str) for name in ("name", "sha256")):
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
    numbers = (about.get("offset"), about.get("spread"), *parameters.values())
    return all(map(_is_number, numbers)) and about["spread"] > 0


def _is_word(value: Any) -> bool:
    """Whether a value can stand in a signature."""
    return isinstance(value, str) and value.isprintable() and "|" not in value


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and abs(value) < _LARGEST_NUMBER


def _sum(archive: zipfile.ZipFile, about: dict[str, Any]) -> str:
    """SHA-256 of all members but the description, and of the description without the sum."""
    total = sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(set(archive.namelist()) - {_ABOUT}):
        total.update(json.dumps([name, sha256(archive.read(name)).hexdigest()]).encode())
    return total.hexdigest()


def _types(content: Any) -> tuple[set[str], set[str]]:
    """All types that skops would make from a file, and how, where that is not as usual; members that it would read."""
    found: set[str] = set()
    files: set[str] = set()
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if value.keys() & {"__class__", "__module__", "__loader__"}:
                found.add(f"{value.get('__module__')}.{value.get('__class__')}")
                if str(value.get("__loader__")) not in _LOADERS:
                    found.add(f"{value.get('__module__')}.{value.get('__class__')} by {value.get('__loader__')}")
            if isinstance(file := value.get("file"), str):
                files.add(file)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found, files


def _refused(path: PathLike, why: str) -> InputError:
    return InputError(f"{shown(path)} is not loaded: {why}; train it again (mtassay learn train)")


def _sklearn_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("scikit-learn")
    except PackageNotFoundError:
        require_packages()
        raise
