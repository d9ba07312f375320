"""Random inputs per target: as many as for other tests, MTASSAY_FUZZ_EXAMPLES with ``-m fuzz`` (``make fuzz``)."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_HERE = Path(__file__).parent
_DEFAULT = 100_000


@pytest.hookimpl(tryfirst=True)  # before pytest drops what -m does not want
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = [item for item in items if _HERE in item.path.parents and isinstance(item, pytest.Function)]
    asked = config.option.markexpr == "fuzz"
    n_examples = int(os.environ.get("MTASSAY_FUZZ_EXAMPLES") or _DEFAULT) if asked else settings().max_examples
    chosen = settings(
        max_examples=n_examples,
        derandomize=not asked,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    for item in here:
        if asked:
            item.add_marker("fuzz")
        item.obj = chosen(item.obj)


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> Iterator[None]:
    """No warnings about inputs that are odd on purpose; pytest would keep all of them."""
    loggers = [logging.getLogger(name) for name in ("mtassay", "sacrebleu")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of one example after another."""
    return tmp_path_factory.mktemp("fuzz")
