"""How PyTorch runs: its device, its precision, and how messages of its libraries are hidden."""

from __future__ import annotations

import logging
import os
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: PyTorch's names of our precisions.
_TYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
PRECISIONS = tuple(_TYPES)
#: Loggers that report on every model and every run.
_LOGGERS = ("transformers", "pytorch_lightning", "lightning", "lightning_fabric", "comet", "huggingface_hub", "torch")


def device_of(wanted: str) -> str:
    """The device: ``auto`` is a GPU if there is one."""
    torch = import_module("torch")
    if wanted == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        kind = torch.device(wanted).type
    except RuntimeError:
        raise InputError(f"PyTorch has no device '{wanted}': give cpu, cuda, cuda:1, mps or auto") from None
    there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
    if kind in there and not there[kind]():
        raise InputError(f"device={wanted}: PyTorch finds no such device here; device=cpu works everywhere")
    return wanted


def type_of(precision: str) -> Any:
    """PyTorch's type of numbers."""
    return getattr(import_module("torch"), _TYPES[precision])


@contextmanager
def half_precision(device: str, precision: str) -> Iterator[None]:
    """Let PyTorch compute in half precision where that is safe (autocast); no change for ``fp32``."""
    if precision == "fp32":
        yield
        return
    with import_module("torch").autocast(device_type=device.partition(":")[0], dtype=type_of(precision)):
        yield


class _Messages(logging.Handler):
    """Collects log messages."""

    def __init__(self, said: list[str]) -> None:
        super().__init__()
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(record.getMessage())


@contextmanager
def silence() -> Iterator[list[str]]:
    """Hide the output, log messages and warnings of libraries while they load models and compute.

    Errors are still raised as exceptions. When the block ends, the list has the log messages and warnings.
    """
    said: list[str] = []
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    with (
        open(os.devnull, "w", encoding="utf-8") as nothing,  # noqa: PTH123
        warnings.catch_warnings(record=True) as warned,
        redirect_stdout(nothing),
        redirect_stderr(nothing),
    ):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        for logger in loggers:
            logger.handlers, logger.propagate = [_Messages(said)], False
        try:
            yield said
        finally:
            for logger, (handlers, propagates) in zip(loggers, before, strict=True):
                logger.handlers, logger.propagate = handlers, propagates
            said += [str(warning.message) for warning in warned]
