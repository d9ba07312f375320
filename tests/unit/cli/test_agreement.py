"""``mtassay agreement``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import command
import pytest

import mtassay
from mtassay.data import load_judgements
from mtassay.judging.kappa import inter_annotator

#: Two judges who agree, one who contradicts himself, and one of whom nothing is known.
ITEMS = """\
rankingID	segment	judge	items
1	1	ann	a=1 b=2 c=3
2	1	ann	a=1 b=2 c=3
3	1	bob	a=1 b=2 c=2
4	1	eve	b=1 a=2
5	1	eve	b=2 a=1
6	2	ann	a=1 b=1
7	2	bob	b=1 a=1
8	2	dan	a=1 c=2
"""
SCORES = """\
segment	judge	system	score	aspect	kind	better
1	ann	a	4	adequacy		higher
1	bob	a	4	adequacy		higher
1	ann	b	2	adequacy		higher
1	bob	b	1	adequacy		higher
2	ann	a	5	adequacy		higher
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgements in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("items.tsv").write_text(ITEMS, encoding="utf-8")
    Path("scores.tsv").write_text(SCORES, encoding="utf-8")
    Path("pairs.tsv").write_text("1\ta\tb\n2\tb\ta\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "agreement", *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.refused(capsys, "agreement", *arguments)


def row(out: str, *words: str) -> list[str]:
    [found] = [line.split() for line in out.splitlines() if line.split()[: len(words)] == list(words)]
    return found[len(words) :]


def test_names_for_several_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.tsv").write_text(ITEMS.replace("c=", "d="), encoding="utf-8")
    assert "4 judges" in run(capsys, "items.tsv", "other.tsv", "--rename", "d=c")
    assert "items.tsv: --rename (rename=): no system named 'd'" in refused(capsys, "items.tsv", "--rename", "d=c")


def test_both_rules_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "items.tsv")
    assert out.splitlines()[0] == "items.tsv: 14 preferences from 8 screens, 4 judges"
    # Segment 1, a before b: 1 of ann twice and of bob; eve has b before a, and then 2 before 1: her labels are -1 and 1
    # of a. Strict pairs across judges on a and b: ann-bob 2 equal; eve with ann and bob: 6, of which 3 equal.
    # On a and c: ann-bob 2 equal of 2. On b and c: ann says 1, bob 0: 0 of 2. Segment 2, a and b: ann-bob equal.
    assert row(out, "strict", "inter")[-2:] == ["8", "13"]
    assert row(out, "strict", "intra")[-2:] == ["3", "4"]
    # Official items on segment 1 are a-b and a-c, 3 equal of 3 each, b-c, 1 of 3, and eve's b-a, 0 of 1; on segment 2
    # ann and bob saw a and b the other way round.
    assert row(out, "official", "inter")[-2:] == ["7", "10"]
    assert row(out, "official", "intra")[-2:] == ["3", "4"]
    # Labels: 14, of which bob's b = c and the two of segment 2 are ties.
    ties = 3 / 14
    p_chance = ties**2 + 2 * ((1 - ties) / 2) ** 2
    p_agree, shown_chance, kappa, third = map(float, row(out, "strict", "inter")[:4])
    assert p_agree == pytest.approx(8 / 13, abs=5e-4)
    assert shown_chance == pytest.approx(p_chance, abs=5e-4)
    assert kappa == pytest.approx((8 / 13 - p_chance) / (1 - p_chance), abs=5e-4)
    assert third == pytest.approx((8 / 13 - 1 / 3) / (2 / 3), abs=5e-4)


def test_pairs_on_which_judges_agree(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "items.tsv")
    # On segment 1, a is better than b on 4 labels of 5, than c on all 3, and b than c on 2 of 3; a = b on segment 2.
    assert "4 of 5 pairs of outputs have labels of 2 judges or more; on 4 of these 60 % of the labels or more" in out
    stricter = run(capsys, "items.tsv", "--least-share", ".7")
    assert "on 3 of these 70 %" in stricter
    assert "1 of 5 pairs of outputs have labels of 3 judges or more" in run(capsys, "items.tsv", "--least-judges", "3")


