"""Imports point one way, importing the package is light, and its public names are these."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mtassay
import mtassay.kernels

ROOT = Path(mtassay.__file__).parent
#: A package may import itself and what stands to its left.
LINE = [
    "errors",
    "types",
    "equality",
    "results",
    "io",
    "execution",
    "data",
    "text",
    "kernels",
    "metrics",
    "stats",
    "judging",
    "analysis",
    "learn",
    "tuning",
    "verbs",
    "report",
    "collect",
    "compat",
    "cli",
]
#: Names of the package itself, open to all.
FREE = {"__version__", "lazy_names"}
#: Imports nothing of the package but errors and data, and is named by the report and the command only.
LEAVES = {"sample"}
#: Files that name modules to their right, to be loaded on use as entry points of other packages are.
REGISTRIES = {
    "metrics/core/registry.py": "mtassay.learn.",
    "results.py": "mtassay.report.",
    "text/__init__.py": "mtassay.metrics.meteor.words",
}
_MODULE_NAME = re.compile(r"mtassay\.[a-z_]+(\.[a-z_0-9]+)*(:\w+|\.)?")


def _part(module: str) -> str:
    """``mtassay.metrics.strings.bleu`` -> ``metrics``; the package itself is ''."""
    return [*module.split("."), ""][1]


def _imports(path: Path, package: str) -> list[tuple[int, str]]:
    """Modules of mtassay that a file imports anywhere, also inside functions and for type checking only.

    What is loaded by name counts, too: strings (and beginnings of f-strings) such as ``mtassay.cli.score`` or
    ``mtassay.text.moses:Tokenizer``, wherever they stand.
    """
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE_NAME.fullmatch(node.value):
            name = node.value.partition(":")[0].rstrip(".")
            found += [(node.lineno, name)] if _part(name) in LINE else []
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            found += [(node.lineno, f"{base}.{alias.name}" if base == "mtassay" else base) for alias in node.names]
    return [(line, module) for line, module in found if module.split(".")[0] == "mtassay"]


def _files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__")


@pytest.mark.parametrize("path", _files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_left(path: Path) -> None:
    place = path.relative_to(ROOT).with_suffix("").parts
    own = place[0]
    assert own in {*LINE, *LEAVES, "__main__"}, f"'{own}' has no place in the line of packages"
    package = ".".join(["mtassay", *place[:-1]])
    for line, module in _imports(path, package):
        part = _part(module)
        if module.startswith(REGISTRIES.get(path.relative_to(ROOT).as_posix(), "-")):
            continue
        if part in FREE or part == own or own == "__main__" or (part == "_native" and own == "kernels"):
            continue
        if own in LEAVES:
            allowed = part in {"errors", "data"}
        elif part in LEAVES:
            allowed = LINE.index(own) > LINE.index("metrics")
        else:
            allowed = part in LINE and LINE.index(part) < LINE.index(own)
        assert allowed, f"{path.relative_to(ROOT)}, line {line}: {own} must not import {module}"


def _loaded_after(statement: str) -> set[str]:
    script = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    loaded = _loaded_after("import mtassay")
    assert {name for name in loaded if name.startswith("mtassay")} == {"mtassay"}
    assert not loaded & {"numpy", "argparse", "scipy", "importlib.metadata", "dataclasses"}


def test_scoring_needs_neither_the_command_line_nor_xml() -> None:
    loaded = _loaded_after("import mtassay; mtassay.metric('bleu').corpus_score(['a'], [['a']])")
    assert "numpy" in loaded
    assert not loaded & {"argparse", "scipy", "xml", "defusedxml", "mtassay.report", "mtassay.cli"}


def _loaded_by_command(folder: Path, *words: str) -> set[str]:
    """Modules that a run of the command loads."""
    script = (
        "import sys; from mtassay.cli.main import main; status = main(sys.argv[1:]); "
        "print(*sys.modules, file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """References, two systems, and preferences between these."""
    (tmp_path / "ref.txt").write_text("the cat sat on the mat\na dog barked\nyes\n", encoding="utf-8")
    (tmp_path / "good.txt").write_text("the cat sat on a mat\na dog barked\nyes\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("cat mat\nno dog\nno\n", encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("1\tgood\tbad\n2\tgood\tbad\n3\tgood\tbad\n", encoding="utf-8")
    return tmp_path


#: Modules of the package, packages not counted, that `mtassay score` may load for BLEU of a text file.
_MOST_MODULES = 25


def _plain_modules() -> set[str]:
    """All modules of the package that are not packages; the compiled one counts."""
    files = [path for path in (*ROOT.rglob("*.py"), *ROOT.glob("_native*")) if path.stem != "__init__"]
    return {".".join(["mtassay", *path.relative_to(ROOT).parts[:-1], path.name.partition(".")[0]]) for path in files}


def test_a_verb_loads_what_it_needs(folder: Path) -> None:
    texts = ("ref.txt", "-i", "good.txt", "bad.txt")
    scoring = _loaded_by_command(folder, "score", *texts, "-m", "bleu")
    one_system = _loaded_by_command(folder, "score", "ref.txt", "-i", "good.txt")
    assert len(one_system & _plain_modules()) <= _MOST_MODULES
    packages = r"mtassay\.(judging|learn|stats|tune|report\.plots|io\.atomic)"
    others = rf"{packages}|mtassay\.(data\.formats\.(?!lines$)|metrics\.(?!core|strings))"
    assert not [name for name in scoring if re.match(others, name)]
    assert not scoring & {"scipy", "defusedxml", "concurrent.futures", "mtassay.metrics.core.combination"}
    assert not scoring & {"dask", "distributed", "mtassay.execution.cluster", "mtassay.metrics.core.sent_chunks"}
    meta = _loaded_by_command(
        folder, "metaeval", *texts, "--judgements", "pairs.tsv", "-m", "bleu", "--level", "segment"
    )
    assert "mtassay.metrics.strings.bleu" in meta
    assert not [name for name in meta if name.startswith("mtassay.metrics.meteor")]


def test_human_rankings_load_no_metric(folder: Path) -> None:
    loaded = _loaded_by_command(folder, "humans", "pairs.tsv", "--resamples", "20")
    assert "mtassay.judging.rankings" in loaded
    assert not [name for name in loaded if name.startswith("mtassay.metrics")]


def test_making_a_campaign_loads_no_server() -> None:
    loaded = _loaded_after("import mtassay; mtassay.judge.new; mtassay.judge.invite; mtassay.judge.serve")
    assert not loaded & {"starlette", "uvicorn", "jinja2"}
    assert not _loaded_after("import mtassay; mtassay.serve") & {"starlette", "uvicorn", "jinja2"}


def test_public_names() -> None:
    assert mtassay.__all__ == sorted(mtassay.__all__)
    assert set(mtassay.__all__) == {
        "Cluster",
        "Execution",
        "InputError",
        "MissingExtraError",
        "MtassayError",
        "SpecError",
        "TestSet",
        "__version__",
        "agreement",
        "align",
        "analyse",
        "annotate",
        "compare",
        "compare_files",
        "compare_tests",
        "conclusions",
        "configured",
        "diff",
        "humans",
        "judge",
        "learn",
        "load",
        "load_judgements",
        "mbr",
        "metaeval",
        "metric",
        "power",
        "rank",
        "rank_files",
        "report",
        "rerank",
        "score",
        "score_files",
        "segment_metric",
        "serve",
        "tune",
        "tune_decoder",
        "tune_objectives",
    }
    assert dir(mtassay) == mtassay.__all__
    for name in mtassay.__all__:
        assert getattr(mtassay, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        _ = mtassay.scores


def test_functions_of_a_package_are_not_hidden_by_its_modules() -> None:
    """Importing a submodule sets an attribute of its package, which must not be the name of a function there."""
    for info in pkgutil.iter_modules(mtassay.kernels.__path__, "mtassay.kernels."):
        importlib.import_module(info.name)
    assert all(not isinstance(getattr(mtassay.kernels, name), type(ast)) for name in mtassay.kernels.__all__)
