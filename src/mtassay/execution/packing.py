"""Results of chunks as bytes (JSON and arrays, never pickles), and fingerprints of the inputs of chunks."""

from __future__ import annotations

import dataclasses
import json
import pickle
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np

#: Plain values of JSON.
_PLAIN = (str, int, float, bool, type(None))
_PACKAGE = "mtassay."


def fingerprint(*values: Any) -> str:
    """The SHA-256 of values; equal values have equal fingerprints under the same versions of Python and NumPy.

    Values must not contain sets, whose order differs between processes.

    >>> fingerprint("ab", [1, 2]) == fingerprint("a" + "b", [1, 2]) != fingerprint("ab", [2, 1])
    True
    """
    digest = sha256()
    pickler = pickle.Pickler(_Writer(digest), protocol=5)
    pickler.fast = True  # otherwise, one object that occurs twice is pickled differently from two equal objects
    pickler.dump(values)
    return digest.hexdigest()


class _Writer:
    """A file that only updates a digest with what is written."""

    def __init__(self, digest: Any) -> None:
        self.write = digest.update


def pack(result: Any) -> bytes:
    """Convert texts, numbers, arrays, tuples, lists, dicts, and dataclasses of this package with these, to bytes.

    >>> unpack(pack((1, "a", {"x": None}))), unpack(pack([np.arange(3)]))
    ((1, 'a', {'x': None}), [array([0, 1, 2])])
    """
    arrays: list[Any] = []
    tree = json.dumps(_to_tree(result, arrays))
    file = BytesIO()
    named = {f"a{number}": array for number, array in enumerate(arrays)}
    np.savez(file, allow_pickle=False, tree=np.frombuffer(tree.encode("utf-8", "surrogatepass"), np.uint8), **named)
    return file.getvalue()


def unpack(data: bytes) -> Any:
    """Restore the result of ``pack``."""
    with np.load(BytesIO(data), allow_pickle=False) as file:
        tree = json.loads(file["tree"].tobytes().decode("utf-8", "surrogatepass"))
        return _from_tree(tree, file)


def _to_tree(value: Any, arrays: list[Any]) -> Any:
    """Values as JSON; everything except plain values and lists becomes an object with its type."""
    if type(value) in _PLAIN:
        return value
    if type(value) is list:
        return [_to_tree(part, arrays) for part in value]
    if type(value) is tuple:
        return {"tuple": [_to_tree(part, arrays) for part in value]}
    if type(value) in {set, frozenset}:
        return {type(value).__name__: [_to_tree(part, arrays) for part in sorted(value)]}
    if type(value) is dict:
        return {"dict": [[_to_tree(part, arrays) for part in pair] for pair in value.items()]}
    if isinstance(value, np.ndarray) or (isinstance(value, np.generic) and not isinstance(value, (str, bytes))):
        arrays.append(value)
        return {"array" if isinstance(value, np.ndarray) else "number": len(arrays) - 1}
    kind = type(value)
    if not kind.__module__.startswith(_PACKAGE):
        raise TypeError(f"a result of the type {kind.__name__} cannot be packed")
    name = f"{kind.__module__}:{kind.__qualname__}"
    if dataclasses.is_dataclass(value):
        fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.init}
    else:  # a named tuple
        fields = value._asdict()
    return {"of": name, "fields": {key: _to_tree(part, arrays) for key, part in fields.items()}}


def _from_tree(tree: Any, arrays: Any) -> Any:
    if isinstance(tree, list):
        return [_from_tree(part, arrays) for part in tree]
    if not isinstance(tree, dict):
        return tree
    if "of" in tree:
        kind = _known_class(tree["of"])
        return kind(**{key: _from_tree(part, arrays) for key, part in tree["fields"].items()})
    [(kind, value)] = tree.items()
    if kind in {"array", "number"}:
        array = arrays[f"a{value}"]
        return array if kind == "array" else array[()]
    parts = _from_tree(value, arrays)
    return {"tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}[kind](parts)


def _known_class(name: str) -> Any:
    """The dataclass or named tuple of this package with this name; no other callable is allowed."""
    module, _, attribute = name.partition(":")
    if not module.startswith(_PACKAGE):
        raise ValueError(f"{name} is not of this package")
    kind = getattr(import_module(module), attribute)
    if not (isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"))):
        raise ValueError(f"{name} is not a record")
    return kind
