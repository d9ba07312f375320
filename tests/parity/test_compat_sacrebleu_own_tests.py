"""SacreBLEU's own tests, from its source distribution, with the import changed; but those that download test sets."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import mtassay.compat.sacrebleu

#: Tests that download test sets.
NEED_DOWNLOADS = ("test_dataset.py", "test_api_get_source", "test_api_get_reference")
_IMPORT = re.compile(r"^(from|import) sacrebleu(?=[. ])", re.MULTILINE)


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tests, which import the module under test."""
    folder = tmp_path_factory.mktemp("sdist")
    wanted = f"sacrebleu=={mtassay.compat.sacrebleu.__version__}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", "sacrebleu", "--no-deps", wanted]
    done = subprocess.run([*command, "-d", str(folder)], capture_output=True, text=True, check=False)
    archive = next(folder.glob("sacrebleu-*.tar.gz"), None)
    if archive is None:
        pytest.skip(f"no source distribution: pip download --no-binary sacrebleu --no-deps {wanted}\n{done.stderr}")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    root = folder / archive.name.removesuffix(".tar.gz")
    for path in (root / "test").glob("test_*.py"):
        text = re.sub(
            r"^import sacrebleu$",
            "import mtassay.compat.sacrebleu as sacrebleu",
            path.read_text("utf-8"),
            flags=re.MULTILINE,
        )
        path.write_text(_IMPORT.sub(r"\1 mtassay.compat.sacrebleu", text), "utf-8")
    return root


@pytest.mark.slow
def test_own_tests_pass(tests: Path) -> None:
    left_out = [f"--ignore=test/{name}" for name in NEED_DOWNLOADS if name.endswith(".py")]
    names = " and ".join(f"not {name}" for name in NEED_DOWNLOADS if not name.endswith(".py"))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "addopts=",
            "test",
            *left_out,
            "-k",
            names,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tests,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 130
    assert "import sacrebleu\n" not in "".join(path.read_text("utf-8") for path in (tests / "test").glob("test_*.py"))
