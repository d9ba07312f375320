"""BERTScore, by the package bert-score.

Zhang et al. 2020, "BERTScore: Evaluating text generation with BERT". Words of the hypothesis and of the reference are
matched greedily by the similarity of their contextual embeddings, which gives precision, recall and F1 (default).
Words are not weighted (no idf), since weights would make the score of a text depend on all references.

The model is chosen by the target language, as bert-score chooses it; ``rescale=yes`` subtracts bert-score's baseline of
that language and model.

Statistics: ``sum n``. An empty hypothesis or reference has the score 0 before rescaling, as in the original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.errors import InputError, MtassayError
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.base import NeuralMetric
from mtassay.metrics.neural.torch_runtime import device_of, half_precision, silence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.metrics.neural.assessments import Sample

#: Parity: bert-score's models by language; all other languages use the multilingual one.
MODELS = {
    "en": "roberta-large",
    "en-sci": "allenai/scibert_scivocab_uncased",
    "tr": "dbmdz/bert-base-turkish-cased",
    "zh": "bert-base-chinese",
}
_MULTILINGUAL = "bert-base-multilingual-cased"
#: In the order in which bert-score returns them.
_MEASURES = ("precision", "recall", "f1")
_NEW_WEIGHTS = re.compile(r"newly initialized: \[(.*?)\]", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class BertScore(NeuralMetric):
    """BERTScore, similarity of contextual embeddings; needs the package bert-score."""

    name: ClassVar[str] = "bertscore"
    extra: ClassVar[str] = "bertscore"
    package: ClassVar[str] = "bert-score"

    model: str = option("", "name on the Hugging Face hub, or a folder (default: by language)")
    batch: int = option(64, "texts at a time; changes speed and memory only", minimum=1, aliases=("batch_size",))
    measure: str = option("f1", "which of the three scores", choices=_MEASURES)
    lang: str | None = option(None, "target language (default: that of the test set)", kind=str)
    layers: int | None = option(
        None, "layer of the embeddings (default: bert-score's choice for the model)", kind=int, minimum=0
    )
    rescale: bool = option(False, "rescale with the baseline of language and model")

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, Any]:
        """The target language."""
        del source
        return {"lang": target}

    @property
    def label(self) -> str:
        """BERTScore, with the measure unless it is F1."""
        return "BERTScore" if self.measure == "f1" else f"BERTScore-{self.measure}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Hypothesis and reference."""
        return ("hypothesis", "reference")

    @property
    def model_name(self) -> str:
        """The model as given, or that of the language."""
        if self.model:
            return self.model
        if not self.lang:
            raise InputError("bertscore chooses its model by language: give lang=de, model=NAME, or -l en-de")
        return MODELS.get(self.lang.lower(), _MULTILINGUAL)

    def identity(self) -> tuple[object, ...]:
        """Measure, layer and baseline; bert-score looks the latter two up by the name of the model."""
        named = self.model_name if self.layers is None or self.rescale else ""
        return self.measure, self.layers, self.rescale, named, self.lang if self.rescale else None

    def option_entries(self) -> list[Entry]:
        """Measure, layer and baseline."""
        return [
            Entry("measure", "me", self.measure),
            Entry("layers", "L", "default" if self.layers is None else str(self.layers)),
            Entry("idf", "idf", "no"),
            Entry("rescale", "rb", (self.lang or "") if self.rescale else "no"),
        ]

    def load(self, path: Path) -> BertScoreModel:
        """Load the model."""
        library = self.library("bert_score")
        layers = self.layers
        if layers is None:
            layers = self.library("bert_score.utils").model2layers.get(self.model_name)
        if layers is None:
            raise InputError(f"bert-score has no layer for the model {self.model_name}: give layers=N")
        baseline = None
        if self.rescale:
            folder = Path(library.__file__).parent / "rescale_baseline"
            baseline = folder / (self.lang or "") / f"{self.model_name}.tsv"
            if not self.lang or not baseline.is_file():
                raise InputError(
                    f"bert-score has no baseline of {self.model_name} for the language {self.lang or '(none given)'}: "
                    "leave out rescale=yes"
                )
        device = device_of(self.device)
        with silence() as said:
            scorer = library.BERTScorer(
                model_type=str(path),
                num_layers=layers,
                batch_size=self.batch,
                device=device,
                lang=self.lang or "",
                rescale_with_baseline=self.rescale,
                baseline_path=None if baseline is None else str(baseline),
            )
        lacking = [name for names in _NEW_WEIGHTS.findall("\n".join(said)) for name in re.findall(r"'([^']+)'", names)]
        if unknown := [name for name in lacking if "pooler" not in name]:  # the pooler is not used
            raise MtassayError(
                f"{self.model_name} is not a model for {self.name}: it lacks the weights {unknown[0]}, …"
            )
        return BertScoreModel(self, scorer, device)


class BertScoreModel:
    """A BERTScorer on a device."""

    def __init__(self, metric: BertScore, scorer: Any, device: str) -> None:
        self._scorer, self._device, self._precision, self._batch = scorer, device, metric.precision, metric.batch
        self._column = _MEASURES.index(metric.measure)

    def __call__(self, samples: Sequence[Sample]) -> list[Assessment]:
        """Assess some texts."""
        hypotheses, references = (list(texts) for texts in zip(*samples, strict=True))
        with half_precision(self._device, self._precision):
            scores = self._scorer.score(hypotheses, references, batch_size=self._batch)[self._column]
        return [Assessment(score) for score in scores.tolist()]
