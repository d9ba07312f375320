"""The notebooks of the docs run, and give the outputs that they hold. ``python tools/notebooks.py`` refreshes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import notebooks
import pytest

pytest.importorskip("matplotlib")
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def outputs(notebook: Any) -> list[tuple[str, list[Any]]]:
    """Each cell's code with its outputs: texts and tables as they are; of pictures only that there is one."""
    found = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = [_content(output) for output in cell["outputs"]]
            found.append(("".join(cell["source"]), shown))
    return found


def _content(output: Any) -> Any:
    if output["output_type"] == "stream":
        return "".join(output["text"])
    data = {kind: "".join(text) for kind, text in output["data"].items()}
    return "a picture" if "image/svg+xml" in data else data


def test_there_is_one_for_each_job() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["compare", "metaeval", "report", "score"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs(path: Path) -> None:
    assert outputs(notebooks.execute(path)) == outputs(json.loads(path.read_text(encoding="utf-8")))
