"""Training and test data from one test set: features, human judgements and human translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import Scores
from mtassay.data.references import no_references
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.judging.learning_targets import human_pairs, human_scores
from mtassay.learn.comparisons import columns, of_source
from mtassay.learn.features import check_meteor, chosen
from mtassay.learn.matrix import Resources, feature_values, likeness_matrices, metric_of
from mtassay.learn.models import CLASSIFICATION, COMPARISON, REGRESSION, fit
from mtassay.metrics.core.references import references_of
from mtassay.metrics.core.table import build_tables

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.learn.models import Fitted, ModelKind, Parameters
    from mtassay.types import Floats, Ints


#: Name of the artificial system of automatically assessed examples.
_STRANGERS = "another segment's reference"


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """Features of the outputs of a test set, and human judgements of them.

    Attributes:
        name: name of the test set.
        features: names of the features.
        systems: names of the systems, without human translations.
        x: features against all references, shape (systems, segments, features).
        human: human scores, higher is better, NaN if missing, shape (systems, segments); None without scores.
        pairs: better system, worse system, segment, shape (3, n); None without preferences.
        machines: features of outputs against all references but one, averaged over the one left out, shape (systems,
            segments, features); None unless human and machine translations are to be classified.
        people: features of each reference against the others, shape (references, segments, features); None unless
            human and machine translations are to be classified.
        strangers: features of references against those of other segments, shape (1, segments, features); None
            unless automatically assessed examples are requested.
        baselines: scores of standard metrics by name, shape (systems, segments) each: smoothed BLEU of bigrams,
            METEOR, and head-word chains of two words if there is an annotator; empty unless requested.
        digest: digest of texts, judgements and features, in hexadecimal.
    """

    name: str
    features: tuple[str, ...]
    systems: tuple[str, ...]
    x: Floats
    human: Floats | None
    pairs: Ints | None
    machines: Floats | None
    people: Floats | None
    strangers: Floats | None
    baselines: dict[str, Floats]
    digest: str

    @property
    def n_segments(self) -> int:
        """Number of segments, judged or not."""
        return int(self.x.shape[1])

    @property
    def gold(self) -> Floats:
        """The human scores; an error if there are none."""
        if self.human is None:
            raise InputError("there are no human scores of outputs, only preferences")
        return self.human

    @property
    def judged(self) -> Ints:
        """Segments that have a human score or preference, ascending."""
        if self.human is not None:
            return np.flatnonzero(np.isfinite(self.human).any(axis=0))
        return np.unique(self.pairs[2]) if self.pairs is not None else np.arange(self.n_segments)

    @property
    def judged_systems(self) -> tuple[str, ...]:
        """Systems that have a human score or preference."""
        if self.human is not None:
            numbers = np.flatnonzero(np.isfinite(self.human).any(axis=1))
        else:
            numbers = np.unique(self.pairs[:2]) if self.pairs is not None else np.arange(len(self.systems))
        return tuple(self.systems[number] for number in numbers)

    def with_features(self, names: Sequence[str]) -> Material:
        """A copy with some of the features."""
        columns = [self.features.index(name) for name in names]
        cut: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else values[..., columns]
            for name in ("x", "machines", "people", "strangers")
        }
        return replace(self, features=tuple(names), digest=self._digest_with(names), **cut)

    def with_systems(self, names: Sequence[str]) -> Material:
        """A copy with some of the systems, and without preferences."""
        rows = [self.systems.index(name) for name in names]
        cut: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else values[rows]
            for name in ("x", "human", "machines")
        }
        cut["baselines"] = {name: values[rows] for name, values in self.baselines.items()}
        return replace(self, systems=tuple(names), pairs=None, digest=self._digest_with(names), **cut)

    def _digest_with(self, names: Sequence[str]) -> str:
        return sha256(repr((self.digest, tuple(names))).encode()).hexdigest()

    def conditions(self, kind: ModelKind) -> Floats:
        """Features of the outputs under the conditions in which a kind of model is trained."""
        if kind.framing == CLASSIFICATION and self.machines is not None:
            return self.machines
        return self.x

    def train(self, kind: ModelKind, parameters: Parameters, segments: Ints, *, with_strangers: bool = False) -> Fitted:
        """Train a model on these segments."""
        x, y = self.examples(kind, segments, with_strangers=with_strangers)
        return fit(kind, parameters, x, y, n_source=int(of_source(self.features).sum()))

    def examples(self, kind: ModelKind, segments: Ints, *, with_strangers: bool = False) -> tuple[Floats, Any]:
        """Features and targets of these segments, as ``fit`` takes them."""
        if kind.framing == REGRESSION:
            return self._scored(segments, with_strangers)
        if with_strangers:
            raise InputError(
                f"automatically assessed examples have a score: train svr, ridge or trees, not {kind.name}"
            )
        if kind.framing == CLASSIFICATION:
            return self._likeness(segments)
        if self.pairs is None:
            raise InputError(
                f"{kind.name} learns from rankings or preferences, and these judgements are scores of outputs"
            )
        pairs = self.pairs[:, np.isin(self.pairs[2], segments)]
        if kind.framing == COMPARISON:
            return self._compared(pairs)
        return self._preferred(majorities(pairs) if kind.by_majority else pairs)

    def _scored(self, segments: Ints, with_strangers: bool) -> tuple[Floats, Floats]:
        gold = self.gold[:, segments]
        there = np.isfinite(gold)
        x, y = self.x[:, segments][there], gold[there]
        if with_strangers:
            if self.strangers is None:
                raise InputError("automatically assessed examples were not prepared")
            added = self.strangers[:, segments].reshape(-1, x.shape[1])
            x, y = np.concatenate([x, added]), np.concatenate([y, np.full(len(added), y.min())])
        return x, y

    def _likeness(self, segments: Ints) -> tuple[Floats, Any]:
        if self.people is None or self.machines is None:
            raise InputError(
                "classifying human and machine translations needs at least two references; this test set has one"
            )
        people, machines = (part[:, segments].reshape(-1, part.shape[2]) for part in (self.people, self.machines))
        return np.concatenate([people, machines]), np.repeat([1, 0], [len(people), len(machines)])

    def _compared(self, pairs: Ints) -> tuple[Floats, Any]:
        better, worse, segment = pairs
        winners, losers = self.x[better, segment], self.x[worse, segment]
        both = [columns(one, other, self.features) for one, other in ((winners, losers), (losers, winners))]
        return np.concatenate(both), np.repeat([1, 0], len(winners))

    def _preferred(self, pairs: Ints) -> tuple[Floats, Any]:
        better, worse, segment = pairs
        n = self.n_segments
        rows, numbers = np.unique([better * n + segment, worse * n + segment], return_inverse=True)
        return self.x.reshape(-1, self.x.shape[2])[rows], numbers.reshape(2, -1)


def majorities(pairs: Ints) -> Ints:
    """The preference of the majority for each pair of outputs; pairs with a tie are left out.

    Args:
        pairs: better system, worse system, segment, shape (3, n).

    >>> majorities(np.array([[0, 0, 1, 2, 3], [1, 1, 0, 3, 2], [7, 7, 7, 7, 7]])).tolist()
    [[0], [1], [7]]
    """
    better, worse, segment = pairs
    names = np.stack([np.minimum(better, worse), np.maximum(better, worse), segment])
    different, numbers = np.unique(names, axis=1, return_inverse=True)
    votes = np.bincount(np.ravel(numbers), weights=np.where(better < worse, 1, -1), minlength=different.shape[1])
    decided = votes != 0
    first, second, of_segment = different[:, decided]
    is_first = votes[decided] > 0
    return np.stack([np.where(is_first, first, second), np.where(is_first, second, first), of_segment])


def check_learnable(kind: ModelKind, judged: Judgements | Sequence[Judgements]) -> None:
    """Refuse judgements from which a kind of model does not learn; features may take hours, so check before them."""
    several = list(judged) if isinstance(judged, Sequence) else [judged]
    if kind.framing == REGRESSION and several and not any(isinstance(one, Scores | ErrorSpans) for one in several):
        raise InputError(
            f"{kind.name} learns from human scores, and these judgements are rankings or preferences: choose a model "
            "that learns from them, --model (model=) logistic, ranksvm or pairwise"
        )


def material(
    testset: TestSet,
    judged: Judgements | Sequence[Judgements],
    features: str | Sequence[str] = "modern",
    *,
    resources: Resources | None = None,
    normalise: str = "mean",
    likeness: bool = False,
    strangers: bool = False,
    baselines: bool = False,
    execution: Execution = SERIAL,
) -> Material:
    """Compute features, and arrange human judgements by system and segment.

    Args:
        testset: references and outputs; systems that are a reference are left out.
        judged: scores, or rankings or preferences, that were read with ``testset=``; several scores are averaged.
        features: names of features or of sets.
        resources: annotator, index and language.
        normalise: normalisation of the scores of each judge: ``mean`` (none), ``z`` or ``even``.
        likeness: whether human and machine translations are to be classified; needs two references.
        strangers: whether to add automatically assessed examples.
        baselines: whether to add scores of standard metrics.
        execution: how the work is run.
    """
    testset = testset.setting_aside(testset.reference_names)
    if not testset.systems:
        raise InputError("there is no system to learn from")
    used = (resources or Resources()).with_language_of(testset)
    names = tuple(feature.name for feature in chosen(features))
    check_meteor(features, baselines=baselines and bool(testset.references))
    several = list(judged) if isinstance(judged, Sequence) else [judged]
    if not several:
        raise InputError("there are no human judgements to learn from")
    human = pairs = None
    if isinstance(several[0], Scores | ErrorSpans):
        human = human_scores(testset, several, normalise=normalise)
    else:
        pairs = np.stack(
            [np.concatenate(part) for part in zip(*(human_pairs(testset, one) for one in several), strict=True)]
        )
    x = feature_values(references_of(testset), testset.systems, names, used, execution=execution)
    machines, people = likeness_matrices(testset, names, used) if likeness else (None, None)
    digest = sha256(_digest_of(testset) + repr((names, normalise)).encode())
    # The values of features are part of the digest, since they depend on annotations, the index and the language, too.
    for array in (human, pairs, x):
        digest.update(b"" if array is None else array.tobytes())
    return Material(
        name=testset.name or "test set",
        features=names,
        systems=tuple(testset.systems),
        x=x,
        human=human,
        pairs=pairs,
        machines=machines,
        people=people,
        strangers=_strangers(testset, names, used, execution.quiet) if strangers else None,
        baselines=_baselines(testset, used, execution.quiet) if baselines else {},
        digest=digest.hexdigest(),
    )


def _digest_of(testset: TestSet) -> bytes:
    texts = [[*stream] for stream in testset.references] + [[name, *lines] for name, lines in testset.systems.items()]
    return sha256(repr(texts).encode("utf-8", "surrogatepass")).digest()


def _baselines(testset: TestSet, resources: Resources, execution: Execution) -> dict[str, Floats]:
    """Scores of the paper's standard metrics; HWCM only if there is an annotator, none if there are no references."""
    if not testset.references:
        return {}
    specs = {"BLEU": "bleu:case=lower,order=2,smooth=add-k,k=1,eff=no", "METEOR": "meteor"}
    if resources.annotator is not None:
        specs["HWCM"] = "hwcm:n=2"
    metrics = [metric_of(spec, resources) for spec in specs.values()]
    tables = build_tables(references_of(testset), testset.systems, metrics, execution=execution)
    return {name: table.segment_scores() for name, table in zip(specs, tables, strict=True)}


def _strangers(testset: TestSet, names: tuple[str, ...], resources: Resources, execution: Execution) -> Floats:
    """Features of the first reference of another segment, half the test set away: fluent, but not a translation."""
    n = testset.n_segments
    if n < 2:
        raise InputError("automatically assessed examples need a second segment")
    if not testset.references:
        raise no_references("learning from automatically assessed examples")
    texts = [next(text for text in segment if text is not None) for segment in zip(*testset.references, strict=True)]
    moved = tuple(texts[(place + n // 2) % n] for place in range(n))
    return feature_values(references_of(testset), {_STRANGERS: moved}, names, resources, execution=execution)
