"""Models that the package transformers loads: what MetricX and BLEURT share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.errors import MtassayError
from mtassay.metrics.neural.torch_runtime import device_of, type_of

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.metrics.neural.base import NeuralMetric

#: Number of names in a message.
_SHOWN = 3


def load_whole(metric: NeuralMetric, model_class: Any, path: Path) -> tuple[Any, str]:
    """Load a model and put it on its device; an error if the folder lacks some of its weights.

    Returns:
        the model, ready to compute, and the device.
    """
    device = device_of(metric.device)
    model, said = model_class.from_pretrained(
        str(path), torch_dtype=type_of(metric.precision), output_loading_info=True, local_files_only=True
    )
    if lacking := sorted(said["missing_keys"]):
        # transformers would compute with random ones
        names = ", ".join(lacking[:_SHOWN]) + (", …" if len(lacking) > _SHOWN else "")
        raise MtassayError(f"{metric.model_name} is not a model for {metric.name}: it lacks the weights {names}")
    return model.to(device).eval(), device
