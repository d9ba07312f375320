"""MetricX, by the package transformers.

Juraska et al. 2023, "MetricX-23: The Google submission to the WMT 2023 metrics shared task"; Juraska et al. 2024,
"MetricX-24: The Google submission to the WMT 2024 metrics shared task". The score is an expected MQM error score from 0
(no error) to 25, so lower is better. ``metricx-qe`` reads no references.

The input is one text: ``source: S candidate: H reference: R`` (MetricX-24, without the last part if there are no
references), ``candidate: H reference: R`` or ``candidate: H source: S`` (MetricX-23). It is tokenised by mT5's
tokenizer and truncated to 1536 (MetricX-24) or 1024 tokens, and the end-of-sequence token is removed. The score is the
logit of the token <extra_id_10> (number 250089) at the first step of mT5's decoder, clipped to 0 … 25. Google's program
does the same one text at a time; here the texts of a batch are padded, which changes scores only by rounding.

Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.errors import InputError
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.base import NeuralMetric
from mtassay.metrics.neural.models import ModelFiles, find_model
from mtassay.metrics.neural.transformers_models import load_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.metrics.neural.assessments import Sample

#: The number of <extra_id_10>, whose logit is the score.
_TOKEN = 250_089
_BEST, _WORST = 0.0, 25.0
#: By year: the largest number of tokens, and the texts of the input in order, with and without references.
_MOST_TOKENS = {"24": 1536, "23": 1024}
_ARGUMENTS = {
    ("24", True): ("source", "hypothesis", "reference"),
    ("24", False): ("source", "hypothesis"),
    ("23", True): ("hypothesis", "reference"),
    ("23", False): ("hypothesis", "source"),
}
#: The prefix of each text in the input.
_PREFIXES = {"source": "source: ", "hypothesis": "candidate: ", "reference": "reference: "}


@dataclass(frozen=True, kw_only=True)
class MetricX(NeuralMetric):
    """MetricX, a learned score of errors from 0 to 25; needs the package transformers and source texts."""

    name: ClassVar[str] = "metricx"
    extra: ClassVar[str] = "metricx"
    package: ClassVar[str] = "transformers"
    higher_is_better: ClassVar[bool] = False

    model: str = option("google/metricx-24-hybrid-large-v2p6", "name on the Hugging Face hub, or a folder")
    refs: bool = option(True, "give the model references; no for models that do not need them")
    tokenizer: str = option("google/mt5-xl", "name of the tokenizer on the hub, or a folder")
    year: str | None = option(
        None,
        "form of the inputs (default: 23 if the name of the model has metricx-23, else 24)",
        choices=tuple(_MOST_TOKENS),
        kind=str,
    )

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``metricx-qe`` reads no references.

        >>> MetricX.preset("metricx-qe")
        {'refs': False}
        """
        return {"refs": False} if name == "metricx-qe" else {}

    @property
    def label(self) -> str:
        """MetricX or MetricX-QE."""
        return "MetricX" if self.refs else "MetricX-QE"

    @property
    def form(self) -> str:
        """The year of the form of the inputs."""
        return self.year or ("23" if "metricx-23" in self.model.lower() else "24")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The texts, in the order of the input."""
        return _ARGUMENTS[self.form, self.refs]

    def identity(self) -> tuple[object, ...]:
        """The form of the inputs and the tokenizer."""
        return self.form, self._tokenizer_files.version

    def option_entries(self) -> list[Entry]:
        """Whether the model reads references, the form of the inputs, and the tokenizer."""
        files = self._tokenizer_files
        return [
            Entry("refs", "r", "yes" if self.refs else "no"),
            Entry("year", "y", self.form),
            Entry("tok", "tok", f"{files.shown}-{files.shown_version}"),
        ]

    @property
    def _tokenizer_files(self) -> ModelFiles:
        return find_model(self.tokenizer, revision=None, extra=self.extra, needed=("tokenizer_config.json",))

    def load(self, path: Path) -> MetricXModel:
        """Load the model and the tokenizer."""
        transformers = self.library("transformers")
        folder = self._tokenizer_files.on_this_machine(self.extra, weights=False)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model, device = load_whole(self, transformers.MT5ForConditionalGeneration, path)
        if model.config.vocab_size <= _TOKEN:
            raise InputError(
                f"{self.model} is not a model for {self.name}: its vocabulary has {model.config.vocab_size} pieces, "
                f"but the score is that of piece {_TOKEN}"
            )
        return MetricXModel(self, model, tokenizer, device)


class MetricXModel:
    """A MetricX model on a device."""

    def __init__(self, metric: MetricX, model: Any, tokenizer: Any, device: str) -> None:
        self._model, self._tokenizer, self._device, self._batch = model, tokenizer, device, metric.batch
        self._prefixes = [_PREFIXES[name] for name in metric.arguments]
        self._most_tokens = _MOST_TOKENS[metric.form]

    def __call__(self, samples: Sequence[Sample]) -> list[Assessment]:
        """Assess some texts."""
        found = []
        for first in range(0, len(samples), self._batch):
            found += self._assess(samples[first : first + self._batch])
        return found

    def _assess(self, samples: Sequence[Sample]) -> list[Assessment]:
        torch = import_module("torch")
        inputs = [
            " ".join(prefix + text for prefix, text in zip(self._prefixes, sample, strict=True)) for sample in samples
        ]
        tokens = self._tokenizer(inputs, max_length=self._most_tokens, truncation=True)["input_ids"]
        # Parity: MetricX removes the end-of-sequence token.
        padded = self._tokenizer.pad({"input_ids": [one[:-1] for one in tokens]}, return_tensors="pt")
        start = torch.zeros((len(samples), 1), dtype=torch.long, device=self._device)
        with torch.inference_mode():
            logits = self._model(**padded.to(self._device), decoder_input_ids=start).logits
        scores = logits[:, 0, _TOKEN].float().clamp(_BEST, _WORST).tolist()
        return [Assessment(score) for score in scores]
