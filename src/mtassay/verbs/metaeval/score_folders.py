"""Folders with scores of many metrics, as mt-metrics-eval has them: which of their files are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.data.formats import visible_files
from mtassay.errors import InputError
from mtassay.metrics.core.options import quoted
from mtassay.verbs.metaeval.coefficients import canonical
from mtassay.verbs.metaeval.metric_scores import OF_SEGMENTS, OF_SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.io.inputs import PathLike


def specifications(
    folder: PathLike, language_pair: str | None, *, level: str, coefficients: Sequence[str] | None
) -> list[str]:
    """Specifications of all score files in a folder, or in its subfolder for the language pair.

    At system level, scores of segments are read only of metrics without scores of systems.

    Args:
        folder: the folder.
        language_pair: name of the subfolder, if there is one.
        level: ``system`` or ``segment``.
        coefficients: names of the requested coefficients, if any are.
    """
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder of metric scores")
    inside = Path(folder) / (language_pair or "")
    files = visible_files(inside if inside.is_dir() else Path(folder))
    # Soft pairwise accuracy is a system-level coefficient, but needs scores of segments.
    is_soft = [canonical(name) for name in coefficients or ()] == ["soft-accuracy"]
    ends = (OF_SEGMENTS,) if is_soft or level == "segment" else (OF_SYSTEMS, OF_SEGMENTS)
    found: dict[str, Path] = {}
    for end in ends:
        for path in files:
            if path.name.endswith(end):
                found.setdefault(path.name.removesuffix(end), path)
    if not found:
        raise InputError(f"{folder} has no metric scores: no file ends in {' or '.join(ends)}")
    return [f"file:{quoted(str(found[name]))}" for name in sorted(found)]
