"""Reading the configuration file: defaults of options, for all verbs, and in tables for single verbs.

    metrics = ["bleu", "chrf"]      # applies to every verb that reports metrics
    alpha = 0.01                    # applies to every verb that has --alpha

    [compare]                       # applies to mtassay compare, and takes precedence over the lines above
    adjust = "holm"

``mtassay.io.find_configuration`` says which file is read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.errors import InputError, among
from mtassay.io import PROJECT_FILE, register_input

if TYPE_CHECKING:
    from collections.abc import Callable

    Values = dict[str, Any]

#: Largest configuration file in bytes: a larger one is something else.
_LARGEST = 1 << 20


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _some(accepts: Callable[[object], bool]) -> Callable[[object], bool]:
    """Accept one value, or a list of at least one."""
    return lambda value: all(map(accepts, value)) and bool(value) if isinstance(value, list) else accepts(value)


class Key(NamedTuple):
    """A key of the file.

    Attributes:
        accepts: whether a value has the right type.
        wanted: what the value must be, in words.
        shared: whether it may be outside the table of a verb.
        changes_numbers: whether reports must show it.
    """

    accepts: Callable[[object], bool]
    wanted: str
    shared: bool = True
    changes_numbers: bool = True


KEYS = {
    "metrics": Key(_some(_is_text), "a list of metrics, such as ['bleu', 'chrf']"),
    "tokenizer": Key(_is_text, "the name of a tokenizer, such as 'intl'"),
    "alpha": Key(_some(_is_number), "a number such as 0.01"),
    "resamples": Key(_is_whole, "a whole number such as 1000"),
    "seed": Key(_is_whole, "a whole number"),
    "threads": Key(_is_whole, "a whole number", changes_numbers=False),
    "format": Key(_is_text, "the name of a format, such as 'json'", changes_numbers=False),
    "width": Key(_is_whole, "a number of decimals", changes_numbers=False),
    "max-file-size": Key(lambda value: _is_text(value) or _is_whole(value), "a size, '8G'", changes_numbers=False),
    "max-line-size": Key(lambda value: _is_text(value) or _is_whole(value), "a size, '8M'", changes_numbers=False),
    # The meaning or the possible values of these depend on the verb.
    "test": Key(_some(_is_text), "the name of a test, such as 'ar'", shared=False),
    "sides": Key(_is_whole, "1 or 2", shared=False),
    "adjust": Key(_is_text, "the name of an adjustment, such as 'holm'", shared=False),
    "interval": Key(_is_text, "the name of a kind of intervals, such as 'bca'", shared=False),
    "unit": Key(_is_text, "the name of a unit, such as 'doc'", shared=False),
}
#: Verbs that can have a table: all verbs of the command.
VERBS = (
    *("score", "compare", "rank", "power", "analyse", "diff", "report", "serve", "metaeval", "humans", "agreement"),
    *("judge", "conclusions", "annotate", "learn", "tune", "rerank", "mbr", "align", "convert", "demo"),
)
#: Verbs that report any number of metrics; for other verbs -m has another meaning.
_REPORTS_METRICS = frozenset({"score", "compare", "rank", "power", "analyse", "report", "metaeval", "conclusions"})


class Configuration(NamedTuple):
    """The contents of a configuration file.

    Attributes:
        file: its name as messages and reports show it.
        shared: values for all verbs.
        tables: values for single verbs.
    """

    file: str
    shared: Values
    tables: dict[str, Values]

    def of(self, verb: str) -> Values:
        """The values for a verb; its own table takes precedence. Shared values that do not apply to it are left out."""
        shared = {key: value for key, value in self.shared.items() if key != "metrics" or verb in _REPORTS_METRICS}
        if verb == "report":  # the default of report is a page, whatever the shared format is
            shared.pop("format", None)
        return shared | self.tables.get(verb, {})

    def place(self, verb: str, key: str) -> str:
        """Where a value for a verb comes from, for messages."""
        return f"{self.file}: [{verb}] {key}" if key in self.tables.get(verb, {}) else f"{self.file}: {key}"


def shown_values(values: Values) -> str:
    """Values in words: ``alpha 0.01, metrics bleu chrf``.

    >>> shown_values({"alpha": 0.01, "metrics": ["bleu", "chrf"]})
    'alpha 0.01, metrics bleu chrf'
    """
    listed = {key: value if isinstance(value, list) else [value] for key, value in values.items()}
    return ", ".join(f"{key} {' '.join(map(str, value))}" for key, value in listed.items())


def read_configuration(path: str) -> Configuration:
    """Read and check a configuration file.

    Raises:
        InputError: if it cannot be read, or has unknown keys or values of a wrong type.
    """
    file = _shown(path)
    content = _parsed(path, file)
    if os.path.basename(path) == PROJECT_FILE:  # noqa: PTH119
        tools = content.get("tool", {})
        if not isinstance(tools, dict) or "mtassay" not in tools:
            raise InputError(f"{file} has no table [tool.mtassay]")
        content = tools["mtassay"]
        if not isinstance(content, dict):
            raise InputError(f"{file}: [tool.mtassay] must be a table")
    tables = {name: value for name, value in content.items() if isinstance(value, dict)}
    shared = {name: value for name, value in content.items() if name not in tables}
    for verb, values in tables.items():
        if verb not in VERBS:
            raise InputError(f"{file}: no verb is named [{verb}]{among(verb, VERBS)}")
        for key, value in values.items():
            _check(f"{file}: [{verb}] {key}", key, value, known=list(KEYS))
    for key, value in shared.items():
        if key in KEYS and not KEYS[key].shared:
            raise InputError(f"{file}: {key} depends on the verb: write it in the table of a verb, such as [compare]")
        _check(f"{file}: {key}", key, value, known=[name for name in KEYS if KEYS[name].shared])
    return Configuration(file, shared, tables)


def _check(place: str, key: str, value: object, *, known: list[str]) -> None:
    if key not in known:
        raise InputError(f"{place}: unknown key{among(key, known)}")
    if not KEYS[key].accepts(value):
        raise InputError(f"{place} must be {KEYS[key].wanted}, not {value!r}")


def _parsed(path: str, file: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as opened:  # noqa: PTH123
            register_input(opened.fileno(), path)  # -o must not replace it
            content = opened.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the configuration file {file} cannot be read: {reason}") from None
    if len(content) > _LARGEST:
        raise InputError(f"{file} is too large for a configuration file: more than 1 MB")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not valid TOML: {error}") from None


def _shown(path: str) -> str:
    """The name of the file: relative to the working directory if that is short, else to the home folder."""
    home = os.path.expanduser("~")  # noqa: PTH111
    try:
        near = os.path.relpath(path)
    except (OSError, ValueError):  # no working directory; another drive
        near = path
    if not near.startswith(os.path.join("..", "..")):  # noqa: PTH118
        return near
    full = os.path.abspath(path)  # noqa: PTH100
    return f"~{full[len(home) :]}" if full.startswith(os.path.join(home, "")) else full  # noqa: PTH118
