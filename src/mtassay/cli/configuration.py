"""Use the values of a configuration file as defaults of a verb's options. Imported only if there is such a file."""

from __future__ import annotations

import argparse
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from mtassay.errors import MtassayError
from mtassay.io.configuration import KEYS, read_configuration, shown_values

if TYPE_CHECKING:
    from collections.abc import Collection

    from mtassay.cli.arguments import Parser
    from mtassay.io.configuration import Values

_current: ContextVar[Defaults | None] = ContextVar("defaults", default=None)


def current_defaults() -> Defaults | None:
    """The defaults that this run has taken from a file, if any."""
    defaults = _current.get()
    return defaults if defaults is not None and defaults.taken else None


class _Unset:
    """A default from the file while arguments are parsed: options that still have one afterwards were not given."""

    def __init__(self, key: str, value: Any, builtin: Any) -> None:
        self.key, self.value, self.builtin = key, value, builtin


class Defaults:
    """Defaults for the options of a parser, from a configuration file.

    Attributes:
        file: the name of the file.
        taken: the values that are used, since their options were not given; complete after `fill`.
        reported: whether the report has shown them.
    """

    def __init__(self, parser: Parser, path: str) -> None:
        configuration = read_configuration(path)
        verb = parser.prog.split()[1]
        self.file = configuration.file
        self.taken: Values = {}
        self.reported = False
        self._tokenizer: str | None = None
        self._without_tokenizer: list[str] | None = None
        self._filled: dict[str, _Unset] = {}
        options = {flag: action for action in parser._actions for flag in action.option_strings}
        for key, value in configuration.of(verb).items():
            action = options.get(_flag(key))
            if action is None:
                if key in configuration.tables.get(verb, {}) and not _is_of_other_action(verb, key):
                    raise MtassayError(f"{configuration.place(verb, key)}: mtassay {verb} has no such option")
            elif key == "tokenizer":
                self._tokenizer = value
            else:
                converted = _converted(parser, action, value, place=configuration.place(verb, key))
                parser.set_defaults(**{action.dest: _Unset(key, converted, action.default)})
        _current.set(self)

    @property
    def of_numbers(self) -> Values:
        """The values that change numbers."""
        return {key: value for key, value in self.taken.items() if KEYS[key].changes_numbers}

    def line(self, values: Values) -> str:
        """A line that shows the values and their file."""
        return f"defaults of {self.file}: {shown_values(values)}"

    def fill(self, parsed: argparse.Namespace) -> None:
        """Set the options that were not given to the values of the file."""
        for dest, found in list(vars(parsed).items()):
            if isinstance(found, _Unset):
                setattr(parsed, dest, found.value)
                self.taken[found.key] = found.value
                self._filled[dest] = found
        if self._tokenizer is not None and getattr(parsed, "tokenize", None) is None:
            from mtassay.metrics.core.spec import with_tokenizer

            written = [with_tokenizer(metric, self._tokenizer) for metric in parsed.metrics or []]
            if written and written != parsed.metrics:
                self._without_tokenizer = parsed.metrics
                parsed.metrics = written
                self.taken["tokenizer"] = self._tokenizer
        self.taken = {key: self.taken[key] for key in KEYS if key in self.taken}

    def take_back(self, parsed: argparse.Namespace, names: Collection[str]) -> None:
        """Restore the built-in defaults of options that the file has set; the tokenizer belongs to the metrics."""
        if "metrics" in names and self._without_tokenizer is not None:
            parsed.metrics = self._without_tokenizer
            self.taken.pop("tokenizer", None)
        for name in self._filled.keys() & set(names):
            setattr(parsed, name, self._filled[name].builtin)
            self.taken.pop(self._filled[name].key, None)


def _flag(key: str) -> str:
    """The option of a key."""
    return "-m" if key in {"metrics", "tokenizer"} else f"--{key}"


def _is_of_other_action(verb: str, key: str) -> bool:
    """Whether an action of the verb has the option."""
    from mtassay.cli.parsers import actions_of, parser_of  # makes the parsers of all actions

    return any(_flag(key) in parser_of(verb, action)._option_string_actions for action in actions_of(verb))


def _converted(parser: Parser, action: argparse.Action, value: Any, *, place: str) -> Any:
    """Convert a value of the file to the type of its option."""
    values = value if isinstance(value, list) else [value]
    if action.nargs in (None, 1) and len(values) > 1:
        raise MtassayError(f"{place}: {parser.prog} takes one value")
    try:
        made = [parser._get_value(action, str(one)) for one in values]
        for one in made:
            parser._check_value(action, one)
    except argparse.ArgumentError as error:
        raise MtassayError(f"{place}: {error.message}") from None
    except MtassayError as error:
        raise MtassayError(f"{place}: {error}") from None
    return made[0] if action.nargs is None else made