def test_by_judge(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "items.tsv", "--by-judge")
    assert row(out, "ann")[0] == "7"
    assert row(out, "eve")[-1] == "1"
    # Nothing of dan's can be compared.
    assert row(out, "dan") == ["1", *("–", "0") * 4]


def test_judges_are_dropped_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "items.tsv", "--least-self", ".2", "--keep", "kept.tsv")
    [dropped] = [line for line in out.splitlines() if line.startswith("dropped")]
    # κ of a judge with two unequal labels and no tie is (0 - 1/2) / (1 - 1/2).
    assert dropped == "dropped, κ under .2 with themselves (strict): eve (-1.000 of 1)"
    assert "left: 12 preferences from 6 screens, 3 judges" in out
    kept = load_judgements("kept.tsv")
    assert len(kept) == 12
    assert set(kept.judges) == {"ann", "bob", "dan"}
    assert row(run(capsys, "kept.tsv"), "strict", "inter")[-2:] == ["5", "7"]
    assert "no judge has κ under -1" in run(capsys, "items.tsv", "--least-self", "-1")
    assert "no judge has" in run(capsys, "items.tsv", "--least-self", ".2", "--least-repeats", "2")


def test_agreed_pairs_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("items.tsv", "--agreed", "--least-share", ".7", "--keep", "agreed.jsonl", "-o", "report.txt")
    assert run(capsys, *arguments) == ""
    assert "left: 3 agreed pairs, which have " in Path("report.txt").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in Path("agreed.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {(line["segment"], line["first"], line["second"], line["outcome"]) for line in lines}
    assert found == {("1", "a", "b", 1), ("1", "a", "c", 1), ("2", "a", "b", 0)}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "items.tsv", "scores.tsv", "-f", "json"))
    assert found["schema"] == "mtassay.agreement/1"
    preferences, scores = found["sets"]
    assert (preferences["name"], preferences["judges"], preferences["pairs"]["agreed"]) == ("items.tsv", 4, 4)
    assert "kept" not in preferences
    dan = preferences["by_judge"][-1]
    assert (dan["judge"], dan["kappas"][0]["kappa"]) == ("dan", None)
    # α over a's and b's four scores: D_o is 2 · 1 / 4, D_e twice their variance.
    spread = [4 - 2.75, 4 - 2.75, 2 - 2.75, 1 - 2.75]
    expected = 1 - 0.5 / (2 * sum(d * d for d in spread) / 3)
    assert scores["alpha"] == pytest.approx(expected, rel=1e-12)
    assert scores["outputs"] == {"scored": 3, "shared": 2}
    kept = json.loads(run(capsys, "items.tsv", "--agreed", "-f", "json"))["sets"][0]
    assert (kept["dropped"], kept["kept"]["written"]) == ([], 4)


def test_control_items_are_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    alone = run(capsys, "scores.tsv", "--by-judge", "-f", "tsv")
    controls = "1\tann\ta\t1\tadequacy\tBAD-REF\thigher\n2\teve\tb\t3\tadequacy\tREPEAT\thigher\n"
    Path("scores.tsv").write_text(SCORES + controls, encoding="utf-8")
    assert run(capsys, "scores.tsv", "--by-judge", "-f", "tsv") == alone
    assert "5 scores of adequacy, 2 judges" in run(capsys, "scores.tsv")


def test_scores(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "scores.tsv", "--by-judge")
    assert out.startswith("scores.tsv: 5 scores of adequacy, 2 judges\n\nKrippendorff's α (interval) .889, on 2 of 3 ")
    assert row(out, "ann") == ["3", ".889"]
    alone = run(capsys, "scores.tsv", "-f", "tsv")
    assert alone.splitlines()[0] == "file\taspect\tjudge\tscores\talpha"
    assert len(run(capsys, "scores.tsv", "-f", "tsv", "--by-judge").splitlines()) == 4


@pytest.mark.parametrize("format_", ["tsv", "latex", "markdown", "html"])
def test_other_formats(capsys: pytest.CaptureFixture[str], format_: str) -> None:
    out = run(capsys, "items.tsv", "-f", format_)
    assert "official" in out
    assert (r"$\kappa$" in out) == (format_ == "latex")
    assert "ann" not in out
    assert "ann" in run(capsys, "items.tsv", "-f", format_, "--by-judge")


