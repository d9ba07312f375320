"""The features of learned metrics, declared one by one.

A feature is a number of one segment of one system. The sets are those of Kulesza & Shieber 2004 (``small``, nine
features), those of Albrecht & Hwa 2007 in their four groups (``full``, 53), reference metrics of the toolkit
(``modern``), the errors that TerrorCat counts (``terrorcat``), and those of Avramidis & Popović 2013 that need no
reference (``free``). In addition, ``cross:METRIC`` is a feature for nearly every metric of the toolkit.
``docs/learn-features.md`` is made from this table by ``tools/feature_docs.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mtassay.errors import InputError, counted, unknown_name
from mtassay.metrics.core.registry import BUILT_IN
from mtassay.metrics.linguistic.terrorcat_features import FEATURE_NAMES
from mtassay.metrics.meteor.resources import find_resources

if TYPE_CHECKING:
    from collections.abc import Sequence

KS = "Kulesza & Shieber 2004"
AH = "Albrecht & Hwa 2007"
LG = "Liu & Gildea 2005"
AP = "Avramidis & Popović 2013"
OURS = "ours"

STRINGS, TREES = "string-based, over references", "syntax-based, over references"
CORPUS, TREEBANK = "string-based, over a corpus", "syntax-based, over a corpus"
MODERN, FREE = "metrics of the toolkit", "without references"
ERRORS = "errors by class of tags (TerrorCat)"

#: Prefix of features that are a metric computed against the outputs of the other systems.
CROSS = "cross:"
#: How the statistics of a metric become a feature.
SHARE, SCORE, PRECISION, RECALL, FRAGMENTATION = "share", "score", "precision", "recall", "fragmentation"
COLUMN = "column"
#: What is counted in sources and outputs.
SOURCE_WORDS, SOURCE_LETTERS, WORDS, SOURCE_RATIO = "source words", "source letters", "words", "source ratio"


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One feature.

    Attributes:
        name: unique name.
        group: one of the paper's four groups, or one of the others named above.
        needs: ``trees``, ``tags`` (and lemmas), ``corpus`` (texts in the index), ``treebank`` (trees in the index),
            ``meteor`` (its data), ``sources``, ``systems`` (the outputs of other systems).
        formula: definition.
        citation: the paper it is from.
        reason: reason for a choice that the paper leaves open.
        metric: specification of the metric from whose statistics it is read, without annotator and language; '' if it
            is not read from a metric.
        reading: how it is read from the statistics, or what is looked up or counted.
        size: length of n-grams or chains, depth of sub-trees, number of words between two, or number of a column.
    """

    name: str
    group: str
    needs: tuple[str, ...] = ()
    formula: str
    citation: str = ""
    reason: str = ""
    metric: str = ""
    reading: str
    size: int = 0

    @property
    def reads_references(self) -> bool:
        """Whether the feature compares the hypothesis with references."""
        return bool(self.metric) and not self.metric.startswith(CROSS)


_WORDS = (
    "words of the tokenizer 13a in lower case, as in every string-based feature but METEOR's: shared by all of them"
)
_SHORT = "0 if the hypothesis is too short to have any"


