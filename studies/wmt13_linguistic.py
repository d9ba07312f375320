"""Rows of the WMT13 metrics task that look at lemmas, tags, trees and errors, and the classifier of one of them.

Trees of references come from link-grammar. Metrics that parse every output (UMEANT, MEANT) take hours with it, so they
are computed only with the annotator that the environment variable MTASSAY_TREES names, such as
``spacy:en_core_web_sm``; DEPREF then has a row with its trees, too.
"""

from __future__ import annotations

import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from wmt13_recipes import TREES, Recipe

import mtassay
from mtassay.data import load_judgements

if TYPE_CHECKING:
    from collections.abc import Callable

_HANTA = find_spec("HanTa") is not None
LINK_GRAMMAR = shutil.which("link-parser") is not None
#: The direction from whose preferences TerrorCat's classifier learns.
TRAINING = ("wmt12", "cs-en")
_SEMPOS = (
    "The authors take base forms and semantic classes from deep syntactic analyses by TectoMT, which cannot be had; "
    "here they follow from HanTa's tags and lemmas."
)
_DEPREF = (
    "A reconstruction: the paper leaves weights, tokens and the count of repeated words open, and its parser is not "
    "known here (see [depref.md](../metrics/depref.md), and above what trees gain)."
)
_MEANT = (
    "A reconstruction: the authors have a role labeller and similarities of words from a large corpus; here frames "
    "follow from dependency trees, and only equal words are similar (see [meant.md](../metrics/meant.md)); MEANT has "
    "equal weights."
)
_TERRORCAT = (
    "The authors' classifier learned from rankings of earlier years with other tags and lemmas; ours from "
    f"{'/'.join(TRAINING)} alone, with HanTa's."
)


#: What rows need, whether it is at hand, and how to get it.
_NEEDS = (
    ("SEMPOS and TERRORCAT", _HANTA, "`pip install 'mtassay[annotate]'`"),
    ("DEPREF (link-grammar)", LINK_GRAMMAR, "`apt-get install link-grammar`"),
    (
        "UMEANT, MEANT and DEPREF (spacy)",
        bool(TREES),
        "a parser, which can be trained on UD English EWT ([recipe](../metrics/meant.md#trees)): "
        "`MTASSAY_TREES=spacy:FOLDER make study ARGS=wmt13`",
    ),
)


def left_out() -> list[str]:
    """One sentence per group of rows that need what is not at hand."""
    return [f"Not computed: {rows}, which need {how}." for rows, is_at_hand, how in _NEEDS if not is_at_hand]


@cache
def terrorcat_model(data: Path) -> str | None:
    """The file of a classifier that learned from WMT12; None where these data are not among the data."""
    folder = data.joinpath(*TRAINING)
    if not (folder / "pairs.tsv").exists() or find_spec("sklearn") is None:
        return None
    from mtassay.learn import Resources, train

    testset = mtassay.load(folder)
    judged = load_judgements(folder / "pairs.tsv", testset=testset)
    trained = train(
        testset, judged, model="ranksvm", features="terrorcat", resources=Resources(annotator="hanta:en"), seed=1
    )
    path = Path(mkdtemp(prefix="mtassay-")) / "terrorcat.model"
    trained.save(path)
    return str(path)


def _recipe(
    row: str,
    spec: str,
    *,
    why: str,
    is_at_hand: bool,
    segment_row: str = "",
    model: Callable[[Path], str | None] | None = None,
) -> Recipe:
    return Recipe(
        row,
        spec,
        segment_row=segment_row,
        why=why,
        group="linguistic",
        english=True,
        is_at_hand=is_at_hand,
        model=model,
    )


def _depref(name: str, annotator: str, trees: str, *, is_at_hand: bool) -> Recipe:
    row = f"DEPREF-{name.upper()}"
    spec = f"depref-{name}:annotator={annotator}"
    return _recipe(f"{row} ({trees})", spec, why=_DEPREF, is_at_hand=is_at_hand, segment_row=row)


LINGUISTIC = (
    _recipe("SEMPOS", "sempos", why=_SEMPOS, is_at_hand=_HANTA),
    _recipe("SEMPOS (cap-macro)", "sempos:variant=macro", why=_SEMPOS, is_at_hand=_HANTA),
    *(_depref(name, "link-grammar", "link-grammar", is_at_hand=LINK_GRAMMAR) for name in ("align", "exact")),
    *(_depref(name, "TREES", TREES.partition(":")[0], is_at_hand=bool(TREES)) for name in ("align", "exact")),
    *(
        _recipe(name, f"{name.lower()}:annotator=TREES", why=_MEANT, is_at_hand=bool(TREES), segment_row=name)
        for name in ("UMEANT", "MEANT")
    ),
    _recipe(
        "TERRORCAT",
        "terrorcat:MODEL,annotator=hanta:en",
        why=_TERRORCAT,
        is_at_hand=_HANTA,
        segment_row="TERRORCAT",
        model=terrorcat_model,
    ),
)
