"""Metrics computed by neural models: what all of them share.

A model scores every text only once: its assessments are kept on disk (``mtassay.metrics.neural.assessments``), under a
key of the metric, the model, its version, the version of the library, the precision and the texts. Batch size and
device are not part of the key, since they change scores only by rounding, about 1e-7. New texts are sorted by length
and scored in chunks of a few batches, here or on the workers of a cluster; each chunk is kept here as soon as it is
scored, so that a run that was killed resumes where it stopped. PyTorch is loaded when the first new text is scored, by
the process that scores it.

Several references: the best one counts. Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np

from mtassay.errors import InputError, MissingExtraError, MtassayError, counted
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import first_best
from mtassay.metrics.core.sent_chunks import SentMetrics
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.external.functions import PairScorer, PythonMetric
from mtassay.metrics.neural.assessments import AssessmentStore
from mtassay.metrics.neural.models import ModelFiles, find_model, reason
from mtassay.metrics.neural.torch_runtime import PRECISIONS, silence

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from pathlib import Path

    from mtassay.metrics.core.references import References
    from mtassay.metrics.external.functions import Places
    from mtassay.metrics.neural.assessments import Assessment, Sample
    from mtassay.types import Floats

    class Model(Protocol):
        """A loaded model."""

        def __call__(self, samples: Sequence[Sample]) -> Sequence[Assessment]:
            """Assess some texts, in batches of the size that the metric names."""


#: Batches that are scored together and then kept.
_BATCHES_AT_ONCE = 8
#: The model that was used last; no others are kept, since models take gigabytes.
_loaded: list[tuple[Hashable, Model]] = []
#: One thread at a time loads models and runs them.
_one_at_a_time = RLock()


@dataclass(frozen=True, kw_only=True)
class NeuralMetric(PythonMetric):
    """A metric that is computed by a neural model."""

    #: The extra that installs the library.
    extra: ClassVar[str]
    #: The name of the library on PyPI.
    package: ClassVar[str]
    #: Files that the folder of a model must have, and files that belong to a model that is a single file.
    needed_files: ClassVar[tuple[str, ...]] = ("config.json",)
    files_beside: ClassVar[tuple[str, ...]] = ()

    model: str = option("", "name on the Hugging Face hub, or a folder")
    revision: str | None = option(
        None, "branch, tag or commit on the hub (default: the one on this machine, else the newest)", kind=str
    )
    batch: int = option(16, "texts at a time; changes speed and memory only", minimum=1, aliases=("batch_size",))
    device: str = option("auto", "cpu, cuda, cuda:1, mps, or auto: a GPU if there is one")
    precision: str = option("fp32", "numbers that the model computes with", choices=PRECISIONS)

    # What a metric defines

    @abstractmethod
    def load(self, path: Path) -> Model:
        """Load the model from a folder or file of this machine."""

    def identity(self) -> tuple[object, ...]:
        """Options that change scores, besides the model and the precision."""
        return ()

    def option_entries(self) -> list[Entry]:
        """Signature entries of the options in ``identity``."""
        return []

    # What follows from these

    @property
    def model_name(self) -> str:
        """The name or path of the model, as given."""
        return self.model

    @property
    def files(self) -> ModelFiles:
        """The model and its version."""
        return find_model(
            self.model_name,
            revision=self.revision,
            extra=self.extra,
            needed=self.needed_files,
            beside=self.files_beside,
        )

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> NeuralScorer:
        """Make the scorer; there is nothing to prepare."""
        return NeuralScorer(self, references, execution=execution)

    def values(self, texts: Mapping[str, list[Any]], place: Places, *, execution: Execution = SERIAL) -> Floats:
        """Scores of n pairs, shape (n,)."""
        return np.array([found.score for found in self.assess(texts, place, execution=execution)])

    def assess(
        self, texts: Mapping[str, list[Any]], place: Places, *, execution: Execution = SERIAL
    ) -> list[Assessment]:
        """The model's assessments of n pairs; those of new texts are computed and kept on disk.

        Args:
            texts: for every argument a list of n texts.
            place: names a pair, counted from 0, in messages.
            execution: how chunks are run: one at a time in this process, or on a cluster.
        """
        samples: list[Sample] = list(zip(*(texts[name] for name in self.arguments), strict=True))
        with _one_at_a_time:
            files = self.files
            versions = (files.version, self.package_version)
            store = AssessmentStore(self.name, (*versions, self.precision, self.arguments, *self.identity()))
            found = store.read(samples)
            new = [sample for sample in dict.fromkeys(samples) if sample not in found]
            if (odd := next((sample for sample in new if not all(map(_is_text, sample))), None)) is not None:
                raise InputError(f"{self} cannot read {place(samples.index(odd))}: it has half of a surrogate pair")
            # Longest first: batches have little padding, and a lack of memory shows at once.
            new.sort(key=lambda sample: (-sum(map(len, sample)), sample))

            size = _BATCHES_AT_ONCE * self.batch
            chunks = [new[first : first + size] for first in range(0, len(new), size)]
            # Workers load this version of the model, whatever version they have downloaded.
            metric = self if files.path is not None else replace(self, revision=files.version)
            for chunk, said in zip(
                chunks, execution.map_chunks(_assessed, chunks, shared=SentMetrics([metric])), strict=True
            ):
                assessed = dict(zip(chunk, said, strict=True))
                store.write({sample: one for sample, one in assessed.items() if math.isfinite(one.score)})
                wrong = next((sample for sample, one in assessed.items() if not math.isfinite(one.score)), None)
                if wrong is not None:
                    raise MtassayError(f"{self} gave no finite score to {place(samples.index(wrong))}")
                found.update(assessed)
        return [found[sample] for sample in samples]

    def assess_chunk(self, samples: Sequence[Sample]) -> list[Assessment]:
        """The model's assessments of some texts; nothing is kept."""
        model = self._model(self.files)
        try:
            with silence():
                found = model(samples)
        except MtassayError:
            raise
        except Exception as error:
            raise MtassayError(f"{self} failed: {reason(error)}") from error
        if len(found) != len(samples):
            raise MtassayError(f"{self} returned {counted(len(found), 'score')} for {counted(len(samples), 'text')}")
        return list(found)

    def _model(self, files: ModelFiles) -> Model:
        """The loaded model."""
        key = (type(self), replace(self, model="", revision=None), files)
        if not _loaded or _loaded[0][0] != key:
            _loaded.clear()
            path = files.on_this_machine(self.extra)
            try:
                with silence():
                    model = self.load(path)
            except MtassayError:
                raise
            except Exception as error:
                raise MtassayError(
                    f"the model {self.model_name} cannot be loaded by {self.package}: {reason(error)}"
                ) from error
            _loaded.append((key, model))
        return _loaded[0][1]

    @classmethod
    def library(cls, module: str) -> Any:
        """Import a module of the library; an error if it is not installed or cannot be loaded."""
        try:
            return import_module(module)
        except Exception as error:
            top = module.partition(".")[0]
            if isinstance(error, ModuleNotFoundError) and error.name == top:
                raise MissingExtraError(f"the metric {cls.name}", cls.extra) from error
            # The library is installed, but something it needs is missing or incompatible.
            raise MtassayError(f"the package {top} cannot be loaded: {reason(error)}") from error

    @property
    def package_version(self) -> str:
        """The installed version of the library; ``none`` if it is not installed."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.package)
        except PackageNotFoundError:
            return "none"

    @property
    def statistics_key(self) -> Hashable:
        """Batch size and device do not change what is computed."""
        return replace(self, batch=1, device="auto")

    @property
    def public_spec(self) -> str:
        """The specification without the folder of the model."""
        return str(replace(self, model=self.files.shown))

    def signature_entries(self) -> list[Entry]:
        """The model with its version, the options that change scores, and the version of the library."""
        files = self.files
        return [
            Entry("model", "m", files.shown),
            Entry("revision", "rev", files.shown_version),
            *self.option_entries(),
            Entry("precision", "p", self.precision),
            Entry(self.package, "lib", self.package_version),
        ]


def _assessed(sent: SentMetrics, samples: list[Sample]) -> list[Assessment]:
    (metric,) = cast("tuple[NeuralMetric]", sent.checked)
    with _one_at_a_time:
        return metric.assess_chunk(samples)


def _is_text(text: str) -> bool:
    """Whether UTF-8 can encode the text; tokenizers accept nothing else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class NeuralScorer(PairScorer):
    """Scorer that also gives the model's assessments, which may have more than scores."""

    metric: NeuralMetric

    def assessments_of_systems(self, systems: Mapping[str, Sequence[str]]) -> list[Assessment]:
        """The model's assessments of all outputs, system after system, each for its best reference."""
        texts, place = self.pairs_of_systems(systems)
        lists, pairs = self.arguments(texts, place.hypotheses, place.segments)
        found = self.metric.assess(lists, place[pairs], execution=self.sending)
        scores = np.array([said.score for said in found])
        return [found[i] for i in first_best(self.metric.sign * scores, pairs).tolist()]
