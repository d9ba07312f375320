"""``mtassay completion SHELL``, and the answers to a shell that completes a command line.

The script of a shell runs ``mtassay`` with the line so far in its environment; `answer` prints what may follow.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.cli.annotate import EFLOMAL
from mtassay.cli.arguments import Parser
from mtassay.cli.main import VERBS
from mtassay.cli.output import OutputPlots, Store
from mtassay.cli.parsers import actions_of, parser_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Completer = Callable[..., Iterable[str] | dict[str, str]]

SHELLS = ("bash", "zsh", "fish")
_EXAMPLES = """\
  eval "$(mtassay completion bash)"                        in ~/.bashrc
  eval "$(mtassay completion zsh)"                         in ~/.zshrc, after compinit
  mtassay completion fish > ~/.config/fish/completions/mtassay.fish
"""


def run(argv: list[str]) -> int:
    """Print the script of a shell."""
    parser = Parser("completion", "Print the script that completes mtassay in a shell.", _EXAMPLES)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=" | ".join(SHELLS))
    args = parser.parse_args(argv)
    from argcomplete.shell_integration import shellcode

    # Without bash's own completion, which would offer file names even after options that take numbers.
    print(shellcode(["mtassay"], shell=args.shell, use_defaults=False))
    return 0


def answer() -> None:
    """Print the completions of the command line given in the environment, and end the program."""
    import argcomplete

    argcomplete.autocomplete(_root(_line_before_cursor().split()[1:]), always_complete_options=False)


def _line_before_cursor() -> str:
    line = os.environ.get("COMP_LINE", "")
    return line[: int(os.environ.get("COMP_POINT", len(line)))]


def _root(words: list[str]) -> argparse.ArgumentParser:
    """A parser of the whole command; only the verb on the command line gets its options."""
    root = argparse.ArgumentParser(prog="mtassay")
    root.add_argument("-V", "--version", action="store_true", help="show the version, and stop")
    verbs = root.add_subparsers()
    for verb, (_, what) in VERBS.items():
        own = verbs.add_parser(verb, help=what, add_help=False)
        if words[:1] != [verb]:
            continue
        actions = actions_of(verb)
        if not actions:
            verbs._name_parser_map[verb] = _with_completers(parser_of(verb), verb)
            continue
        names = own.add_subparsers()
        for action, about in actions.items():
            names.add_parser(action, help=about, add_help=False)
            if words[1:2] == [action]:
                names._name_parser_map[action] = _of_action(verb, action)
    shell = verbs.add_parser("completion", help="print the script that completes mtassay in a shell")
    shell.add_argument("shell", choices=SHELLS)
    manual = verbs.add_parser("man", help="show the manual page of a verb")
    manual.add_argument("verb", choices=list(VERBS), nargs="?")
    if words[:1] == ["man"] and words[1:2] and words[1] in VERBS:
        manual.add_argument("action", choices=list(actions_of(words[1])), nargs="?")
    return root


def _of_action(verb: str, action: str) -> argparse.ArgumentParser:
    parser = parser_of(verb, action)
    if (verb, action) == ("learn", "score"):  # takes a model and the arguments of mtassay score
        scoring = parser_of("score")
        for option in parser._actions:
            if not scoring._option_string_actions.keys() & option.option_strings:
                scoring._add_action(option)
        return _with_completers(scoring, "score")
    _with_completers(parser, f"{verb} {action}")
    if (verb, action) == ("learn", "study"):
        from mtassay.cli.learn_studies import STUDIES

        outer = argparse.ArgumentParser(add_help=False)
        studies = outer.add_subparsers()
        for name, what in STUDIES.items():
            studies.add_parser(name, help=what, add_help=False)
            studies._name_parser_map[name] = parser
        return outer
    return parser


def _with_completers(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    """Set how to complete the values of each option of a command; returns the parser."""
    from argcomplete.finders import safe_actions

    for action in parser._actions:
        if isinstance(action, Store):
            safe_actions.add(type(action))
        if action.choices is None and action.nargs != 0:
            action.completer = completer_of(action, command)  # type: ignore[attr-defined]  # read by argcomplete
    return parser


def completer_of(action: argparse.Action, command: str) -> Completer:
    """What completes the values of an option or argument: names, files, folders, or nothing."""
    from argcomplete.completers import DirectoriesCompleter, FilesCompleter

    if isinstance(action, OutputPlots):
        return _plots
    flags = action.option_strings
    known = [name for name in (*(f"{command} {flag}" for flag in flags), *flags) if name in _NAMES]
    if known:
        return _NAMES[known[0]]
    if action.metavar in _FOLDERS:
        return DirectoriesCompleter()
    return FilesCompleter() if isinstance(action.metavar, tuple) or action.metavar in _FILES else nothing


def nothing(**_: Any) -> list[str]:
    """No completions: numbers, names in the user's files, and other texts."""
    return []


class Names:
    """Completes the names of tables, given as ``module:TABLE`` and loaded on use, and further names."""

    def __init__(self, *places: str, also: Sequence[str] = ()) -> None:
        self._places, self._also = places, also

    def __call__(self, **_: Any) -> dict[str, str]:
        """The names, with their titles where a table has some."""
        titles: dict[str, str] = {}
        for place in self._places:
            module, _colon, name = place.partition(":")
            table = getattr(import_module(module), name)
            entries = table if isinstance(table, Mapping) else dict.fromkeys(table)
            titles |= {name: _title(entry) for name, entry in entries.items() if name not in titles}
        return titles | dict.fromkeys(self._also, "")


def _title(entry: object) -> str:
    """The title of an entry of a table, if it has one."""
    title = getattr(entry, "title", "")
    return title if isinstance(title, str) else ""  # strings have a method of this name


