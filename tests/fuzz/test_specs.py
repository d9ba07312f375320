"""Random metric specifications: a metric whose canonical form reads back equal, or SpecError."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.errors import MissingExtraError, SpecError

NAMES = st.sampled_from(
    ["bleu", "chrf", "chrf+", "chrf++", "chrf+++", "ter", "BLEU", "RAC1", "PGBC4", "FGB2^b", "PGBC4^ub", "RA0", "PA99"]
) | st.sampled_from(["file", "comet"])
NAMES_OF_OPTIONS = """
tok tokenize case lowercase order max_ngram_order base mean bp clip ref_len smooth segment_smooth k alpha eff
char_order word_order beta whitespace eps variant norm punct asian nonsense
path column label lp higher_is_better model gpus refs
"""
OPTIONS = st.sampled_from(["", " ", *NAMES_OF_OPTIONS.split()])
VALUES = st.one_of(
    st.sampled_from(["13a", "intl", "zh", "char", "none", "moses", "ja-mecab", "lower", "mixed", "ascii", "yes", "no"]),
    st.sampled_from(
        ["exp", "floor", "add-k", "add", "mteval", "same", "closest", "average", "tercom", "P", "A", "smooth"]
    ),
    st.sampled_from(["0", "1", "-1", "2", "4", "1e3", "1e-5", "1e300", "1e999", "nan", "-0.0", "٣", "1_0", "", "="]),
    st.sampled_from(["a b.tsv", '"a,b"', '"2*x"', '"', '""', '""""', 'a"b', '"a"b', "2*x", "C:\\x", "a+1*b"]),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=5),
)
WEIGHTS = st.one_of(
    st.sampled_from(["0.5*", "-.5 * ", "+1*", "1e-3*", "1e999*", "0*", "--1*", "1.*", "*", "", "٣*"]),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda weight: f"{weight}*"),
)


@st.composite
def metrics(draw: st.DrawFn) -> str:
    options = draw(st.lists(st.tuples(OPTIONS, st.sampled_from(["=", "=", "=", "", ":", " = "]), VALUES), max_size=4))
    separator = draw(st.sampled_from([",", ",", ", ", ";", ""]))
    name = draw(st.one_of(NAMES, NAMES, st.text(max_size=6)))
    return name + (":" + separator.join("".join(option) for option in options) if options else "")


COMBINATIONS = st.lists(st.tuples(WEIGHTS, metrics()), min_size=1, max_size=3).map(
    lambda terms: " + ".join("".join(term) for term in terms)
)


def check(text: str) -> None:
    try:
        metric = mtassay.metric(text)
    except (SpecError, MissingExtraError) as error:
        message = str(error)
    else:
        assert mtassay.metric(str(metric)) == metric
        message = metric.label
    assert len(message.splitlines()) == 1


@given(st.text(st.characters(exclude_categories=())))
def test_any_text(text: str) -> None:
    check(text)


@given(metrics())
def test_metrics(text: str) -> None:
    check(text)


@given(COMBINATIONS)
def test_combinations(text: str) -> None:
    check(text)


@given(
    NAMES,
    st.dictionaries(
        OPTIONS, st.one_of(VALUES, st.none(), st.floats(), st.integers(), st.booleans(), st.lists(st.none()))
    ),
)
def test_options_from_python(name: str, options: dict[str, object]) -> None:
    try:
        metric = mtassay.metric(name, **options)  # type: ignore[arg-type]
    except (SpecError, MissingExtraError):
        return
    assert mtassay.metric(str(metric)) == metric


@given(st.one_of(st.none(), st.integers(), st.binary(), st.lists(st.text())))
def test_no_text(value: object) -> None:
    with pytest.raises(SpecError):
        mtassay.metric(value)  # type: ignore[arg-type]