def test_tsv_is_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("again.tsv").write_text(ITEMS, encoding="utf-8")
    out = run(capsys, "items.tsv", "again.tsv", "-f", "tsv", "--by-judge", "--least-self", ".2")
    header, *rows = out.splitlines()
    assert {line.count("\t") for line in rows} == {header.count("\t")}
    # A total and four judges, then a total and three, four rows each.
    assert len(rows) == 2 * 4 * (5 + 4)


def test_in_python() -> None:
    said = load_judgements("items.tsv")
    result = mtassay.agreement({"mine": said}, least_self=0.2)
    [found] = result.sets
    assert list(found.dropped) == ["eve"]
    assert found.kept is not None
    assert found.kept.kappas["strict", "inter"] == inter_annotator(found.judgements)  # type: ignore[arg-type]
    assert "mine: 14 preferences" in str(result)
    assert repr(result) == "AgreementResult(mine)"
    assert result._repr_html_().count("<table>") == 2
    with pytest.raises(mtassay.InputError, match="no judgements"):
        mtassay.agreement({})
    wrong: Any
    for wrong in ({"least_self": "x"}, {"least_share": None}, {"least_share": float("nan")}):
        with pytest.raises(mtassay.InputError, match="the least s"):
            mtassay.agreement({"mine": said}, **wrong)


REFUSED = {
    "no filter": (["items.tsv", "--keep", "k.tsv"], "--keep writes what a filter leaves: give --least-self"),
    "two files": (["items.tsv", "scores.tsv", "--agreed", "--keep", "k.tsv"], "--keep is for one file"),
    "same file": (["items.tsv", "--agreed", "--keep", "k.tsv", "-o", "./k.tsv"], "-o and --keep name the same file"),
    "twice": (["items.tsv", "items.tsv"], "items.tsv is named twice"),
    "scores": (["scores.tsv", "--agreed"], "scores.tsv has scores: the filters are for rankings and preferences"),
    "no judges": (["pairs.tsv"], "pairs.tsv does not say who judged"),
    "kappa": (["items.tsv", "--least-self", "20"], "the least self-agreement must be a kappa between -1 and 1, not"),
    "share": (["items.tsv", "--agreed", "--least-share", "60"], "the least share of equal labels must be over 0 and"),
    "judges": (["items.tsv", "--least-judges", "0"], "the least number of judges must be a whole number of at least 1"),
    "repeats": (["items.tsv", "--least-repeats", "-1"], "the least number of repeats must be a whole number"),
    "rule": (["items.tsv", "--rule", "strickt"], "no rule of agreement named 'strickt'; did you mean 'strict'?"),
    "unused rule": (["items.tsv", "--rule", "official"], "are for --least-self (least_self=): also give it"),
    "unused repeats": (["items.tsv", "--least-repeats", "5"], "are for --least-self (least_self=): also give it"),
    "share of scores": (["scores.tsv", "--least-share", ".9"], "the filters are for rankings and preferences"),
    "mixed": (["items.tsv", "scores.tsv", "-f", "tsv"], "tsv is one table: give only preferences or"),
    "missing": (["none.tsv"], "none.tsv"),
    "folder": (["items.tsv", "--agreed", "--keep", "nowhere/k.tsv"], "there is no folder nowhere; create it first"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_refused(capsys: pytest.CaptureFixture[str], case: str) -> None:
    arguments, message = REFUSED[case]
    assert message in refused(capsys, *arguments)
    assert not Path("k.tsv").exists()


def test_unknown_systems_are_named_at_once_or_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("set.jsonl").write_text('{"ref": "r", "tgt": {"a": "x"}}\n' * 2, encoding="utf-8")
    said = refused(capsys, "items.tsv", "--test-set", "set.jsonl")
    assert "items.tsv: systems that the test set does not have: 'b' (line 2), 'c' (line 2)" in said
    out = run(capsys, "scores.tsv", "--test-set", "set.jsonl", "--ignore-unknown")
    assert out.startswith("scores.tsv: 3 scores of adequacy, 2 judges; left out, not in the test set: b\n")
    found = json.loads(run(capsys, "scores.tsv", "--test-set", "set.jsonl", "--ignore-unknown", "-f", "json"))
    assert found["sets"][0]["ignored"] == ["b"]
