"""Which configuration file is found, and what it may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.cli.main import VERBS as VERBS_OF_THE_COMMAND
from mtassay.errors import InputError
from mtassay.io import find_configuration
from mtassay.io.configuration import VERBS, read_configuration


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a project, in a folder of which the command is run."""
    found = tmp_path / "home"
    (found / "project" / "data").mkdir(parents=True)
    monkeypatch.delenv("MTASSAY_CONFIG")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.chdir(found / "project" / "data")
    return found


def _write(path: Path, text: str = "alpha = 0.01\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_no_file(home: Path) -> None:
    assert find_configuration() is None


def test_the_nearest_file_is_taken_and_the_search_ends_at_home(home: Path) -> None:
    _write(home.parent / "mtassay.toml")
    assert find_configuration() is None
    user = _write(home / ".config" / "mtassay" / "mtassay.toml")
    assert find_configuration() == user
    in_home = _write(home / "mtassay.toml")
    assert find_configuration() == in_home
    of_project = _write(home / "project" / "pyproject.toml", "[tool.mtassay]\nalpha = 0.1\n")
    assert find_configuration() == of_project
    own = _write(home / "project" / "mtassay.toml")
    assert find_configuration() == own
    here = _write(home / "project" / "data" / "mtassay.toml")
    assert find_configuration() == here


def test_outside_the_home_folder_the_search_ends_at_the_root(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    above = _write(home.parent / "mtassay.toml")
    (home.parent / "elsewhere" / "deep").mkdir(parents=True)
    monkeypatch.chdir(home.parent / "elsewhere" / "deep")
    assert find_configuration() == above


def test_the_folder_of_the_user(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert find_configuration() is None
    assert _write(home / "xdg" / "mtassay" / "mtassay.toml") == find_configuration()


def test_a_project_without_our_table_does_not_count(home: Path) -> None:
    _write(home / "project" / "pyproject.toml", '[project]\ndependencies = ["mtassay"]\n')
    assert find_configuration() is None
    _write(home / "project" / "pyproject.toml", "dependencies = [mtassay\n")  # broken, and not ours
    assert find_configuration() is None
    _write(home / "project" / "pyproject.toml", "tool = 1  # no mtassay\n")
    assert find_configuration() is None
    _write(home / "project" / "pyproject.toml", f"mtassay = {'[' * 10_000}")  # deeper than Python reads
    assert find_configuration() is None
    broken = _write(home / "project" / "pyproject.toml", "[tool.mtassay\n")
    assert find_configuration() == broken


def test_the_environment_variable_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(home / "project" / "data" / "mtassay.toml")
    monkeypatch.setenv("MTASSAY_CONFIG", "none")
    assert find_configuration() is None
    monkeypatch.setenv("MTASSAY_CONFIG", "other.toml")
    assert find_configuration() == "other.toml"


def test_a_folder_with_the_name_of_the_file_is_not_it(home: Path) -> None:
    (home / "mtassay.toml").mkdir()
    assert find_configuration() is None


def test_tables_come_before_shared_values(tmp_path: Path) -> None:
    path = _write(tmp_path / "mtassay.toml", "alpha = 0.01\nseed = 7\n[rank]\nalpha = 0.1\n")
    configuration = read_configuration(path)
    assert configuration.of("compare") == {"alpha": 0.01, "seed": 7}
    assert configuration.of("rank") == {"alpha": 0.1, "seed": 7}


def test_shared_metrics_are_for_verbs_that_report_metrics(tmp_path: Path) -> None:
    configuration = read_configuration(_write(tmp_path / "mtassay.toml", 'metrics = ["bleu", "ter"]\n'))
    assert configuration.of("score") == {"metrics": ["bleu", "ter"]}
    # Several metrics would make another experiment of tune, and diff takes one.
    assert configuration.of("tune") == configuration.of("diff") == {}


def test_every_verb_may_have_a_table() -> None:
    assert set(VERBS) == set(VERBS_OF_THE_COMMAND)


FAULTS = {
    "alpha = \n": "not valid TOML: Invalid value (at line 1",
    "alfa = 0.1\n": "mtassay.toml: alfa: unknown key; did you mean 'alpha'?",
    "[compare]\nalfa = 0.1\n": "mtassay.toml: [compare] alfa: unknown key; did you mean 'alpha'?",
    "[compar]\nalpha = 0.1\n": "no verb is named [compar]; did you mean 'compare'?",
    'alpha = "0.1"\n': "mtassay.toml: alpha must be a number such as 0.01, not '0.1'",
    "alpha = true\n": "alpha must be a number",
    "alpha = []\n": "alpha must be a number",
    "resamples = 10.5\n": "resamples must be a whole number such as 1000, not 10.5",
    "metrics = [1]\n": "metrics must be a list of metrics",
    'tokenizer = ""\n': "tokenizer must be the name of a tokenizer",
    'test = "ar"\n': "test depends on the verb: write it in the table of a verb, such as [compare]",
    "[compare.deeper]\nalpha = 1\n": "[compare] deeper: unknown key",
    "alpha = 0.1\nalpha = 0.2\n": "not valid TOML: Cannot overwrite a value",
    "a = " + "[" * 5000 + "\n": "not valid TOML",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults(text: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "mtassay.toml", text)
    with pytest.raises(InputError) as raised:
        read_configuration(path)
    assert FAULTS[text] in str(raised.value)
    assert "mtassay.toml" in str(raised.value)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mtassay.toml"
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_configuration(str(path))
    path.write_bytes(b"alpha = \xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_configuration(str(path))
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(InputError, match="too large"):
        read_configuration(str(path))
    with pytest.raises(InputError, match="cannot be read"):
        read_configuration("a\0b")


def test_a_named_project_must_have_our_table(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    with pytest.raises(InputError, match=r"has no table \[tool.mtassay\]"):
        read_configuration(_write(path, "[tool.other]\n"))
    with pytest.raises(InputError, match=r"has no table \[tool.mtassay\]"):
        read_configuration(_write(path, "tool = 'mtassay'\n"))
    with pytest.raises(InputError, match="must be a table"):
        read_configuration(_write(path, "[tool]\nmtassay = 3\n"))
    assert read_configuration(_write(path, "[tool.mtassay.rank]\nsides = 1\n")).of("rank") == {"sides": 1}


def test_an_unreadable_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = home / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_configuration() is None
    assert _write(home / "mtassay.toml") == find_configuration()