def _plots(action: OutputPlots, prefix: str, **_: Any) -> Iterable[str] | dict[str, str]:
    """Kinds of plots after ``--plot``, then files."""
    from argcomplete.completers import FilesCompleter

    last = _line_before_cursor().removesuffix(prefix).split()[-1:]
    return {kind: plot.about for kind, plot in action.kinds.items()} if last == ["--plot"] else FilesCompleter()(prefix)


def _metrics(prefix: str, **_: Any) -> dict[str, str]:
    """Names of metrics; after ``name:`` their options, after ``option=`` the values."""
    from mtassay.errors import SpecError
    from mtassay.metrics.core.options import written
    from mtassay.metrics.core.registry import metric_class, metric_names

    name, colon, rest = prefix.partition(":")
    if not colon:
        return dict.fromkeys(metric_names(), "")
    try:
        found = metric_class(name)
    except SpecError:
        return {}
    if found.first_option and "," not in rest:
        if found.wraps_metric:
            return {f"{name}:{inner}": what for inner, what in _metrics(rest).items()}
        from argcomplete.completers import FilesCompleter

        return {f"{name}:{path}": "" for path in FilesCompleter()(rest)}
    last = rest.rpartition(",")[2]
    start = prefix[: len(prefix) - len(last)]
    options = {written(field): field for field in fields(found)}
    option, equals, _value = last.partition("=")
    if not equals:
        return {f"{start}{key}=": field.metadata["description"] for key, field in options.items()}
    if option not in options:
        return {}
    values = _tokenizers() if option == "tok" else options[option].metadata["choices"]
    if options[option].metadata["kind"] is bool:
        values = ("yes", "no")
    return {f"{start}{option}={value}": "" for value in values}


_TESTS = ("mtassay.stats.procedures:PROCEDURES", "mtassay.stats.procedures:NAMED")
_tokenizers = Names("mtassay.text:TOKENIZERS")
_features = Names("mtassay.learn.features:FEATURE_SETS", "mtassay.learn.features:FEATURES")
_methods = Names("mtassay.judging.methods:OF_PREFERENCES", "mtassay.judging.methods:OF_SCORES")
_judgement_units = Names("mtassay.judging.rank_ranges:JUDGEMENT_UNITS")
#: What completes an option, in all verbs or in one.
_NAMES: dict[str, Completer] = {
    **dict.fromkeys(("--metrics", "--metric", "--also", "--shortlist"), _metrics),
    **dict.fromkeys(("--tokenize", "--tok"), _tokenizers),
    **dict.fromkeys(("--features", "--sets"), _features),
    **dict.fromkeys(("--method", "--gold"), _methods),
    **dict.fromkeys(("humans --unit", "--human-unit"), _judgement_units),
    "--adjust": Names("mtassay.stats.adjust:ADJUSTMENTS"),
    "--alignment": Names("mtassay.analysis.word_marks:ALIGNMENTS"),
    "--annotator": Names("mtassay.text.annotate:ANNOTATORS"),
    "annotate --annotator": Names("mtassay.text.annotate:ANNOTATORS", also=[EFLOMAL]),
    "--aspect": Names("mtassay.collect.choices:ASPECTS"),
    "--assignment": Names("mtassay.collect.choices:ASSIGNMENTS"),
    "--by": Names("mtassay.verbs.analysis_plan:VIEWS"),
    "--choose-by": Names("mtassay.learn.search:CRITERIA"),
    "--control-test": Names("mtassay.judging.quality_control:TESTS"),
    "--correlation": Names("mtassay.verbs.metaeval.coefficients:TITLES"),
    "metaeval --gold": Names("mtassay.judging.gold:OF_PREFERENCES", "mtassay.judging.normalisation:NORMALISATIONS"),
    "--interval": Names("mtassay.stats.intervals:INTERVALS"),
    "--judgement-format": Names("mtassay.data.formats.judgements:FORMATS"),
    "--layer": Names("mtassay.analysis.word_labels:WORD_LAYERS"),
    "--level": Names("mtassay.verbs.metaeval.verb:LEVELS"),
    "--model": Names("mtassay.learn.models:MODELS"),
    "learn study --model": Names("mtassay.learn.models:REGRESSIONS"),
    "--normalise": Names("mtassay.judging.normalisation:NORMALISATIONS"),
    "--optimiser": Names("mtassay.tuning.optimise:OPTIMISERS"),
    "--protocol": Names("mtassay.collect.protocols:PROTOCOLS"),
    "--rule": Names("mtassay.judging.kappa:RULES"),
    "--sample": Names("mtassay.collect.sampling:SAMPLES"),
    "--show": Names("mtassay.collect.choices:SHOWN"),
    "--smooth-method": Names("mtassay.metrics.strings.bleu:SMOOTHINGS"),
    "--span-weights": Names("mtassay.judging.span_weights:WEIGHTS"),
    "--table": Names("mtassay.report.analysis_records:TABLES"),
    "--test": Names(*_TESTS),
    "compare --test": Names(*_TESTS, also=["all"]),
    "metaeval --test": Names("mtassay.verbs.metaeval.metric_tests:TESTS", also=["none"]),
    "--unit": Names("mtassay.verbs.compare:TEXT_UNITS"),
}
#: Options with one of these metavars are completed by files, or by folders.
_FILES = {"FILE", "[NAME=]FILE", "REF", "SYS", "LIST", "PATH", "INDEX", "CAMPAIGN", "COPY", "CORPUS", "LABELS", "MODEL"}
_FOLDERS = {"FOLDER", "DIR"}
