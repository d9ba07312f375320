"""``mtassay man``: manual pages, made from the parsers of the verbs."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay import __version__
from mtassay.cli.arguments import Parser
from mtassay.cli.main import HELPERS, USAGE_EXAMPLES, VERBS
from mtassay.cli.output import OutputFolder
from mtassay.cli.parsers import actions_of, all_commands, parser_of
from mtassay.errors import MtassayError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterable

_EXAMPLES = """\
  mtassay man score
  mtassay man learn train
  mtassay man --folder ~/.local/share/man/man1             all pages, for man mtassay-score
"""
_ABOUT = "evaluation of machine translation, with evidence"
_ENVIRONMENT = {
    "MTASSAY_CONFIG": "The configuration file, or none for no file.",
    "MTASSAY_CACHE": "Folder of the cache (default: $XDG_CACHE_HOME/mtassay or ~/.cache/mtassay).",
    "MTASSAY_KERNELS": "python or native: which implementation of the hot loops to run; results are equal.",
    "MTASSAY_MAX_FILE_SIZE, MTASSAY_MAX_LINE_SIZE": "Limits on the size of inputs, like the options of these names.",
    "SACREBLEU": "Folder of sacreBLEU's test sets.",
    "SACREBLEU_SEED": "Seed of mtassay score -ci, --paired-ar and --paired-bs, as in sacreBLEU.",
}
_FILES = {
    "mtassay.toml": "Defaults of options, from the working directory or the folders above it; see docs/shell.md.",
    "pyproject.toml": "The same in the table [tool.mtassay].",
    "~/.config/mtassay/mtassay.toml": "Defaults of the user, if neither of these files is found.",
}
_STATUS = {
    "0": "Success.",
    "2": "Wrong usage or input; one line on standard error says what and where.",
    "130": "Interrupted.",
}


def run(argv: list[str]) -> int:
    """Show a page, or write all of them."""
    parser = Parser("man", "Show the manual page of mtassay, of a verb, or of an action of a verb.", _EXAMPLES)
    parser.add_argument("verb", nargs="?", metavar="VERB", help="the verb (default: the page of the whole command)")
    parser.add_argument("action", nargs="?", metavar="ACTION", help="an action of the verbs judge and learn")
    parser.add_argument("--folder", action=OutputFolder, metavar="FOLDER", help="write all pages into this folder")
    args = parser.parse_args(argv)
    if args.folder is not None:
        if args.verb is not None:
            raise MtassayError("--folder writes the pages of all verbs: leave out the verb")
        _write_all(Path(args.folder))
        return 0
    command = tuple(word for word in (args.verb, args.action) if word is not None)
    if command and command not in all_commands():
        known = VERBS if command[0] not in VERBS else actions_of(command[0])
        raise MtassayError(unknown_name("verb" if known is VERBS else f"action of {command[0]}", command[-1], known))
    text = page(command)
    if sys.stdout.isatty() and shutil.which("man"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{_name(command)}.1"
            path.write_text(text, encoding="utf-8")
            return subprocess.run(["man", str(path)], check=False).returncode
    print(text, end="")
    return 0


def _write_all(folder: Path) -> None:
    from mtassay.io.atomic import atomic_write

    folder.mkdir(exist_ok=True)
    for command in [(), *all_commands()]:
        with atomic_write(folder / f"{_name(command)}.1") as file:
            file.write(page(command))


def page(command: tuple[str, ...]) -> str:
    """The manual page of a verb, of an action or of the whole command, in troff's language."""
    lines = _main_page() if not command else _verb_page(command)
    stamp = os.environ.get("SOURCE_DATE_EPOCH")  # for reproducible builds of packages
    date = datetime.fromtimestamp(int(stamp), UTC) if stamp and stamp.isdecimal() else datetime.now(UTC)
    title = f'.TH {_name(command).upper()} 1 "{date:%Y-%m-%d}" "mtassay {__version__}" "mtassay"'
    return "\n".join(["'\\\" -*- coding: utf-8 -*-", title, *lines]) + "\n"


def _name(command: tuple[str, ...]) -> str:
    return "-".join(("mtassay", *command))


