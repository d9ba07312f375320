"""Defaults of a configuration file, as the command takes and shows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.io.configuration import KEYS
from mtassay.sample import human_scores_path, sample_path

SAMPLE = str(sample_path())


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that writes the configuration file of the working directory."""
    monkeypatch.delenv("MTASSAY_CONFIG")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> None:
        (tmp_path / "mtassay.toml").write_text(text, encoding="utf-8")

    return write


def _run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    assert main(list(arguments)) == status
    return tuple(capsys.readouterr())  # type: ignore[return-value]


def test_defaults_are_options(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-m", "bleu:tok=intl", "chrf", "--alpha", ".01", "--resamples", "300", "--adjust", "holm", "--seed", "3"]
    given, _ = _run(capsys, "compare", SAMPLE, *options)
    configure(
        'metrics = ["bleu", "chrf"]\ntokenizer = "intl"\nalpha = 0.01\nresamples = 300\nseed = 3\n'
        '[compare]\nadjust = "holm"\n'
    )
    configured, errors = _run(capsys, "compare", SAMPLE)
    first, _, rest = configured.partition("\n\n")
    assert first.startswith("defaults of mtassay.toml: ")
    assert set(first.partition(": ")[2].split(", ")) == {
        "metrics bleu chrf", "tokenizer intl", "alpha 0.01", "resamples 300", "seed 3", "adjust holm"
    }  # fmt: skip
    assert (rest, errors) == (given, "")


def test_options_win_and_are_not_shown_as_defaults(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    plain, _ = _run(capsys, "rank", SAMPLE, "--resamples", "100", "-m", "chrf", "ter")
    configure('metrics = ["bleu"]\nresamples = 100\nthreads = 2\n')
    printed, _ = _run(capsys, "rank", SAMPLE, "-m", "chrf", "-m", "ter")
    assert printed == f"defaults of mtassay.toml: resamples 100\n\n{plain}"
    assert _run(capsys, "rank", SAMPLE, "--resamples=100", "-m", "chrf", "ter") == (plain, "")


def test_no_config(configure: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    configure("alpha = \n")
    printed, errors = _run(capsys, "score", SAMPLE, status=2)
    assert printed == ""
    assert errors.startswith("mtassay: mtassay.toml is not valid TOML")
    plain, errors = _run(capsys, "score", SAMPLE, "--no-config")
    assert errors == ""
    monkeypatch.setenv("MTASSAY_CONFIG", "none")
    assert _run(capsys, "score", SAMPLE) == (plain, "")
    monkeypatch.setenv("MTASSAY_CONFIG", "gone.toml")
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors == "mtassay: the configuration file gone.toml cannot be read: No such file or directory\n"


def test_reports_without_room_say_it_on_standard_error(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["-f", "tsv"], ["-f", "json"], ["-b"], ["-sl"]):
        plain, _ = _run(capsys, "score", SAMPLE, "-m", "bleu:tok=char", *options)
        configure('tokenizer = "char"\n')
        line = "mtassay: defaults of mtassay.toml: tokenizer char\n"
        assert _run(capsys, "score", SAMPLE, *options) == (plain, line)
        configure("")


def test_json_and_pages_have_the_defaults(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure("alpha = 0.01\n[compare]\nresamples = 50\n")
    printed, errors = _run(capsys, "compare", SAMPLE, "-f", "json")
    assert errors == ""
    assert json.loads(printed)["configuration"] == {"file": "mtassay.toml", "alpha": 0.01, "resamples": 50}
    for format_ in ("latex", "markdown", "html"):
        printed, errors = _run(capsys, "compare", SAMPLE, "-f", format_)
        assert "defaults of mtassay.toml: alpha 0.01, resamples 50" in printed
        assert errors == ""


def test_chosen_texts_are_not_mixed_with_the_line(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lists.txt").write_text("0 ||| a b c ||| ||| 1\n0 ||| a b d ||| ||| 2\n", encoding="utf-8")
    configure('tokenizer = "char"\n')
    plain, _ = _run(capsys, "mbr", "lists.txt", "-m", "bleu:tok=char", "--no-config")
    line = "mtassay: defaults of mtassay.toml: tokenizer char\n"
    assert _run(capsys, "mbr", "lists.txt", "-m", "bleu") == (plain, line)


def test_the_tokenizer_of_an_option_or_a_specification_wins(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure('tokenizer = "char"\n')
    for given in (["-tok", "intl"], ["-m", "bleu:tok=intl"], ["-m", "bleu:tokenize=intl"]):
        printed, errors = _run(capsys, "score", SAMPLE, *given)
        assert "tok:intl" in printed
        assert "defaults of" not in printed + errors
    # It comes before what the language pair would choose, as -tok does.
    printed, _ = _run(capsys, "score", SAMPLE, "-l", "en-zh")
    assert "tok:char" in printed


def test_a_fault_of_a_value_names_the_file(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure('metrics = ["blue"]\n')
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors.startswith("mtassay: no metric named 'blue'; did you mean 'bleu'?")
    assert errors.endswith("(defaults of mtassay.toml: metrics blue)\n")
    assert errors.count("\n") == 1
    configure('format = "jsn"\n')
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors.startswith("mtassay: mtassay.toml: format: no format named 'jsn'; did you mean 'json'?")
    configure("threads = -2\n")
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors.endswith("not -2 (defaults of mtassay.toml: threads -2)\n")
    configure("width = 99\n")
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors == "mtassay: mtassay.toml: width: '99' is not a number of decimals from 0 to 17\n"
    configure("[rank]\nalpha = [0.1, 0.2]\n")
    _, errors = _run(capsys, "rank", SAMPLE, status=2)
    assert errors == "mtassay: mtassay.toml: [rank] alpha: mtassay rank takes one value\n"


def test_values_without_effect_are_not_taken(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ranked = ["rank", SAMPLE, "--by-intervals", "--resamples", "50"]
    plain, _ = _run(capsys, *ranked)
    configure('[rank]\ntest = "bs"\nsides = 1\nadjust = "holm"\n')
    assert _run(capsys, *ranked) == (plain, "")
    assert "leave out --test" in _run(capsys, *ranked, "--test", "pbs", status=2)[1]

    candidates = (f"0 ||| {text} ||| F= {value} ||| 0\n" for text, value in (("a b c d", 1), ("a b c e", 2)))
    Path("list.txt").write_text("".join(candidates), encoding="utf-8")
    Path("ref.txt").write_text("a b c d\n", encoding="utf-8")
    tuned = ["tune", "--nbest", "list.txt", "-r", "ref.txt", "-m", "bleu", "--restarts", "1"]
    plain, _ = _run(capsys, *tuned, "--no-config")
    configure("alpha = 0.01\nresamples = 70\n")
    assert _run(capsys, *tuned) == (plain, "")
    printed, _ = _run(capsys, *tuned, "-m", "ter", "--alpha", "0.02")
    assert printed.startswith("defaults of mtassay.toml: resamples 70\n")


def test_metrics_of_the_file_are_not_for_statistics_of_bleu(
    configure: Any, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    folder = data_dir / "nbest" / "regtest" / "mert.basic" / "data"
    tuned = ["tune", "--mert", str(folder / "FEATSTAT.txt"), str(folder / "SCORESTAT.txt"), "--restarts", "1"]
    plain, _ = _run(capsys, *tuned, "--no-config")
    for text in (
        'tokenizer = "intl"\n',
        '[tune]\nmetrics = ["chrf"]\n',
        'tokenizer = "intl"\n[tune]\nmetrics = "bleu"\n',
    ):
        configure(text)
        assert _run(capsys, *tuned) == (plain, "")
        assert "leave out references and -m" in _run(capsys, *tuned, "-m", "ter", status=2)[1]


def test_a_table_of_a_verb_with_actions_has_options_of_any(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure("[judge]\nseed = 3\n[learn]\nseed = 3\n")
    for arguments in (["judge", "status", "none.db"], ["learn", "index", "none.txt", "-o", "none.index"]):
        assert "none.db: no such" in _run(capsys, *arguments, status=2)[1].replace("none.txt", "none.db")
    configure("[judge]\nalpha = 0.1\n")
    _, errors = _run(capsys, "judge", "status", "none.db", status=2)
    assert errors == "mtassay: mtassay.toml: [judge] alpha: mtassay judge has no such option\n"


def test_scores_do_not_take_the_unit_of_the_file(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    scores = ["humans", str(human_scores_path())]
    plain, _ = _run(capsys, *scores)
    configure('[humans]\nunit = "judgement"\n')
    assert _run(capsys, *scores) == (plain, "")
    assert "unit cannot be 'screen'" in _run(capsys, *scores, "--unit", "screen", status=2)[1]
    Path("ranks.tsv").write_text("segment\tjudge\titem\tsystem\trank\n1\tj\t1\ta\t1\n1\tj\t1\tb\t2\n", encoding="utf-8")
    assert "unit judgement" in _run(capsys, "humans", "ranks.tsv")[0]


@pytest.mark.parametrize(
    "arguments",
    [["rank", SAMPLE, "--sweep", "--resamples", "20"], ["analyse", SAMPLE, "--by", "ngrams", "examples"]],
)
def test_what_tsv_cannot_hold_is_written_as_text(
    arguments: list[str], configure: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, _ = _run(capsys, *arguments)
    configure('format = "tsv"\n')
    assert _run(capsys, *arguments) == (plain, "")
    _run(capsys, *arguments, "-f", "tsv", status=2)
    configure('format = "json"\n')
    assert _run(capsys, *arguments)[0].startswith("{")


def test_the_file_is_not_overwritten(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure("seed = 1\n")
    _, errors = _run(capsys, "rank", SAMPLE, "-o", "mtassay.toml", status=2)
    assert "-o names mtassay.toml, which is also an input and would be overwritten" in errors
    assert Path("mtassay.toml").read_text(encoding="utf-8") == "seed = 1\n"


def test_a_table_has_only_options_of_its_verb(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure("[score]\nalpha = 0.01\n")
    _, errors = _run(capsys, "score", SAMPLE, status=2)
    assert errors == "mtassay: mtassay.toml: [score] alpha: mtassay score has no such option\n"
    _run(capsys, "rank", SAMPLE, "--resamples", "20")
    with pytest.raises(mtassay.InputError, match=r"\[score\] alpha: mtassay.score has no such keyword"):
        mtassay.configured(mtassay.score)


def test_a_report_stays_a_page(configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure('format = "json"\nresamples = 50\nmetrics = ["chrf"]\n')
    printed, _ = _run(capsys, "report", SAMPLE, "--examples", "1")
    assert printed.startswith("<!DOCTYPE html>")
    assert "defaults of mtassay.toml: metrics chrf, resamples 50" in printed
    assert _run(capsys, "score", SAMPLE)[0].startswith("[")


def test_the_tour_is_the_same_everywhere(
    configure: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    for verb in ("agreement", "align", "compare", "humans", "metaeval", "rank", "report", "score"):
        monkeypatch.setattr(f"mtassay.cli.{verb}.run", started.append)
    configure("resamples = 20\nalpha = 0.2\n")
    _run(capsys, "demo")
    assert len(started) >= 8
    assert all("--no-config" in arguments for arguments in started)


#: Verbs whose numbers the file changes, with what they read.
_JUDGED = ["--judgements", str(human_scores_path())]
IN_PYTHON: dict[str, Any] = {
    "score": ([SAMPLE], lambda given: mtassay.score(mtassay.load(SAMPLE), **given)),
    "compare": ([SAMPLE], lambda given: mtassay.compare(mtassay.load(SAMPLE), **given)),
    "rank": ([SAMPLE], lambda given: mtassay.rank(mtassay.load(SAMPLE), **given)),
    "humans": (
        [str(human_scores_path())],
        lambda given: mtassay.humans(mtassay.load_judgements(human_scores_path()), **given),
    ),
    "conclusions": (
        [SAMPLE, *_JUDGED],
        lambda given: mtassay.conclusions(
            mtassay.load(SAMPLE), judgements=mtassay.load_judgements(human_scores_path()), **given
        ),
    ),
    "diff": ([SAMPLE], lambda given: mtassay.diff(mtassay.load(SAMPLE), **given)),
}


@pytest.mark.parametrize("verb", IN_PYTHON)
def test_python_gives_the_same_numbers(verb: str, configure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure(
        'metrics = ["bleu", "ter"]\ntokenizer = "char"\nalpha = 0.02\nresamples = 200\nthreads = 2\nformat = "json"\n'
        '[rank]\nadjust = "holm"\n[diff]\nmetrics = "bleu"\n'
    )
    arguments, call = IN_PYTHON[verb]
    printed = json.loads(_run(capsys, verb, *arguments)[0])
    if isinstance(printed, dict):
        del printed["configuration"]
    keywords = mtassay.configured(getattr(mtassay, verb))
    assert printed == json.loads(call(keywords).render("json"))


def test_configured(configure: Any) -> None:
    assert mtassay.configured(mtassay.compare) == {}
    configure('tokenizer = "intl"\nalpha = 0.01\n[compare]\ntest = "ar"\n')
    assert mtassay.configured(mtassay.compare) == {"alpha": 0.01, "metrics": ["bleu:tok=intl"], "test": "ar"}
    assert mtassay.configured(mtassay.compare_tests)["test"] == ["ar"]
    assert mtassay.configured(mtassay.mbr) == {"metric": "chrf"}
    Path("other.toml").write_text("seed = 3\n", encoding="utf-8")
    assert mtassay.configured(mtassay.rank, "other.toml") == {"seed": 3}
    with pytest.raises(mtassay.InputError, match="no verb named 'load'"):
        mtassay.configured(mtassay.load)


def test_the_docs_list_all_keys() -> None:
    docs = Path(__file__).parents[3] / "docs" / "shell.md"
    listed = {key for key in KEYS if f"`{key}`" in docs.read_text(encoding="utf-8").split("### Keys")[1]}
    assert listed == set(KEYS)