def _string_features() -> list[Feature]:
    feature = partial(Feature, group=STRINGS)
    found = [
        feature(
            name=f"precision_{n}",
            formula=f"{n}-grams of the hypothesis that any reference has, not clipped / {n}-grams of the hypothesis",
            citation=KS,
            reason=f"{_WORDS}; {_SHORT}" if n == 1 else _SHORT,
            metric="bleu:case=lower,order=5,clip=no",
            reading=SHARE,
            size=n,
        )
        for n in range(1, 6)
    ]
    for name, rule in (("min", "longest"), ("max", "shortest")):
        reason = "a reference without words counts as having one"
        formula = f"words of the hypothesis / words of the {rule} reference"
        spec = f"length_ratio:ref_len={rule}"
        found.append(
            feature(
                name=f"length_ratio_{name}", formula=formula, citation=KS, reason=reason, metric=spec, reading=SCORE
            )
        )
    for name, kind in (("wer", "word error rate"), ("per", "position-independent word error rate")):
        formula = f"{kind}, the lowest over references"
        found.append(
            feature(
                name=f"{name}_lower",
                formula=formula,
                citation=KS,
                reason="lower is better",
                metric=f"{name}:case=lower",
                reading=SCORE,
            )
        )
    meteor = "meteor"
    reasons = {
        PRECISION: "METEOR 1.5 in place of the version of 2005: weighted matches of all its stages, the best reference",
        RECALL: "as for meteor_precision",
        FRAGMENTATION: "the fragmentation itself, not the penalty, whose parameters METEOR tuned; 0 if all words match "
        "in one chunk, 1 if nothing matches",
    }
    formulas = {
        PRECISION: "weighted share of the hypothesis's words that METEOR matches",
        RECALL: "weighted share of the reference's words that METEOR matches",
        FRAGMENTATION: "chunks / matches of METEOR's alignment",
    }
    for reading, formula in formulas.items():
        found.append(
            feature(
                name=f"meteor_{reading}",
                needs=("meteor",),
                formula=formula,
                citation=AH,
                reason=reasons[reading],
                metric=meteor,
                reading=reading,
            )
        )
    for m in range(1, 6):
        formula = f"ROUGE-S{m}: F-measure of pairs of words with at most {counted(m, 'word')} between them"
        reason = (
            "'a gap size of m' is taken to mean at most m, as Lin & Och 2004 define skip-bigrams; F as in ROUGE"
            if m == 1
            else ""
        )
        spec = f"rougeS:case=lower,gap={m},tok=13a"
        found.append(
            feature(name=f"skip_{m}", formula=formula, citation=AH, reason=reason, metric=spec, reading=SCORE, size=m)
        )
    formula = "ROUGE-L: F-measure of the longest common subsequence, the best reference"
    found.append(
        feature(name="rouge_l", formula=formula, citation=AH, metric="rougeL:case=lower,tok=13a", reading=SCORE)
    )
    return found


def _tree_features() -> list[Feature]:
    feature = partial(Feature, group=TREES, needs=("trees",))
    found = []
    for c in range(2, 5):
        formula = f"chains of {c} head words that a reference has, clipped / chains of {c} head words"
        reason = "no value if the parse is missing; " + _SHORT if c == 2 else _SHORT
        found.append(
            feature(
                name=f"chain_{c}",
                formula=formula,
                citation=f"{AH}; {LG}",
                reason=reason,
                metric="hwcm",
                reading=SHARE,
                size=c,
            )
        )
    kinds = (
        ("subtree", "constituents (labels, no words)", "stm"),
        ("dependency_subtree", "dependencies (words)", "stm:over=dependencies"),
    )
    for name, nodes, spec in kinds:
        for depth in range(2, 5):
            formula = f"sub-trees of depth {depth} over {nodes} that a reference has, clipped / such sub-trees"
            reason = (
                "one feature per depth, as the paper does for chains; depth 1 is left out: over dependencies it is "
                "the unigram precision, over constituents a bag of labels"
                if depth == 2
                else ""
            )
            found.append(
                feature(
                    name=f"{name}_{depth}",
                    formula=formula,
                    citation=f"{AH}; {LG}",
                    reason=reason,
                    metric=spec,
                    reading=SHARE,
                    size=depth,
                )
            )
    return found


def _corpus_features() -> list[Feature]:
    feature = partial(Feature, group=CORPUS, needs=("corpus",))
    found = []
    for n in range(1, 6):
        formula = f"{n}-grams of the hypothesis that the corpus has / {n}-grams of the hypothesis"
        found.append(
            feature(name=f"corpus_precision_{n}", formula=formula, citation=AH, reason=_SHORT, reading="ngrams", size=n)
        )
    for m in range(1, 6):
        formula = f"pairs of words with at most {m} between them that the corpus also has this close / such pairs"
        reason = "a precision, since recall of a corpus has no meaning" if m == 1 else ""
        found.append(
            feature(name=f"corpus_skip_{m}", formula=formula, citation=AH, reason=reason, reading="skips", size=m)
        )
    for n in range(1, 4):
        formula = f"mean over the {n}-grams of the hypothesis of log2(1 + count in the corpus)"
        reason = "shows whether an n-gram is common; precision only shows whether it occurs" if n == 1 else ""
        found.append(
            feature(
                name=f"corpus_frequency_{n}", formula=formula, citation=OURS, reason=reason, reading="frequency", size=n
            )
        )
    formula = "length of the longest run of words whose bigrams are all in the corpus / words"
    reason = "in place of the longest common subsequence, which needs one sentence to compare with"
    found.append(feature(name="corpus_run", formula=formula, citation=OURS, reason=reason, reading="run", size=2))
    return found


