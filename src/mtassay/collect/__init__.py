"""Collecting human judgements in a browser: the verb ``judge``.

>>> from mtassay import judge
>>> sorted(judge.__all__)
['backup', 'close', 'edit', 'export', 'invite', 'methods', 'new', 'serve', 'status']

Functions are loaded on first use; only ``serve`` needs the extra ``judge``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mtassay.collect.exporting import export
    from mtassay.collect.judges import invite
    from mtassay.collect.maintenance import backup, close, edit
    from mtassay.collect.making import new
    from mtassay.collect.methods_paragraph import methods
    from mtassay.collect.serving import serve
    from mtassay.verbs.judge_status import status

__all__ = ["backup", "close", "edit", "export", "invite", "methods", "new", "serve", "status"]

_HOME = {
    "backup": "mtassay.collect.maintenance",
    "close": "mtassay.collect.maintenance",
    "edit": "mtassay.collect.maintenance",
    "export": "mtassay.collect.exporting",
    "invite": "mtassay.collect.judges",
    "methods": "mtassay.collect.methods_paragraph",
    "new": "mtassay.collect.making",
    "serve": "mtassay.collect.serving",
    "status": "mtassay.verbs.judge_status",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
