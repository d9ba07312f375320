"""Tables, plots and pages. Nothing is computed here.

``mtassay.report`` is both this package and the verb of the same name: ``mtassay.report(references, systems)`` is
``mtassay.verbs.report.report(references, systems)``. Importing a module of this package sets the attribute
``mtassay.report`` to the package, so the package has to be callable.
"""

from __future__ import annotations

import sys
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature

    from mtassay.verbs.report import ReportResult


class _PackageAndVerb(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> ReportResult:
        from mtassay.verbs.report import report

        return report(*args, **options)

    @property
    def __signature__(self) -> Signature:
        from mtassay.verbs.report import report

        return signature(report)


sys.modules[__name__].__class__ = _PackageAndVerb
