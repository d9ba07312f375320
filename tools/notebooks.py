"""Execute the notebooks of the docs, and keep their outputs in them.

usage: python tools/notebooks.py [NOTEBOOK...]        by default all of docs/notebooks

What depends on the machine (times, versions of Python) is left out of the files.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

import mtassay

NOTEBOOKS = Path(__file__).resolve().parents[1] / "docs/notebooks"


def execute(path: Path) -> Any:
    """The notebook with the outputs of a run in an empty folder."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    # The mtassay that runs this, also where it is not installed.
    os.environ["PYTHONPATH"] = str(Path(mtassay.__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": folder}}, extra_arguments=["--log-level=ERROR"]
        ).execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def main() -> None:
    for path in [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(execute(path), path)  # type: ignore[no-untyped-call]
        print(path.name)


if __name__ == "__main__":
    main()
