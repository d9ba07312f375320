"""``mtassay completion SHELL``, and the answers to a shell that completes a command line.

The script of a shell runs ``mtassay`` with the line so far in its environment; `answer` prints what may follow.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import Parser
from mtassay.cli.main import VERBS
from mtassay.cli.output import OutputFolder, Store, StoreTests
from mtassay.cli.parsers import actions_of, parser_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

    line = os.environ.get("COMP_LINE", "")
    before = line[: int(os.environ.get("COMP_POINT", len(line)))].split()
    argcomplete.autocomplete(_root(before[1:]), always_complete_options=False)


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
            verbs._name_parser_map[verb] = _with_completers(parser_of(verb))
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
    return root


def _of_action(verb: str, action: str) -> argparse.ArgumentParser:
    if (verb, action) == ("learn", "score"):  # takes a model and the arguments of mtassay score
        return _with_completers(parser_of("score"))
    parser = _with_completers(parser_of(verb, action))
    if (verb, action) == ("learn", "study"):
        from mtassay.cli.learn_studies import STUDIES

        outer = argparse.ArgumentParser(add_help=False)
        studies = outer.add_subparsers()
        for name, what in STUDIES.items():
            studies.add_parser(name, help=what, add_help=False)
            studies._name_parser_map[name] = parser
        return outer
    return parser


def _with_completers(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Set how to complete each option whose values are neither choices nor files; returns the parser."""
    from argcomplete.completers import DirectoriesCompleter
    from argcomplete.finders import safe_actions

    for action in parser._actions:
        if isinstance(action, Store):
            safe_actions.add(type(action))
        rule: Completer | None = _RULES.get(action.dest)
        if isinstance(action, OutputFolder):
            rule = DirectoriesCompleter()
        elif action.type in (int, float) and action.choices is None:
            rule = _nothing
        elif isinstance(action, StoreTests):
            rule = _tests
        if rule is not None:
            action.completer = rule  # type: ignore[attr-defined]  # read by argcomplete
    return parser


def _nothing(**_: Any) -> list[str]:
    return []


def _tests(**_: Any) -> dict[str, str]:
    from mtassay.stats.procedures import PROCEDURES

    return {name: kind.title for name, kind in PROCEDURES.items()}


def _judgement_formats(**_: Any) -> list[str]:
    from mtassay.data.formats.judgements import FORMATS

    return list(FORMATS)


def _tokenizers(**_: Any) -> list[str]:
    from mtassay.text import TOKENIZERS

    return list(TOKENIZERS)


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


_RULES: dict[str, Completer] = {
    **dict.fromkeys(("metrics", "also", "shortlist"), _metrics),
    **dict.fromkeys(("tokenize", "tok"), _tokenizers),
    "judgement_format": _judgement_formats,
    **dict.fromkeys(
        ("names", "systems", "references", "language_pair", "encoding", "pair", "baseline", "max_file_size"), _nothing
    ),
    **dict.fromkeys(("max_line_size", "width", "num_refs", "subset", "origlang", "title", "url", "host"), _nothing),
}
