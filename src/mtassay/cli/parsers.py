"""The parsers of all verbs and their actions, for completion and manual pages."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.cli.arguments import ParserMade, only_parsers
from mtassay.cli.main import VERBS

if TYPE_CHECKING:
    from mtassay.cli.arguments import Parser

#: Verbs with actions, and the module that lists these.
_WITH_ACTIONS = {"learn": "mtassay.cli.learn", "judge": "mtassay.cli.judge"}


def actions_of(verb: str) -> dict[str, str]:
    """The actions of a verb with their descriptions; most verbs have none."""
    if verb not in _WITH_ACTIONS:
        return {}
    return {name: what for name, (_, what) in import_module(_WITH_ACTIONS[verb]).ACTIONS.items()}


def parser_of(verb: str, action: str | None = None) -> Parser:
    """The parser of a verb, or of one of its actions. The verb is run, and stopped once it has made its parser."""
    token = only_parsers.set(True)
    try:
        import_module(VERBS[verb][0]).run([*([] if action is None else [action]), "--help"])
    except ParserMade as made:
        return made.parser
    finally:
        only_parsers.reset(token)
    raise AssertionError(f"mtassay {verb} parsed no arguments")


def all_commands() -> list[tuple[str, ...]]:
    """Every verb, followed by its actions."""
    return [command for verb in VERBS for command in ((verb,), *((verb, action) for action in actions_of(verb)))]
