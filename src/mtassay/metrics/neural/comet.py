"""COMET, by the package unbabel-comet.

Rei et al. 2020, "COMET: A neural framework for MT evaluation"; the default model is that of Rei et al. 2022,
"COMET-22: Unbabel-IST 2022 submission for the metrics shared task".

All texts of all systems go to the model in one call, equal ones once. The score of a system is the mean over segments.
The model is given source, hypothesis and reference, as ``comet-score -r`` does; models that were trained without
references ignore them, and ``refs=no`` leaves them out for models that do not need them. Several references: the best
one counts.

Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.execution import SERIAL, Execution
from mtassay.io.inputs import open_input
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.external.functions import PairScorer, PythonMetric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.metrics.core.references import References
    from mtassay.metrics.external.functions import Place
    from mtassay.types import Floats

#: COMET's names of the arguments.
_NAMES = {"source": "src", "hypothesis": "mt", "reference": "ref"}


@dataclass(frozen=True)
class Comet(PythonMetric):
    """COMET, a learned metric; needs the package unbabel-comet and source texts."""

    name: ClassVar[str] = "comet"
    label: ClassVar[str] = "COMET"

    model: str = option("Unbabel/wmt22-comet-da", "name of the model, or a .ckpt file")
    refs: bool = option(True, "give the model references; no for models that do not need them")
    batch_size: int = option(16, "texts at a time", minimum=1)
    gpus: int = option(0, "number of GPUs", minimum=0)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Source, hypothesis and, unless left out, reference."""
        return ("source", "hypothesis", "reference") if self.refs else ("source", "hypothesis")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> PairScorer:
        """Check for the package before the texts are needed."""
        _package()
        return super().prepare(references, execution=execution)

    def values(self, texts: Mapping[str, list[Any]], place: Place) -> Floats:
        """Score texts that the model has not scored yet."""
        model = _model(self.model)
        if not self.refs and model.requires_references():
            raise InputError(f"{self.model} needs references: leave out refs=no")
        triples = list(zip(*(texts[name] for name in self.arguments), strict=True))
        different = list(dict.fromkeys(triples))
        keys = [_NAMES[name] for name in self.arguments]
        samples = [dict(zip(keys, triple, strict=True)) for triple in different]
        try:
            found = model.predict(
                samples, batch_size=self.batch_size, gpus=self.gpus, progress_bar=sys.stderr.isatty()
            ).scores
        except Exception as error:
            raise MtassayError(f"{self} failed: {type(error).__name__}: {error}") from error
        scores = np.array(found, dtype=np.float64)
        if scores.shape != (len(samples),):
            raise MtassayError(f"{self} returned {scores.size} scores for {len(samples)} texts")
        score_of = dict(zip(different, scores.tolist(), strict=True))
        values = np.array([score_of[triple] for triple in triples])
        if not np.isfinite(values).all():
            first = int(np.flatnonzero(~np.isfinite(values))[0])
            raise MtassayError(f"{self} gave no finite score to {place(first)}")
        return values

    def signature_entries(self) -> list[Entry]:
        """The model, whether it saw references, and the version of the package."""
        return [
            Entry("model", "m", self.model),
            Entry("refs", "r", "yes" if self.refs else "no"),
            Entry("unbabel-comet", "uc", _version()),
        ]


def _package() -> Any:
    try:
        return import_module("comet")
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "comet":
            raise MissingExtraError("the metric comet", "comet") from error
        # The package is installed, but something it needs is missing or incompatible.
        raise MtassayError(f"the package comet cannot be loaded: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=1)  # models take gigabytes
def _model(name: str) -> Any:
    comet = _package()
    try:
        path = name if name.endswith(".ckpt") else comet.download_model(name)
        if os.path.isfile(path):  # noqa: PTH113  (odd names: False)
            with open_input(path):  # registers the file as an input; COMET opens it itself
                pass
        return comet.load_from_checkpoint(path)
    except Exception as error:
        raise MtassayError(f"the COMET model {name} cannot be loaded: {type(error).__name__}: {error}") from error


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("unbabel-comet")
    except PackageNotFoundError:
        return "unknown"
