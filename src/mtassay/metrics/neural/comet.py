"""COMET, by the package unbabel-comet.

Rei et al. 2020, "COMET: A neural framework for MT evaluation"; the default model is that of Rei et al. 2022,
"COMET-22: Unbabel-IST 2022 submission for the metrics shared task". ``cometkiwi`` is the model without references of
Rei et al. 2022, "CometKiwi: IST-Unbabel 2022 submission for the quality estimation shared task".

The model is given source, hypothesis and reference, as ``comet-score -r`` does; models that were trained without
references ignore them, and ``refs=no`` leaves them out for models that do not need them.

Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.errors import InputError, MtassayError, SpecError
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.base import NeuralMetric
from mtassay.metrics.neural.torch_runtime import device_of, half_precision, silence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.metrics.neural.assessments import Sample

#: COMET's names of the arguments.
_NAMES = {"source": "src", "hypothesis": "mt", "reference": "ref"}
#: Where the folder of a model on the hub has its weights.
_CHECKPOINT = "checkpoints/model.ckpt"
_KIWI = "Unbabel/wmt22-cometkiwi-da"
#: The start of Lightning's warning about weights that a checkpoint lacks.
_LACKS = "Found keys that are in the model state dict but not in the checkpoint"


@dataclass(frozen=True, kw_only=True)
class Comet(NeuralMetric):
    """COMET, a learned metric; needs the package unbabel-comet and source texts."""

    name: ClassVar[str] = "comet"
    extra: ClassVar[str] = "comet"
    package: ClassVar[str] = "unbabel-comet"
    needed_files: ClassVar[tuple[str, ...]] = (_CHECKPOINT, "hparams.yaml")
    files_beside: ClassVar[tuple[str, ...]] = ("../hparams.yaml",)

    model: str = option("Unbabel/wmt22-comet-da", "name on the Hugging Face hub, a folder, or a .ckpt file")
    device: str = option("auto", "cpu, cuda, cuda:1, mps, or auto: a GPU if there is one", aliases=("gpus",))
    refs: bool = option(True, "give the model references; no for models that do not need them")

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``cometkiwi`` reads no references.

        >>> Comet.preset("cometkiwi")
        {'model': 'Unbabel/wmt22-cometkiwi-da', 'refs': False}
        """
        return {"model": _KIWI, "refs": False} if name == "cometkiwi" else {}

    @classmethod
    def _translate(cls, key: str, value: object) -> object:
        """``gpus``, the option of older versions, as a device."""
        if key != "gpus":
            return super()._translate(key, value)
        if str(value) not in {"0", "1"}:
            raise SpecError(f"{cls.name}: gpus must be 0 or 1, not {value!r}; device=cuda:1 names one of several")
        return "cuda" if str(value) == "1" else "cpu"

    @property
    def label(self) -> str:
        """COMET or CometKiwi."""
        return "CometKiwi" if self.model == _KIWI else "COMET"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Source, hypothesis and, unless left out, reference."""
        return ("source", "hypothesis", "reference") if self.refs else ("source", "hypothesis")

    def option_entries(self) -> list[Entry]:
        """Whether the model saw references."""
        return [Entry("refs", "r", "yes" if self.refs else "no")]

    def load(self, path: Path) -> CometModel:
        """Load a checkpoint."""
        comet = self.library("comet")
        device = device_of(self.device)
        with silence() as said:
            model = comet.load_from_checkpoint(str(path / _CHECKPOINT if path.is_dir() else path))
        # Such a model would compute with random weights.
        if any(_LACKS in message for message in said):
            raise MtassayError(f"the model {self.model} lacks weights that its hparams.yaml asks for")
        if not self.refs and model.requires_references():
            raise InputError(f"{self.model} needs references: leave out refs=no")
        return self._on_device(model, device)

    def _on_device(self, model: Any, device: str) -> CometModel:
        return CometModel(self, model, device)


class CometModel:
    """A COMET model on a device."""

    def __init__(self, metric: Comet, model: Any, device: str) -> None:
        self._model = model
        self._names = [_NAMES[name] for name in metric.arguments]
        self._device, self._precision, self._batch = device, metric.precision, metric.batch

    def __call__(self, samples: Sequence[Sample]) -> list[Assessment]:
        """Assess some texts."""
        return [Assessment(float(score)) for score in self.predict(samples)["scores"]]

    def predict(self, samples: Sequence[Sample]) -> Any:
        """What COMET's ``predict`` returns."""
        kind, _, number = self._device.partition(":")
        placed = {"gpus": 0} if kind == "cpu" else {"gpus": 1, "accelerator": kind, "devices": [int(number or 0)]}
        with half_precision(self._device, self._precision):
            return self._model.predict(
                [dict(zip(self._names, sample, strict=True)) for sample in samples],
                batch_size=self._batch,
                progress_bar=False,
                num_workers=0,
                **placed,
            )
