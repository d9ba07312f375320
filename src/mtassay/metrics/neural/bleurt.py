"""BLEURT, by the package bleurt-pytorch.

Sellam et al. 2020, "BLEURT: Learning robust metrics for text generation"; Pu et al. 2021, "Learning compact metrics for
MT" (BLEURT-20). The original runs in TensorFlow; bleurt-pytorch is a port of its models to PyTorch, with converted
weights on the Hugging Face hub.

The model reads reference and hypothesis as a pair. Pairs that are longer than the model allows are truncated token by
token, the longer text first, as in the original.

Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.metrics.core.options import option
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.base import NeuralMetric
from mtassay.metrics.neural.transformers_models import load_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.metrics.neural.assessments import Sample


@dataclass(frozen=True, kw_only=True)
class Bleurt(NeuralMetric):
    """BLEURT, a learned metric; needs the package bleurt-pytorch."""

    name: ClassVar[str] = "bleurt"
    label: ClassVar[str] = "BLEURT"
    extra: ClassVar[str] = "bleurt"
    package: ClassVar[str] = "bleurt-pytorch"

    model: str = option("lucadiliello/BLEURT-20", "name on the Hugging Face hub, or a folder")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The texts, in the order of the pair."""
        return ("reference", "hypothesis")

    def load(self, path: Path) -> BleurtModel:
        """Load the model and its tokenizer."""
        port = self.library("bleurt_pytorch")
        tokenizer = port.BleurtTokenizer.from_pretrained(str(path), local_files_only=True)
        model, device = load_whole(self, port.BleurtForSequenceClassification, path)
        return BleurtModel(self, model, tokenizer, device)


class BleurtModel:
    """A BLEURT model on a device."""

    def __init__(self, metric: Bleurt, model: Any, tokenizer: Any, device: str) -> None:
        self._model, self._tokenizer, self._device, self._batch = model, tokenizer, device, metric.batch
        self._most_tokens = min(tokenizer.model_max_length, model.config.max_position_embeddings)

    def __call__(self, samples: Sequence[Sample]) -> list[Assessment]:
        """Assess some texts."""
        torch = import_module("torch")
        scores: list[float] = []
        for first in range(0, len(samples), self._batch):
            references, hypotheses = zip(*samples[first : first + self._batch], strict=True)
            inputs = self._tokenizer(
                list(references),
                list(hypotheses),
                padding="longest",
                truncation="longest_first",
                max_length=self._most_tokens,
                return_tensors="pt",
            )
            with torch.inference_mode():
                scores += self._model(**inputs.to(self._device)).logits.float().flatten().tolist()
        return [Assessment(score) for score in scores]