def _main_page() -> list[str]:
    verbs = {verb: what for verb, (_, what) in {**VERBS, **HELPERS}.items()}
    return [
        *_section("name", [f"mtassay \\- {_escaped(_ABOUT)}"]),
        *_section("synopsis", [r"\fBmtassay\fR \fIVERB\fR \&..."]),
        *_section("description", _filled("Each verb has options and a page of its own, such as mtassay-score(1).")),
        *_section("verbs", _definitions(verbs)),
        *_section("environment", _definitions(_ENVIRONMENT)),
        *_section("files", _definitions(_FILES)),
        *_section("exit status", _definitions(_STATUS)),
        *_section("examples", _literal(USAGE_EXAMPLES)),
        *_see_also((verb,) for verb in VERBS),
    ]


def _verb_page(command: tuple[str, ...]) -> list[str]:
    parser = parser_of(*command)
    verb, *action = command
    actions = {} if action else actions_of(verb)
    what = actions_of(verb)[action[0]] if action else VERBS[verb][1]
    description = (parser.description or "").partition("\n\n" if actions else "\0")[0]
    arguments = [one for one in parser._actions if not one.option_strings and one.help != argparse.SUPPRESS]
    shown = [_arguments(parser, one) for one in arguments]
    synopsis = r"\fIACTION\fR \&..." if actions else " ".join([r"[\fIOPTION\fR]...", *shown])
    lines = [
        *_section("name", [f"{_escaped(_name(command))} \\- {_escaped(what)}"]),
        *_section("synopsis", [f"\\fB{_escaped(parser.prog)}\\fR {synopsis}"]),
        *_section("description", _literal(description) if "\n  " in description else _filled(description)),
    ]
    if actions:
        lines += _section("actions", _definitions(actions))
    else:
        # The verb's own groups come first. The first three, argparse's two and the limits, are in every parser.
        own, particular = parser._action_groups[:3], parser._action_groups[3:]
        lines += _section("options", [line for group in (*particular, *own) for line in _group(parser, group)])
    title, _, examples = (parser.epilog or "").partition("\n")
    lines += _section(title.rstrip(":"), _literal(examples))
    others = [(verb, other) for other in actions] if actions else [(), (verb,)] if action else [()]
    return [*lines, *_see_also(others)]


def _group(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> list[str]:
    """The options of a group, if it has any, under its title."""
    shown = [one for one in group._group_actions if one.help != argparse.SUPPRESS]
    if not shown:
        return []
    formatter = parser._get_formatter()
    lines = []
    for one in shown:
        flags = ", ".join(f"\\fB{_escaped(flag)}\\fR" for flag in one.option_strings)
        values = _arguments(parser, one) if one.nargs != 0 or not flags else ""
        lines += [".TP", " ".join(filter(None, (flags, values))), *_filled(formatter._expand_help(one))]
    title = group.title or "other options"
    return [f".SS {_escaped(title[0].upper() + title[1:])}", *lines]


def _arguments(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The values of an option or argument, such as ``METRIC [METRIC ...]``."""
    formatter = parser._get_formatter()
    default = action.dest.upper() if action.option_strings else action.dest
    return f"\\fI{_escaped(formatter._format_args(action, default))}\\fR"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    """A section, if it has contents."""
    body = list(lines)
    return [f".SH {_escaped(title.upper())}", *body] if body else []


def _definitions(terms: dict[str, str]) -> list[str]:
    return [line for term, what in terms.items() for line in (".TP", f"\\fB{_escaped(term)}\\fR", *_filled(what))]


def _see_also(commands: Iterable[tuple[str, ...]]) -> list[str]:
    names = [f"\\fB{_escaped(_name(command))}\\fR(1)" for command in commands]
    return _section("see also", [f"{name}{',' if name != names[-1] else ''}" for name in names])


def _filled(text: str) -> list[str]:
    """Text that troff breaks into lines; its source is also wrapped."""
    return [_escaped(line) for line in textwrap.wrap(" ".join(text.split()), 76, break_on_hyphens=False)]


def _literal(text: str) -> list[str]:
    """Text whose lines stay as they are."""
    lines = [_escaped(line) for line in textwrap.dedent(text).strip("\n").split("\n")]
    return [".nf", *lines, ".fi"] if text.strip() else []


def _escaped(text: str) -> str:
    """Escape text, so that troff shows it as it is."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown
