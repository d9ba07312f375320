"""Weights of features by name: Moses' ``moses.ini``, lists of names and numbers, and mert's bare numbers.

- ``moses.ini``: the section ``[weight]`` (``TM0= 0.2 0.3`` are the weights of ``TM0_0`` and ``TM0_1``), or the sections
  ``[weight-l]``, ``[weight-t]`` … of older versions, one number per line, whose features are ``lm_0``, ``tm_0`` …
- ``name value``, ``name= value`` or ``name=value``, one per line, as Joshua, cdec and Moses' kbmira write them.
- JSON: an object of numbers by name, or one with such an object under ``weights``, as ``mtassay tune -f json`` writes.
- Numbers only, in the order of the features: mert's weights.txt, or the first of the three lines of its init.opt.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any

from mtassay.data.formats.lines import read_lines
from mtassay.data.formats.score_files import LARGEST
from mtassay.errors import InputError, at, counted, unknown_name
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SECTION = re.compile(r"\s*\[([^\]]+)\]\s*")
#: Sections of older moses.ini files, and what n-best lists call their features.
_OLD_SECTIONS = {"d": "d", "l": "lm", "t": "tm", "w": "w", "generation": "g", "i": "I", "lex": "lex"}


def read_weights(path: PathLike, names: Sequence[str] | None = None) -> dict[str, float]:
    """Read weights in any of these formats.

    Args:
        path: the file.
        names: names of the features; bare numbers need them. If given, a missing weight is an error, and so is the
            weight of an unknown feature, except in a moses.ini.
    """
    lines = read_lines(path)
    if lines[0].lstrip().startswith("{"):
        weights = _json_weights("\n".join(lines), path)
    elif any(_SECTION.fullmatch(line) for line in lines):
        weights = _ini_weights(lines, path)
        if not weights:
            raise InputError(f"{shown(path)} has no weights; there should be a section [weight]")
        if names is not None:  # a moses.ini may also have weights of features that are not in the lists
            weights = {name: weight for name, weight in weights.items() if name in names}
    else:
        weights = _listed_weights(lines, path, names)
    if names is not None:
        check_names(weights, names, shown(path))
        weights = {name: weights[name] for name in names}
    return weights


def check_names(weights: Mapping[str, float], names: Sequence[str], whose: str) -> None:
    """Reject weights of unknown features, and features without weight; `whose` names the weights."""
    for name in weights:
        if name not in names:
            raise InputError(f"{whose}: {unknown_name('feature', name, names)}")
    for name in names:
        if name not in weights:
            raise InputError(f"{whose}: no weight of feature '{name}'")


def update_ini(path: PathLike, weights: Mapping[str, float]) -> str:
    """The text of a moses.ini with new weights; everything else, including weights of other features, is unchanged."""
    lines = read_lines(path)
    known = _ini_weights(lines, path)
    for name in weights:
        if name not in known:
            raise InputError(f"{shown(path)} has no weight of feature '{name}'")
    written = []
    for _, line, label, first in _ini_lines(lines, path):
        written.append(_with_weights(line, label, first, weights) if label else line)
    return "".join(f"{line}\n" for line in written)


def _with_weights(line: str, label: str, first: int, weights: Mapping[str, float]) -> str:
    """A line of a moses.ini with its changed numbers replaced."""
    places = count(first)

    def new(word: re.Match[str]) -> str:
        weight = weights.get(f"{label}_{next(places)}")
        return word[0] if weight is None or float(word[0]) == weight else _shown(weight)

    content, hash_, comment = line.partition("#")
    begin = content.find("=") + 1
    return content[:begin] + re.sub(r"\S+", new, content[begin:]) + hash_ + comment


def listed(weights: Mapping[str, float]) -> str:
    """Weights as ``name value`` lines.

    >>> print(listed({"lm_0": 0.5, "w_0": -1.0}), end="")
    lm_0 0.5
    w_0 -1.0
    """
    return "".join(f"{name} {_shown(value)}\n" for name, value in weights.items())


def as_json(weights: Mapping[str, float]) -> str:
    """Weights as JSON."""
    return json.dumps({"weights": {name: float(value) for name, value in weights.items()}}, indent=1) + "\n"


def _shown(value: float) -> str:
    return repr(float(value))


def _json_weights(text: str, path: PathLike) -> dict[str, float]:
    try:
        # parse_int: Python refuses to convert whole numbers of thousands of digits; as a float such a one is infinite.
        found = json.loads(text, object_pairs_hook=lambda pairs: _once_each(pairs, path), parse_int=float)
    except RecursionError:
        raise InputError(f"{shown(path)} has no weights: it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{shown(path)} is not JSON: {error}") from None
    found = found.get("weights", found)
    weights: dict[str, float] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        if not isinstance(value, float) or not abs(value) <= LARGEST:
            raise InputError(f"{shown(path)}: the weight of '{name}' is not a finite number")
        weights[name] = value
    if not weights:
        raise InputError(f"{shown(path)} has no weights")
    return weights


def _once_each(pairs: list[tuple[str, Any]], path: PathLike) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{shown(path)}: '{name}' occurs twice")
        found[name] = value
    return found


def _ini_weights(lines: Sequence[str], path: PathLike) -> dict[str, float]:
    weights: dict[str, float] = {}
    for number, line, label, first in _ini_lines(lines, path):
        content = line.partition("#")[0] if label else ""
        for k, word in enumerate(content[content.find("=") + 1 :].split(), first):
            name = f"{label}_{k}"
            if name in weights:
                raise InputError(f"{at(shown(path), number)}: a second weight of '{name}'")
            weights[name] = _number(word, path, number)
    return weights


def _ini_lines(lines: Sequence[str], path: PathLike) -> Iterator[tuple[int, str, str, int]]:
    """Every line with its number, the label of its weights ('' without weights), and the position of the first one."""
    section, n_before = "", 0
    for number, line in enumerate(lines, 1):
        heading = _SECTION.fullmatch(line)
        content = line.partition("#")[0].strip()
        if heading:
            section, n_before = heading[1], 0
        elif content and section == "weight":
            label, equals, _ = content.partition("=")
            if not equals:
                raise InputError(f"{at(shown(path), number)}: '{content}' is not a weight; write NAME= 0.1 0.2")
            yield number, line, label.strip(), 0
            continue
        elif content and section.startswith("weight-"):
            label = _OLD_SECTIONS.get(section.removeprefix("weight-"), section.removeprefix("weight-"))
            _number(content, path, number)  # one weight per line
            yield number, line, label, n_before
            n_before += 1
            continue
        yield number, line, "", 0


def _listed_weights(lines: Sequence[str], path: PathLike, names: Sequence[str] | None) -> dict[str, float]:
    rows = [(number, line.partition("#")[0]) for number, line in enumerate(lines, 1)]
    rows = [(number, line) for number, line in rows if line.strip()]
    if not rows:
        raise InputError(f"{shown(path)} has no weights")
    if all(_is_number(word) for word in rows[0][1].split()):
        number, line = rows[0]
        values = [_number(word, path, number) for word in line.split()]
        if names is None:
            raise InputError(f"{at(shown(path), number)}: numbers without names; write one 'name number' per line")
        if len(values) != len(names):
            raise InputError(f"{at(shown(path), number)}: {counted(len(values), 'weight')} of {len(names)} features")
        return dict(zip(names, values, strict=True))
    weights: dict[str, float] = {}
    for number, line in rows:
        words = line.replace("=", " ").split()
        if len(words) != 2:
            raise InputError(f"{at(shown(path), number)}: '{line.strip()}' is not a weight; write 'name number'")
        if words[0] in weights:
            raise InputError(f"{at(shown(path), number)}: a second weight of '{words[0]}'")
        weights[words[0]] = _number(words[1], path, number)
    return weights


def _is_number(word: str) -> bool:
    if not word.isascii() or "_" in word:  # Python's float would accept 1_000 and digits of other scripts
        return False
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(word: str, path: PathLike, line: int) -> float:
    if not _is_number(word) or not abs(float(word)) <= LARGEST:
        raise InputError(f"{at(shown(path), line)}: '{word}' is not a finite number")
    return float(word)
