"""The examples of docs/metrics/external.md run, and give what is written there."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mtassay
from mtassay.metrics.core import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[4] / "docs" / "metrics" / "external.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
SESSIONS = [block for block in BLOCKS if block.startswith(">>>")]


@pytest.mark.parametrize("session", SESSIONS, ids=["file", "function"])
def test_sessions(session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    flags = doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the page, installed."""
    [source] = [block for block in BLOCKS if not block.startswith(">>>")]
    [described] = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    project = tomllib.loads(described)["project"]
    [(group, points)] = project["entry-points"].items()
    (tmp_path / "mtassay_same.py").write_text(source, encoding="utf-8")
    about = tmp_path / f"mtassay_same-{project['version']}.dist-info"
    about.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    kept = (registry._third_party, registry._load, registry.package_of)
    for function in kept:
        function.cache_clear()
    yield
    sys.modules.pop("mtassay_same", None)
    for function in kept:
        function.cache_clear()


@pytest.mark.usefixtures("plug_in")
def test_plug_in() -> None:
    result = mtassay.score([["A b", "c"], ["x", None]], {"s": ["a b", "x"]}, metrics=["same", "same:case=lower"])
    assert result.scores.tolist() == [[0.0, 50.0]]
    assert mtassay.metric("same").pairwise(["a", "b"], ["b"]).tolist() == [[0.0], [100.0]]
    assert mtassay.metric("same").prepare([["a"]]).statistics([], [], hypothesis_index=[]).shape == (0, 2)  # type: ignore[arg-type]


@pytest.mark.usefixtures("plug_in")
def test_signatures_name_the_package_of_a_plug_in() -> None:
    metrics = ["same", "cross:same", "0.5*bleu+2*same", "bleu"]
    result = mtassay.score([["A b"]], {"s": ["a b"], "t": ["c"]}, metrics=metrics)
    same, crossed, combined, bleu = map(str, result.signatures)
    assert same == f"nrefs:1|case:mixed|package:mtassay-same-1.0|mtassay:{mtassay.__version__}"
    assert "|package:mtassay-same-1.0|" in crossed
    assert "Same[case=mixed;package=mtassay-same-1.0]" in combined
    assert "package" not in bleu
    # A class of the package that is not the metric of an entry point has no known package.
    unknown = type("Other", (type(mtassay.metric("same")),), {"__module__": "mtassay_same"})
    assert "package" not in str(unknown().signature([["a"]]))


def test_packages_are_not_looked_up_for_built_in_metrics() -> None:
    code = (
        "import sys, mtassay; print(mtassay.score([['a']], {'s': ['a']}, metrics=['bleu', 'ter']).signatures[0]); "
        "print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    signature, is_loaded = done.stdout.splitlines()
    assert "package" not in signature
    assert is_loaded == "False"
