"""Verbs that have actions of their own, such as ``mtassay judge new``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser
from mtassay.errors import MtassayError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping


def run_action(
    verb: str, argv: list[str], actions: Mapping[str, tuple[str, str]], *, description: str, examples: str
) -> int:
    """Run the action that comes first in `argv`, or show the actions.

    Args:
        verb: the verb.
        argv: the action and its arguments.
        actions: by name, the function that runs it (``module:function``), and a description.
        description: description of the verb, for ``--help``.
        examples: examples of the verb, for ``--help``.
    """
    shown = "\n".join(f"  {name:<7} {what}" for name, (_, what) in actions.items())
    parser = Parser(verb, f"{description}\n\n{shown}", examples)
    parser.usage = f"mtassay {verb} ACTION ...          mtassay {verb} ACTION --help shows options and examples"
    if not argv or argv[0] in {"-h", "--help", "help"}:
        parser.parse_args(["--help"])
    action, *rest = argv
    if action not in actions:
        raise MtassayError(unknown_name(f"action of mtassay {verb}", action, actions, see=f"mtassay {verb} --help"))
    module, _, function = actions[action][0].partition(":")
    status: int = getattr(import_module(module), function)(rest)
    return status