def _treebank_features() -> list[Feature]:
    feature = partial(Feature, group=TREEBANK, needs=("trees", "treebank"))
    found = []
    for c in range(2, 5):
        formula = f"chains of {c} head words that the treebank has / chains of {c} head words"
        found.append(
            feature(name=f"treebank_chain_{c}", formula=formula, citation=AH, reason=_SHORT, reading="chains", size=c)
        )
    for depth in range(2, 5):
        formula = f"dependency sub-trees of depth {depth} that the treebank has / such sub-trees"
        reason = "only over dependencies: the paper's treebank has dependencies" if depth == 2 else ""
        found.append(
            feature(
                name=f"treebank_subtree_{depth}",
                formula=formula,
                citation=AH,
                reason=reason,
                reading="subtrees",
                size=depth,
            )
        )
    for name in ("verb", "noun", "preposition"):
        share = f"{name}s whose sets of relations to dependents on the left and on the right the treebank has"
        reason = (
            "the paper checks 'argument structures for certain syntactic categories' without naming them; here, those "
            "that take the most arguments; sets, so that a second adjunct of the same kind changes nothing; 0 without "
            "such a word"
            if name == "verb"
            else ""
        )
        found.append(
            feature(
                name=f"frame_{name}",
                formula=f"{share} for any {name} / {name}s",
                citation=AH,
                reason=reason,
                reading=f"frames {name}",
            )
        )
        formula = f"{share} for that word / {name}s"
        found.append(feature(name=f"word_frame_{name}", formula=formula, citation=AH, reading=f"word_frames {name}"))
    return found


#: Metrics whose segment scores are features; a fixed list, so that a new metric does not change the features of models.
_MODERN_METRICS = (
    *("bleu", "nist", "chrf", "chrf+", "chrf++", "meteor", "ter", "wer", "per", "cder", "gtm"),
    *("lepor", "nlepor", "hlepor", "rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeW", "rougeS", "rougeSU"),
    *("length_ratio", "exact"),
)
#: Metrics that take the annotator of the features, and what they need from it.
ANNOTATED = {
    **dict.fromkeys(("hwcm", "stm", "depref-exact", "depref-align", "meant", "umeant"), "trees"),
    **dict.fromkeys(("sempos", "addicter"), "tags"),
}
#: Metrics that cannot take other systems' outputs as references, or that take hours.
_NEURAL = ("comet", "cometkiwi", "xcomet", "bertscore", "metricx", "metricx-qe", "bleurt")
_NOT_CROSS = ("file", *_NEURAL, "learned", "terrorcat", "cross")


def _free_features() -> list[Feature]:
    feature = partial(Feature, group=FREE)
    words = "words of the tokenizer 13a"
    lengths = (
        ("source_words", ("sources",), "words of the source", SOURCE_WORDS, words),
        ("source_word_length", ("sources",), "characters / words of the source", SOURCE_LETTERS, "without white space"),
        ("words", (), "words of the hypothesis", WORDS, words),
        ("source_ratio", ("sources",), "words of the hypothesis / words of the source", SOURCE_RATIO, ""),
    )
    found = [
        feature(name=name, needs=needs, formula=formula, citation=AP, reason=reason, reading=reading)
        for name, needs, formula, reading, reason in lengths
    ]
    formula = "mean over the words of the hypothesis of log2 of their trigram score: stupid backoff, α = .4"
    reason = "not in the set `free`; an index has only counts; a word that it lacks has a count of one half"
    logprob = feature(
        name="corpus_logprob",
        needs=("corpus",),
        formula=formula,
        citation=f"{AP}; Brants et al. 2007",
        reason=reason,
        reading="logprob",
        size=3,
    )
    return [*found, _cross_feature("bleu"), _cross_feature("meteor"), logprob]


