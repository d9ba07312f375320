"""Word alignments by eflomal, if the user has installed it.

Östling and Tiedemann 2016, "Efficient word alignment with Markov chain Monte Carlo". The model is estimated from the
texts that are aligned, by sampling: another run, or further texts, give other links. So alignments are made once and
written to files (``mtassay annotate --annotator eflomal``), from which metrics read them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "eflomal"


def eflomal_version() -> str:
    """Name and version of eflomal; if it is missing, an error with the command that installs it."""
    _package()
    return f"{NAME} {version(NAME)}"


def align_words(sources: Sequence[str], targets: Sequence[str]) -> list[str]:
    """Links between words of pairs of texts in Pharaoh's format: the union of both directions.

    Args:
        sources: texts with spaces between words, none of them empty.
        targets: their translations, with spaces between words, none of them empty.
    """
    if not sources:
        return []
    with TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("forward", "reverse")]
        _package().Aligner().align(sources, targets, links_filename_fwd=paths[0], links_filename_rev=paths[1])
        directions = [Path(path).read_text(encoding="ascii").splitlines() for path in paths]
    return [_joined(*links) for links in zip(*directions, strict=True)]


def _joined(*directions: str) -> str:
    """The links of several directions, in the order of the words.

    >>> _joined("0-0 1-2 10-3", "0-0 1-1")
    '0-0 1-1 1-2 10-3'
    """
    links = {tuple(map(int, link.split("-"))) for direction in directions for link in direction.split()}
    return " ".join("-".join(map(str, link)) for link in sorted(links))


def _package() -> Any:
    try:
        return import_module(NAME)
    except ImportError as error:
        raise MtassayError(f"word alignments need the package {NAME}: pip install {NAME}") from error
