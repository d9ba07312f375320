"""Collecting human judgements in a browser: the verb ``judge``.

>>> from mtassay import judge
>>> sorted(judge.__all__)
['backup', 'close', 'edit', 'export', 'invite', 'methods', 'new', 'serve', 'status']

Functions are imported on first use; only ``serve`` needs the extra ``judge``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay import lazy_names

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


__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