def _cross_feature(metric: str) -> Feature:
    """The feature of a metric that is computed against the outputs of the other systems."""
    need = {"meteor": "meteor", **ANNOTATED}.get(metric.partition(":")[0])
    return Feature(
        name=f"{CROSS}{metric}",
        group=FREE,
        needs=("systems",) if need is None else ("systems", need),
        formula=f"segment score of `{metric}` with the outputs of all other systems as references",
        citation=AP,
        reason="segment BLEU with the toolkit's smoothing" if metric == "bleu" else "",
        metric=f"{CROSS}{metric}",
        reading=SCORE,
    )


def _modern_features() -> list[Feature]:
    feature = partial(Feature, group=MODERN, reading=SCORE)
    return [
        feature(
            name=name, metric=name, formula=f"segment score of `{name}`", needs=("meteor",) if name == "meteor" else ()
        )
        for name in _MODERN_METRICS
    ]


def _error_features() -> list[Feature]:
    feature = partial(Feature, group=ERRORS, needs=("tags",), formula="", citation="Fishel et al. 2012", reading=COLUMN)
    return [
        feature(name=f"terrorcat_{name}", metric="terrorcat_features", size=number)
        for number, name in enumerate(FEATURE_NAMES)
    ]


_FULL = [*_string_features(), *_tree_features(), *_corpus_features(), *_treebank_features()]
#: All features by name, except ``cross:METRIC`` for other metrics.
FEATURES = {feature.name: feature for feature in (*_FULL, *_modern_features(), *_error_features(), *_free_features())}
#: Names of features by the name of a set.
FEATURE_SETS = {
    "small": tuple(feature.name for feature in _FULL if feature.citation == KS),
    "full": tuple(feature.name for feature in _FULL),
    "modern": tuple(feature.name for feature in FEATURES.values() if feature.group == MODERN),
    "terrorcat": tuple(feature.name for feature in FEATURES.values() if feature.group == ERRORS),
    "free": tuple(
        feature.name for feature in FEATURES.values() if feature.group == FREE and "corpus" not in feature.needs
    ),
}


def chosen(names: str | Sequence[str]) -> tuple[Feature, ...]:
    """Features by their names; the name of a set stands for all of its features.

    >>> [feature.name for feature in chosen("small")][:2], len(chosen("full")), len(chosen(["wer_lower", "bleu"]))
    (['precision_1', 'precision_2'], 53, 2)
    """
    given = [names] if isinstance(names, str) else list(names)
    expanded = [name for each in given for name in FEATURE_SETS.get(each, (each,))]
    if not expanded:
        raise InputError(f"no features are given; name features, or a set: {', '.join(FEATURE_SETS)}")
    return tuple(map(_feature, dict.fromkeys(expanded)))


def check_meteor(names: str | Sequence[str], *, baselines: bool) -> None:
    """Raise an error that says what needs METEOR's data, if they are not installed.

    Args:
        names: features or feature sets.
        baselines: whether METEOR is also a baseline, whatever the features are.
    """
    given = [names] if isinstance(names, str) else names
    needy = [name for name in given if any("meteor" in feature.needs for feature in chosen(name))]
    if baselines:
        find_resources(None, wanted_by="METEOR, the baseline of studies of learned metrics,", otherwise="")
    elif needy:
        kind = "feature set" if needy[0] in FEATURE_SETS else "feature"
        find_resources(
            None,
            wanted_by=f"METEOR, for the {kind} {needy[0]},",
            otherwise="or choose other features: --features small (features=) needs no extra but learn",
        )


def is_feature(name: str) -> bool:
    """Whether a feature with this name exists.

    >>> is_feature("words"), is_feature("cross:chrf"), is_feature("cross:file:scores.tsv"), is_feature("small")
    (True, True, False, False)
    """
    metric = name.removeprefix(CROSS)
    known = metric.partition(":")[0]
    return name in FEATURES or (metric != name and known in BUILT_IN and known not in _NOT_CROSS)


def _feature(name: str) -> Feature:
    if is_feature(name):
        return FEATURES.get(name) or _cross_feature(name.removeprefix(CROSS))
    raise InputError(unknown_name("feature", name, [*FEATURES, *FEATURE_SETS], see="docs/learn-features.md"))
