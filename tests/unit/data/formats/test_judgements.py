"""Made files of judgements in every format, and their faults."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from mtassay.data import Preferences, Rankings, Scores, TestSet, load_judgements, write_judgements
from mtassay.errors import InputError
from mtassay.judging.arrays import preferences_or_scores

WIDE = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id"
RANKS = f"{WIDE},system3Number,system3Id,system1rank,system2rank,system3rank\n"
TWO_PAIRS = (
    RANKS + 'Czech,English,2,"a, b",2,j1,1,x,2,y,0,blank,2,1,-1\nFrench,English,1,d,1,j2,1,x,2,z,3,_ref,1,1,2\n'
    "Czech,English,1,d,1,j1,1,z,2,x,3,y,3,3,1\n"
)
EARLY = "TASK,TYPE,ITEM_ID,ANNOTATOR_ID,TIME," + ",".join(f"SYSTEM_{k},SCORE_{k}_A,SCORE_{k}_B" for k in range(5))
SET = TestSet([["r", "s"]], {"x": ["a", "b"], "y": ["c", "d"], "z": ["e", "f"]}, ids=["d:1", "d:2"])


def read(folder: Path, text: str, file: str = "file.csv", **options: Any) -> Any:
    path = folder / file
    path.write_text(text, encoding="utf-8")
    return load_judgements(path, **options)


def ranks(found: Rankings) -> list[tuple[str, str, int, int]]:
    rows = zip(found.segment, found.system, found.rank, found.item, strict=True)
    return [(found.segments[g], found.systems[s], int(r), int(i)) for g, s, r, i in rows]


def scored(found: Scores) -> list[tuple[str, str, str, float]]:
    rows = zip(found.segment, found.judge, found.system, found.score, strict=True)
    return [(found.segments[g], found.judges[j], found.systems[s], float(v)) for g, j, s, v in rows]


def test_rankings(tmp_path: Path) -> None:
    found = read(tmp_path, TWO_PAIRS, lp="cs-en", testset=SET)
    assert ranks(found) == [("2", "x", 2, 0), ("2", "y", 1, 0), ("1", "z", 3, 1), ("1", "x", 3, 1), ("1", "y", 1, 1)]
    assert found.judges == ("j1",)
    french = read(tmp_path, TWO_PAIRS, lp="French-English", testset=SET, rename={"z": None})
    assert ranks(french) == [("1", "x", 1, 0), ("1", "_ref", 2, 0)]


def test_the_language_pair_is_by_default_that_of_the_test_set(tmp_path: Path) -> None:
    czech = read(tmp_path, TWO_PAIRS, testset=SET.with_language_pair("cs-en"))
    assert ranks(czech) == ranks(read(tmp_path, TWO_PAIRS, lp="cs-en", testset=SET))
    with pytest.raises(InputError, match="no language pair named 'de-en'"):
        read(tmp_path, TWO_PAIRS, testset=SET.with_language_pair("de-en"))
    with pytest.raises(InputError, match=r"choose one with -l \(lp=\): cs-en, fr-en"):
        read(tmp_path, TWO_PAIRS, testset=SET)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once_from_its_beginning(tmp_path: Path) -> None:
    content = "system\tsegment\tscore\tjudge\n" + "".join(f"A\t{n}\t{n % 100}\tx\n" for n in range(1, 3001))
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_text, args=(content,), daemon=True)
    writer.start()
    judged = load_judgements(tmp_path / "pipe")
    writer.join(10)
    assert isinstance(judged, Scores)
    assert judged.score.tolist() == [n % 100 for n in range(1, 3001)]


def test_rankings_with_tabs_and_other_cases(tmp_path: Path) -> None:
    text = "srcLang\ttrgLang\tsrcIndex\tjudgeID\tsystem1Id\tsystem1rank\tsystem2Id\tsystem2rank\n"
    found = read(tmp_path, text + "German\tEnglish\t7\tj\tnewstest2014.a.1.de-en\t1\tb.de-en\t2\n", "r.tsv")
    assert ranks(found) == [("7", "a.1", 1, 0), ("7", "b", 2, 0)]


def test_names_of_wmt13_lose_set_and_pair(tmp_path: Path) -> None:
    text = RANKS + "French,English,1,-1,1,j,-1,newstest2013.fr-en.a.b.27,-1,newstest2013.fr-en.c,-1,d,1,2,2\n"
    assert read(tmp_path, text).systems == ("a.b.27", "c", "d")


def test_pairs_of_one_ranking_are_one_item(tmp_path: Path) -> None:
    text = "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    rows = "English,Czech,3,3,j,a,1,b,2,77\nEnglish,Czech,3,3,j,a,1,c,1,77\nEnglish,Czech,4,4,k,c,4,b,2,9\n"
    found = read(tmp_path, text + rows)
    assert isinstance(found, Preferences)
    assert (found.outcome.tolist(), found.item.tolist(), found.n_items) == ([1, 0, -1], [0, 0, 1], 2)
    assert found.segments == ("3", "4")


def test_joined_systems(tmp_path: Path) -> None:
    text = "rankingID\tsegment\tjudge\titems\n1\t2\tj\tx+y=1 z=2\n"
    assert ranks(read(tmp_path, text, testset=SET)) == [("2", "x", 1, 0), ("2", "y", 1, 0), ("2", "z", 2, 0)]
    assert read(tmp_path, text, split=False, testset=SET).systems == ("x+y", "z")
    assert read(tmp_path, text, rename={"y": None}).systems == ("x", "z")


@pytest.mark.parametrize(("campaign", "expected"), [("WMT07", [2, 1, 5]), ("WMT08", [4, 5, 1])])
def test_best_rank_of_early_campaigns(tmp_path: Path, campaign: str, expected: list[int]) -> None:
    text = f"{EARLY}\n{campaign} French-English News,RANK,0,18,9,a,4,,b,5,,c,1,\n"
    found = read(tmp_path, text)
    assert found.rank.tolist() == expected
    assert found.segments == ("1",)


def test_tasks(tmp_path: Path) -> None:
    lines = [
        "WMT07 French-English News Commentary,NIST,5,18,9,a,4,3,b,-,2,c,1,-",
        "WMT08 French-English News,CONSTITUENT_ACCEPT,123,7,9,a,1,,b,2,,c,3,",
        "WMT08 German-English News,CONSTITUENT_ACCEPT,5,7,9,a,2,",
    ]
    text = "\n".join([EARLY, *lines]) + "\n"
    assert scored(read(tmp_path, text, task="adequacy")) == [("6", "18", "a", 4), ("6", "18", "c", 1)]
    assert scored(read(tmp_path, text, task="fluency", lp="fr-en")) == [("6", "18", "a", 3), ("6", "18", "b", 2)]
    accepted = read(tmp_path, text, task="acceptability", lp="fr-en", domain="News")
    assert scored(accepted) == [("123", "7", "a", 1), ("123", "7", "b", 0)]
    with pytest.raises(InputError, match=r"choose one with -l \(lp=\): fr-en, de-en"):
        read(tmp_path, text, task="acceptability")
    with pytest.raises(InputError, match="constituents, not segments"):
        read(tmp_path, text, task="acceptability", lp="de-en", testset=SET, rename={"a": "x"})


def test_quotes_in_tabs_are_text(tmp_path: Path) -> None:
    header = EARLY.replace(",", "\t") + "\tEXTRA"
    rows = ["WMT09 Czech-English News\tEDIT\t0\t1\t9\ta\tEDIT" + "\t" * 14 + 'He said: "No']
    rows += ["WMT09 Czech-English News\tEDIT_ACCEPT\t0\t2\t9\ta\t1\t17\tb\t0\t3" + "\t" * 9]
    found = read(tmp_path, "\n".join([header, *rows]), "x.tsv")
    assert scored(found) == [("1", "2", "a", 1), ("1", "2", "b", 0)]


def test_pairs(tmp_path: Path) -> None:
    found = read(tmp_path, "2\tx\ty\n1\tz\tx\n", "pairs.tsv", testset=SET)
    assert (found.systems, found.segments) == (("x", "y", "z"), ("2", "1"))
    assert (found.first.tolist(), found.second.tolist(), found.outcome.tolist()) == ([0, 2], [1, 0], [1, 1])


def test_acceptance(tmp_path: Path) -> None:
    header = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,systemNumber,systemId,editId,judgment\n"
    rows = "".join(f"Czech,English,{k},d,{k},j,4,x,5,{word}\n" for k, word in enumerate(["YES", "NO", "UNK"], 1))
    assert scored(read(tmp_path, header + rows)) == [("1", "j", "x", 1), ("2", "j", "x", 0)]


def test_direct_assessment(tmp_path: Path) -> None:
    text = "SYS SID RAW.SCR Z.SCR N \nx.7 2 80 .5 1 \nHUMAN.0 1 90 1.5 2 \n"
    assert scored(read(tmp_path, text)) == [("2", "", "x.7", 0.5), ("1", "", "HUMAN.0", 1.5)]
    assert scored(read(tmp_path, text, column="RAW.SCR", testset=SET)) == [("2", "", "x", 80), ("1", "", "HUMAN", 90)]
    text = "LP SYSTEM SID HUMAN\ncs-en x 0 -.25\nfr-en y 1 2\n"
    assert scored(read(tmp_path, text, lp="cs-en", testset=SET)) == [("1", "", "x", -0.25)]


def test_mqm(tmp_path: Path) -> None:
    found = read(tmp_path, "system mqm_avg_score seg_id\nx\t-5.0 1\nx\tNone 2\ny\t-1.5 2\n")
    assert (found.aspect, scored(found)) == ("mqm", [("1", "", "x", -5), ("2", "", "y", -1.5)])


def test_score_files(tmp_path: Path) -> None:
    found = read(tmp_path, "x\tNone\nx\t-1\ny\t-2\ny\tNone\n", "en-de.mqm.seg.score", testset=SET, lp="en-de")
    assert (found.aspect, scored(found)) == ("mqm", [("2", "", "x", -1), ("1", "", "y", -2)])
    whole = read(tmp_path, "x\t-1\ny\t-2\n", "en-de.mqm.sys.score", testset=SET)
    assert scored(whole) == [("", "", "x", -1), ("", "", "y", -2)]
    task = "METRIC\tLP\tTESTSET\tSYSTEM\tSCORE\nHUMAN\tes-en\tn\tx\t61.5\nHUMAN\tfr-en\tn\ty\t7\n"
    assert scored(read(tmp_path, task, "humans", lp="es-en")) == [("", "", "x", 61.5)]


def test_own_tables(tmp_path: Path) -> None:
    text = "id\tjudge\tsystem\tscore\tkind\taspect\tbetter\n"
    rows = "d:2\ta\tx\t70\tREPEAT\tda\tlower\nd:1\tb\ty\tNone\t\tda\tlower\nd:1\tb\ty\t3\t\tesa\tlower\n"
    found = read(tmp_path, text + rows, "own.tsv", task="da", testset=SET)
    assert (scored(found), found.aspect, found.higher_is_better) == ([("2", "a", "x", 70)], "da", False)
    assert found.item.tolist() == ["REPEAT"]
    assert read(tmp_path, text + rows, "own.tsv", task="esa").segments == ("d:1",)
    text = '{"segment": 2, "system": "x", "rank": 1, "item": 7}\n{"segment": 2, "system": "y", "rank": 2, "item": 7}\n'
    assert ranks(read(tmp_path, text, "own.jsonl", testset=SET)) == [("2", "x", 1, 0), ("2", "y", 2, 0)]
    found = read(tmp_path, "segment\tfirst\tsecond\toutcome\n1\tx\ty\t-1\n1\ty\tz\t0\n", "own.tsv")
    assert (found.outcome.tolist(), found.item.tolist(), found.judges) == ([-1, 0], [0, 1], ("",))


def same(one: Any, two: Any) -> bool:
    assert type(one) is type(two)
    for key, value in vars(one).items():
        other = getattr(two, key)
        if not (np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other):
            return False
    return True


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_what_is_written_reads_back(tmp_path: Path, form: str) -> None:
    ranking = read(tmp_path, TWO_PAIRS, lp="cs-en")
    score = read(tmp_path, "SYS SID RAW.SCR Z.SCR N\nx.7 2 80 .1 1\ny.0 1 9 1e-300 2\n")
    whole = read(tmp_path, "x\t-1\ny\t-2\n", "en-de.mqm.sys.score")
    for judgements in (ranking, ranking.preferences(), score, whole):
        path = tmp_path / f"out.{form}"
        write_judgements(judgements, path, format=form)
        assert same(load_judgements(path), judgements)


def test_screens_are_numbered_without_outputs_that_are_left_out(tmp_path: Path) -> None:
    """The first output of item 3 has no rank, so the first one that counts is behind that of item 1."""
    rows = [(0, 1), (3, -1), (1, 1), (3, 1)]
    text = "".join(f'{{"segment": 1, "system": "x", "rank": {rank}, "item": {item}}}\n' for item, rank in rows)
    assert read(tmp_path, text, "own.jsonl").item.tolist() == [0, 1, 2]


@pytest.mark.parametrize("odd", ["\\t", "\\n", "\\r", "\\ud800"])
def test_names_with_tabs_need_jsonl(tmp_path: Path, odd: str) -> None:
    text = f'{{"segment": "a{odd}b", "system": "x", "score": 0.5}}\n'
    found = read(tmp_path, text, "own.jsonl")
    with pytest.raises(InputError, match="write JSONL"):
        write_judgements(found, tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()
    write_judgements(found, tmp_path / "out.jsonl", format="jsonl")
    assert same(load_judgements(tmp_path / "out.jsonl"), found)


def test_compressed_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"1\tx\ty\n"
    (tmp_path / "p.tsv.gz").write_bytes(gzip.compress(content))
    assert len(load_judgements(tmp_path / "p.tsv.gz")) == 1
    (tmp_path / "p.tsv.gz").write_bytes(gzip.compress(content)[:-5])
    with pytest.raises(InputError, match=r"p\.tsv\.gz, line 2: the gzip data are truncated"):
        load_judgements(tmp_path / "p.tsv.gz")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x\t1\nx\t2\n")))
    assert scored(load_judgements("-")) == [("1", "", "x", 1), ("2", "", "x", 2)]  # type: ignore[arg-type]


ITEMS = "rankingID\tsegment\tjudge\titems\n"
HITS = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n" + "".join(
    "\t".join((hit, judge, source, "en", item, "9", system, "7", kind, segment, score, "60.0")) + "\n"
    for hit, judge, source, item, system, kind, segment, score in (
        ("H1", "w", "cs", "ad", "x", "SYSTEM", "2", "0.5"),
        ("H1", "w", "cs", "ad", "x", "BAD_REF", "2", "-1"),
        ("H2", "w", "de", "ad", "x", "SYSTEM", "2", "0.25"),
        ("H2", "w", "cs", "fl", "y", "SYSTEM", "1", "3"),
    )
)
EXPORT = "u,set.en-liv.hyp.x.liv.txt,1,TGT,eng,liv,50,1.5,2\nu,set.en-liv.ref.A.liv.txt,1,BAD,eng,liv,7,2,3\n"
EXPORT_HEADER = "username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd\n"


def test_hits_keep_control_items_and_other_language_pairs(tmp_path: Path) -> None:
    found = read(tmp_path, HITS, lp="cs-en", task="adequacy", testset=SET)
    assert scored(found) == [("2", "w", "x", 0.5), ("2", "w", "x", -1)]
    assert (found.item.tolist(), found.hit.tolist(), found.aspect) == (["SYSTEM", "BAD_REF"], [0, 0], "adequacy")
    assert [scored(other) for other in found.other_pairs] == [[("2", "w", "x", 0.25)]]
    alone = read(tmp_path, HITS, task="fluency")
    assert (scored(alone), alone.other_pairs) == ([("1", "w", "y", 3)], ())
    with pytest.raises(InputError, match=r"choose one with --task .*: adequacy, fluency"):
        read(tmp_path, HITS, lp="cs-en")
    with pytest.raises(InputError, match=r"choose one with -l .*: cs-en, de-en"):
        read(tmp_path, HITS, task="adequacy")
    write_judgements(found, tmp_path / "own.tsv")
    again: Any = load_judgements(tmp_path / "own.tsv")
    assert (scored(again), again.hit.tolist()) == (scored(found), found.hit.tolist())


def test_exports_of_appraise_with_and_without_header(tmp_path: Path) -> None:
    for text in (EXPORT, EXPORT_HEADER + EXPORT):
        found = read(tmp_path, text)
        assert scored(found) == [("1", "u", "x", 50), ("1", "u", "refA", 7)]
        assert (found.item.tolist(), found.aspect, found.hit) == (["TGT", "BAD"], "da", None)
    both = EXPORT + EXPORT.replace("eng,liv", "liv,eng")
    assert scored(read(tmp_path, both, lp="en-liv")) == scored(read(tmp_path, both, lp="eng-liv"))
    (other,) = read(tmp_path, both, lp="en-liv").other_pairs
    assert other.systems == ("x", "refA")


OWN = "segment\tsystem\trank\titem\n"
OWN_SCORES = "segment\tjudge\tsystem\tscore\n1\tj\tx\t1\n"
# One fault per format and kind: the message names the file and, where there is one, the line.
FAULTS = [
    (TWO_PAIRS, {}, r"file\.csv has several language pairs: choose one with -l \(lp=\): cs-en, fr-en"),
    (TWO_PAIRS, {"lp": "cz-en"}, "no language pair named 'cz-en'; did you mean 'cs-en'"),
    (TWO_PAIRS, {"lp": "cs-en", "format": "ranking"}, "no format .* did you mean 'rankings'"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,y,3,z,1,two,3\n", {}, "line 2: system2rank 'two' is not a whole number"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,y,3,z,1,0,3\n", {}, "line 2: system2rank '0' is not a rank"),
    (RANKS + "Czech,English,0,d,1,j,1,x,2,y,3,z,1,2,3\n", {}, "line 2: srcindex '0' is not a segment"),
    (RANKS + "Czech,English,3,d,1,j,1,x,2,y,3,z,1,2,3\n", {"testset": SET}, "line 2: srcindex '3' .* 2 segments"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,yy,3,z,1,2,3\n", {"testset": SET}, "line 2: .* did you mean 'y'"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,x,3,z,1,2,3\n", {}, "line 2: 'x' is ranked twice"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,y,3,z,-1,-1,-1\n", {}, "no judgement"),
    (RANKS + "Czech,English,1,d,1,j,1,x,2,y,3,z,1,2\n", {}, "line 2: 14 columns, expected 15"),
    (RANKS + 'Czech,English,1,"d,1\n', {}, "line 2: not CSV"),
    (RANKS.replace("system2rank", "rank2"), {}, "line 1: only a header"),
    (TWO_PAIRS.replace("system2rank", "sys2rank"), {}, "line 1: no column named 'system2rank'; did you mean"),
    (TWO_PAIRS.replace("judgeId", "srcIndex"), {}, "line 1: column 6 has the same name 'srcindex' as another column"),
    (ITEMS + "1\t1\tj\tx=1 y\n", {}, "line 2: items 'y' is not 'system=rank'"),
    (ITEMS + "1\t1\tj\tx=1\n2\t1\tj\tx+q=2\n", {"testset": SET}, "line 3: items 'q' is not a system"),
    (f"{EARLY}\nFrench News,RANK,0,1,1,a,1,\n", {}, "line 2: task 'French News' is not of the form"),
    (f"{EARLY}\nWMT07 French-English News,RANK,0,1,1,a,6,\n", {}, "line 2: a rank over 5"),
    (f"{EARLY}\nWMT07 French-English News,NIST,0,1,1,a,6,1\n", {"task": "adequacy"}, "line 2: .* from 1 to 5"),
    (f"{EARLY}\nWMT07 French-English News,RANK,0,1,1,a,1,\n", {"task": "ranks"}, "did you mean 'rank'"),
    ("1\tx\ty\n1\tx\tx\n", {}, "line 2: 'x' is compared with itself"),
    ("1\tx\ty\n1\tx\n", {}, "line 2: 2 columns, expected 3"),
    ("1\tx\t\n", {}, "line 1: worse is empty"),
    ("SYS SID RAW.SCR Z.SCR N\nx 1 5 high 1\n", {}, "line 2: z.scr 'high' is not a score"),
    ("SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\n", {"column": "ZSCR"}, "no column named 'zscr'; did you mean 'z.scr'"),
    (OWN + "1\tx\t1\ta\n2\ty\t1\ta\n", {}, "line 3: the item of line 2 has another segment"),
    (OWN + "1\tx\t1\ta\n1\ty\t1\ta\n1\tx\t2\ta\n", {}, "line 4: 'x' is ranked twice in its item"),
    ("segment\tsystem\tscore\tjudges\n1\tx\t1\tj\n", {}, "line 1: unknown column 'judges'; did you mean 'judge'"),
    ("segment\tfirst\tsecond\toutcome\n1\tx\ty\t2\n", {}, "line 2: outcome '2' is not 1"),
    ("id\tsystem\tscore\nd:3\tx\t1\n", {"testset": SET}, "line 2: id 'd:3' is not in the test set"),
    ('{"segment": 1, "system": "x", "score": 1}\n{"segment": 1}\n', {}, "line 2: the key .* is not in every line"),
    ('{"segment": 1, "system": ["x"], "score": 1}\n', {}, "line 1: 'system' is .* must be a text or a number"),
    ('{"segment": 1}\n', {}, "line 1: no judgements"),
    ("some text\n", {}, r"line 1: neither a known header .* choose one with --judgement-format \(format=\)"),
    ("1\tx\tq\n", {"testset": SET}, r"line 1: worse 'q' is not a system .* \(--rename \(rename=\) gives other names"),
    ("1\tp\tx\n2\tx\tq\n2\tx\tp\n", {"testset": SET}, r"does not have: 'p' \(line 1\), 'q' \(line 2\); there are: x"),
    (ITEMS + "1\t1\tj\tx=1 p+q=2\n2\t1\tj\tr=1 x=2\n", {"testset": SET}, r"'p' \(line 2\), 'q' .line 2., 'r' .line 3."),
    ("1\tx\ty\n", {"ignore_unknown": True}, "chooses nothing here: without a test set no system is unknown"),
    ("1\tp\tq\n", {"ignore_unknown": True, "testset": SET}, "no judgements: all of them are missing or left out"),
    # One segment is missing among others.
    ("segment\tsystem\tscore\n1\tx\t1\n\tx\t2\n", {}, "line 3: segment is empty"),
    ("segment\tsystem\tscore\n\tx\t1\n1\tx\t2\n", {"testset": SET}, "line 2: segment is empty"),
    ('{"segment": 1, "system": "x", "score": 1}\n{"segment": null, "system": "x", "score": 1}\n', {}, "line 2: segm"),
    # Options that choose nothing.
    ("1\tx\ty\n", {"lp": "cs-en"}, r"-l \(lp=\) chooses nothing here: files in the format pairs name no language"),
    ("1\tx\ty\n", {"task": "fluency"}, r"--task \(task=\) chooses nothing here: files in the format pairs have no"),
    ("1\tx\ty\n", {"domain": "News"}, r"--domain \(domain=\) chooses nothing here"),
    ("1\tx\ty\n", {"column": "z"}, r"--column \(column=\) chooses nothing here: the column of scores is fixed"),
    ("1\tx\ty\n", {"split": False}, r"--joined \(split=False\) chooses nothing here"),
    (ITEMS + "1\t1\tj\tx=1 y=2\n", {"lp": "x-y", "task": "fluency", "domain": "Q"}, "the format items"),
    (OWN + "1\tx\t1\ta\n2\ty\t1\tb\n", {"task": "adequacy"}, "nothing here: these judgements are rankings"),
    (OWN_SCORES, {"column": "score"}, "the column of scores is fixed in the format tsv"),
    (OWN_SCORES, {"column": "judge"}, "--column"),
    (OWN_SCORES, {"lp": "xx"}, "the format tsv name no language pair"),
    (OWN_SCORES, {"task": "fluensy"}, "name no task; no task named 'fluensy'; did you mean 'fluency'"),
    ("SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\n", {"lp": "cs-en"}, "these scores name no language pair"),
    ("SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\n", {"task": "da2"}, r"--task \(task=\): .* no task named 'da2'"),
    ("system mqm_avg_score seg_id\nx 1 1\n", {"column": "z"}, "the column of scores is fixed in the format mqm"),
    ("x\t1\nx\t2\n", {"lp": "cs-en"}, "these scores name no language pair"),
    # Systems that are not there to be renamed.
    ("1\tx\tyes\n", {"rename": {"yess": "y"}}, r"--rename \(rename=\): no system named 'yess'; did you mean 'yes'"),
    (ITEMS + "1\t1\tj\tx+y=1 z=2\n", {"rename": {"q": None}}, r"no system named 'q' \(known: x, y, z\)"),
    (TWO_PAIRS, {"lp": "cs-en", "rename": {"_ref": None}}, "no system named '_ref'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "message"), FAULTS)
def test_faults(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text, **options)
    assert "file.csv" in str(caught.value) or "format" in options


def test_options_that_other_things_need(tmp_path: Path) -> None:
    # Beside a test set the language pair may be its own.
    assert len(read(tmp_path, "1\tx\ty\n", lp="cs-en", testset=SET)) == 1
    assert len(read(tmp_path, "SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\n", lp="cs-en", testset=SET)) == 1
    wide = "segment\tx\ty\tz\tX\n1\t1\t2\t3\t4\n"
    assert len(read(tmp_path, wide, "w.score", lp="cs-en", testset=SET, rename={"X": None})) == 3
    # Scores that do not say what they are of are called what the task says.
    for text in (OWN_SCORES, "x\t1\nx\t2\n", "SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\n"):
        assert read(tmp_path, text, task="fluency").aspect == "fluency"
    # Names for several files need not be in each.
    assert read(tmp_path, "1\tx\ty\n", rename={"z": "a"}, rename_all=False).systems == ("x", "y")


def test_unknown_systems_can_be_ignored(tmp_path: Path) -> None:
    for text in (
        TWO_PAIRS.replace("1,z,2,x", "1,qq,2,x"),
        ITEMS + "1\t1\tj\tx=1 y+qq=2\n",
        "1\tx\ty\n1\tx\tqq\n",
        "SYS SID RAW.SCR Z.SCR N\nx 1 5 1 1\nqq 1 5 1 1\n",
        "segment\tsystem\tscore\n1\tx\t1\n1\tqq\t2\n",
        "qq\t1\nqq\t2\nx\t3\nx\t4\n",
    ):
        options = {"lp": "cs-en"} if text.startswith("srclang") else {}
        found = read(tmp_path, text, testset=SET, ignore_unknown=True, **options)
        assert "qq" not in found.systems
        assert "x" in found.systems
        assert found.ignored == ("qq",)
        assert preferences_or_scores(found).ignored == ("qq",)


JOINED = {
    "1\tx\ty+z\n": [("x", "y"), ("x", "z")],
    "segment\tfirst\tsecond\toutcome\titem\n1\tx+y\tz\t1\t7\n": [("x", "z"), ("y", "z")],
    "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    "Czech,English,1,j,x,1,y+z,2,5\n": [("x", "y"), ("x", "z")],
}  # fmt: skip


@pytest.mark.parametrize("text", JOINED)
def test_joined_systems_of_preferences_are_split(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text, testset=SET)
    pairs = [(found.systems[x], found.systems[y]) for x, y in zip(found.first, found.second, strict=True)]
    assert (pairs, set(found.outcome.tolist())) == (JOINED[text], {1})
    kept = read(tmp_path, text, testset=SET, split=False)
    assert (len(kept), any("+" in name for name in kept.systems)) == (1, True)


def test_joined_systems_of_own_tables_are_split_where_a_test_set_has_them(tmp_path: Path) -> None:
    text = "segment\tjudge\tsystem\tscore\n1\tj\tx+y\t5\n2\tj\tz\t7\n"
    assert scored(read(tmp_path, text, testset=SET)) == [("1", "j", "x", 5), ("1", "j", "y", 5), ("2", "j", "z", 7)]
    assert read(tmp_path, text, testset=SET, split=False).systems == read(tmp_path, text).systems == ("x+y", "z")
    ranked = "segment\titem\tsystem\trank\n1\ta\tx+y\t1\n1\ta\tz\t2\n"
    assert ranks(read(tmp_path, ranked, testset=SET)) == [("1", "x", 1, 0), ("1", "y", 1, 0), ("1", "z", 2, 0)]
    # A name that the test set has is no join, and neither is one of which it does not have all parts.
    whole = TestSet([["r", "s"]], {"x+y": ["a", "b"], "z": ["c", "d"]})
    assert read(tmp_path, text, testset=whole).systems == ("x+y", "z")
    with pytest.raises(InputError, match=r"line 2: system 'x\+q' is not a system"):
        read(tmp_path, text.replace("x+y", "x+q"), testset=SET)


def test_other_columns_are_ignored(tmp_path: Path) -> None:
    text = "segment\tsystem\ttime\tscore\tdoc_id\n1\tx\t9.5\t3\tnews\n"
    assert scored(read(tmp_path, text)) == [("1", "", "x", 3)]
    lines = '{"segment": 1, "system": "x", "score": 3, "words": [1, 2]}\n{"segment": 2, "system": "x", "score": 4}\n'
    assert scored(read(tmp_path, lines)) == [("1", "", "x", 3), ("2", "", "x", 4)]
    with pytest.raises(InputError, match="line 1: unknown column 'judges'; did you mean 'judge'"):
        read(tmp_path, '{"segment": 1, "system": "x", "score": 3, "judges": "j"}\n')


def test_wrong_encoding(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_bytes("1\té\ty\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"p\.tsv, line 1: byte 0xe9 is not utf-8"):
        load_judgements(tmp_path / "p.tsv")
    assert load_judgements(tmp_path / "p.tsv", encoding="latin-1").systems == ("é", "y")


def test_unknown_output_formats(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write tsv or jsonl"):
        write_judgements(read(tmp_path, "1\tx\ty\n"), tmp_path / "out", format="csv")


def test_empty_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing but empty lines"):
        read(tmp_path, "\t\n", format="pairs")
    assert len(read(tmp_path, "1\tx\ty\n\n2\tx\ty\n")) == 2


def test_systems_that_become_one_are_announced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = "1\tx\ty\n2\ty\tz\n"
    assert read(tmp_path, text, rename={"x": "w"}).systems == ("w", "y", "z")
    assert not caplog.messages
    assert read(tmp_path, text, rename={"z": "x"}).systems == ("x", "y")
    (message,) = caplog.messages
    assert message.endswith(": --rename (rename=) makes one system, x, of x and z")
    caplog.clear()
    assert read(tmp_path, text, rename={"x": "w", "z": "w"}).systems == ("w", "y")
    assert caplog.messages[0].endswith("makes one system, w, of x and z")
    caplog.clear()
    assert set(read(tmp_path, text, rename={"x": "z", "z": "x"}).systems) == {"x", "y", "z"}  # exchanged
    assert not caplog.messages
