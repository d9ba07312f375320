"""The defaults of a configuration file as keywords of a verb. Python code reads no such file unless asked to."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, unknown_name
from mtassay.io import find_configuration
from mtassay.io.configuration import KEYS, VERBS, read_configuration
from mtassay.metrics.core.spec import with_tokenizer

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

#: Functions that correspond to a verb of the command line with another name.
_PARTS = {
    "compare_files": "compare",
    "compare_tests": "compare",
    "rank_files": "rank",
    "score_files": "score",
    "train": "learn",
    "tune_decoder": "tune",
    "tune_objectives": "tune",
}


def configured(verb: Callable[..., Any], file: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """The defaults of a configuration file, as keywords of a verb.

    The command reads these defaults by itself. In Python, ``mtassay.compare(testset, **mtassay.configured(
    mtassay.compare))`` gives the same numbers as ``mtassay compare``. Override some of them with ``|``:
    ``configured(mtassay.compare) | {"alpha": 0.001}``.

    Args:
        verb: the function, such as ``mtassay.compare``.
        file: the file; by default the one that the command finds from the working directory. Without one the result
            is empty.
    """
    name = getattr(verb, "__name__", str(verb)).rpartition(".")[2]
    name = _PARTS.get(name, name)
    if name not in VERBS:
        raise InputError(unknown_name("verb", name, VERBS))
    path = find_configuration() if file is None else str(file)
    if path is None:
        return {}
    configuration = read_configuration(path)
    parameters = inspect.signature(verb).parameters
    values = configuration.of(name)
    tokenizer = values.pop("tokenizer", None)
    chosen = {}
    for key, value in values.items():
        keyword = "metric" if key == "metrics" and "metric" in parameters else key
        if keyword in parameters:
            chosen[keyword] = _fitting(value, parameters[keyword].default)
        elif key in configuration.tables.get(name, {}) and KEYS[key].changes_numbers:
            raise InputError(f"{configuration.place(name, key)}: mtassay.{name} has no such keyword")
    for keyword in {"metric", "metrics"} & set(parameters) if tokenizer is not None else ():
        metrics = chosen.get(keyword, parameters[keyword].default)
        if isinstance(metrics, str):
            chosen[keyword] = with_tokenizer(metrics, tokenizer)
        elif metrics is not inspect.Parameter.empty:
            chosen[keyword] = [with_tokenizer(metric, tokenizer) for metric in metrics]
    return chosen


def _fitting(value: Any, default: Any) -> Any:
    """The value as a list if the default of the keyword is one, else as a single value."""
    if isinstance(default, list | tuple):
        return value if isinstance(value, list) else [value]
    return value[0] if isinstance(value, list) and len(value) == 1 else value
