"""Every other protocol, from ``judge new`` to a ranking and back from its exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.collect.protocols import WEIGHTS
from mtassay.collect.spans import tokens_of
from mtassay.data.campaigns import Answer, read_campaign
from mtassay.data.judgements import Preferences, Scores

QUALITY = ("atlas", "borealis", "cobalt", "dune", "ember", "fjord")
_BEST = {system: 90 - 12 * place for place, system in enumerate(QUALITY)}


class Knowing:
    """A simulated judge who knows which system made an output: the best of those that made it."""

    def __init__(self, sample: mtassay.TestSet) -> None:
        self.quality: dict[str, int] = {}
        for system in reversed(QUALITY):
            self.quality |= dict.fromkeys((text.strip() for text in sample.systems[system]), _BEST[system])
        self.quality |= {text: 100 for stream in sample.references for text in stream if text}
        self.noise = np.random.default_rng(7)

    def score(self, page: Any) -> int:
        """Degraded outputs, which no system made, get a low score."""
        return min(100, max(0, self.quality.get(page.outputs[0], 5) + int(self.noise.integers(-5, 6))))

    def pair(self, page: Any) -> dict[str, Any]:
        first, second = (self.quality.get(text, 5) for text in page.outputs)
        return {"outcome": str((first > second) - (first < second))}

    def da(self, page: Any) -> dict[str, Any]:
        return {"score": str(self.score(page))}

    def likert(self, page: Any) -> dict[str, Any]:
        grade = 1 + self.score(page) // 25
        return {"adequacy": str(grade), "fluency": str(max(1, grade - 1))}


def systems_by_rank(judgements: Any, **options: Any) -> list[str]:
    result = mtassay.humans(judgements, resamples=100, **options)
    scores = result.aspects[0].clustering.scores
    return [result.systems[place] for place in np.argsort(-np.asarray(scores))]


def same(read: Any, expected: Any, *columns: str) -> None:
    """Judgements read from two places are equal, whatever their names are numbered by."""
    rows = []
    for one in (read, expected):
        names = {"segment": one.segments, "judge": one.judges, "system": one.systems}
        names |= {"first": one.systems, "second": one.systems}
        rows.append(
            [tuple(names[c][v] if c in names else v for c, v in zip(columns, row, strict=True)) for row in zip(
                *(getattr(one, column).tolist() for column in columns), strict=True)]
        )  # fmt: skip
    assert rows[0] == rows[1]
    assert rows[0]


def exported(made: Any, folder: Path) -> dict[str, Path]:
    names = mtassay.judge.export(made.path, folder / "out")
    return {name.removeprefix(f"{made.path.stem}."): folder / "out" / name for name in names}


def test_pair(campaign: Callable[..., Any], sample: mtassay.TestSet, tmp_path: Path) -> None:
    made = campaign(protocol="pair", segments=40, training=0)
    made.judge("ann").work(Knowing(sample).pair)
    judged = mtassay.load_judgements(made.path, testset=sample)
    assert isinstance(judged, Preferences)
    assert systems_by_rank(judged)[0] == "atlas"
    files = exported(made, tmp_path)
    for end in ("tsv", "wmt.csv"):
        same(mtassay.load_judgements(files[end]), judged, "segment", "judge", "first", "second", "outcome", "item")


@pytest.fixture(scope="module")
def assessed(campaign: Callable[..., Any], sample: mtassay.TestSet) -> Any:
    """Direct assessment of 20 segments by a careful judge and by one who always says about the same."""
    made = campaign(protocol="da", segments=10, task_size=20, judges_per_task=2, training=0)
    made.judge("careful").work(Knowing(sample).da)
    random = np.random.default_rng(3)
    made.judge("careless").work(lambda page: {"score": str(int(random.integers(48, 53)))})
    return made


def test_direct_assessment_from_new_to_the_ranking(assessed: Any, sample: mtassay.TestSet) -> None:
    judged = mtassay.load_judgements(assessed.path, testset=sample)
    assert isinstance(judged, Scores)
    assert judged.aspect == "adequacy"
    result = mtassay.humans(judged, drop_careless=True, resamples=100)
    assert [dropped.judges for dropped in result.aspects[0].dropped] == [("careless",)]
    assert systems_by_rank(judged, drop_careless=True) == list(QUALITY)
    assert set(judged.item.tolist()) == {"SYSTEM", "REPEAT", "BAD_REF", "REF"}


def test_export_needs_a_folder_or_prints(assessed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(assessed.path)
    assert main(["judge", "export", path]) == 2
    assert "nothing to export: give -o FOLDER, or --methods" in capsys.readouterr().err
    assert main(["judge", "export", path, "--methods", "--joined"]) == 2
    assert "--joined is for the tables: also give -o FOLDER" in capsys.readouterr().err
    assert main(["judge", "export", path, "--methods"]) == 0
    assert capsys.readouterr().out == f"{mtassay.judge.methods(path)}\n"


def test_exports_of_direct_assessment(assessed: Any, tmp_path: Path) -> None:
    judged = mtassay.load_judgements(assessed.path)
    files = exported(assessed, tmp_path)
    own = mtassay.load_judgements(files["tsv"])
    same(own, judged, "segment", "judge", "system", "score", "item", "hit")
    appraise = mtassay.load_judgements(files["appraise.csv"])
    same(appraise, judged, "segment", "judge", "system", "score")
    kinds = {"SYSTEM": "TGT", "REPEAT": "CHK", "BAD_REF": "BAD", "REF": "REF"}
    assert appraise.item.tolist() == [kinds[kind] for kind in judged.item.tolist()]


def test_the_organiser_sees_who_is_careless_and_nothing_is_left_out(assessed: Any) -> None:
    found = mtassay.judge.status(assessed.path)
    p = {judge.judge: judge.degraded_p for judge in found.judges}
    assert p["careful"] is not None
    assert p["careful"] < 0.001
    assert p["careless"] is not None
    assert p["careless"] > 0.05
    notes = {judge.judge: " ".join(judge.notes) for judge in found.judges}
    assert "does not score degraded outputs lower" in notes["careless"]
    assert "faster than 300 s" in notes["careful"]  # the test's clock moves by a second
    assert len(read_campaign(assessed.path).answers) == 2 * assessed.plan.n_screens


def test_likert_has_two_aspects(campaign: Callable[..., Any], sample: mtassay.TestSet, tmp_path: Path) -> None:
    made = campaign(protocol="likert", segments=6, task_size=20, training=0)
    made.judge("ann").work(Knowing(sample).likert)
    with pytest.raises(mtassay.InputError, match="choose one with --task"):
        mtassay.load_judgements(made.path)
    files = exported(made, tmp_path)
    for aspect in ("adequacy", "fluency"):
        judged = mtassay.load_judgements(made.path, task=aspect)
        assert isinstance(judged, Scores)
        assert judged.aspect == aspect
        assert set(judged.score.tolist()) <= {1, 2, 3, 4, 5}
        same(mtassay.load_judgements(files[f"{aspect}.tsv"]), judged, "segment", "judge", "system", "score", "item")
    assert systems_by_rank(mtassay.load_judgements(made.path, task="adequacy"))[0] == "atlas"


def mark(judge: Any, page: Any, tokens: list[int], severity: str, **more: str) -> Any:
    """Mark tokens; the page after that."""
    reply = judge.post("/work", {**page.fields, "token-at": tokens, "action": f"mark:{severity}", **more})
    assert reply.status == 200
    return type(page)(reply.text)


def work_with_spans(made: Any, sample: mtassay.TestSet, name: str, **more: str) -> None:
    """Mark the second word of bad outputs as major, of mediocre ones as minor; then score."""
    knowing, judge = Knowing(sample), made.judge(name)
    judge.enter()
    while judge.start().path == "/work":
        while (reply := judge.get("/work")).path == "/work":
            page = judge.page()
            text = "".join(page.outputs).removesuffix("missing").strip()
            quality = knowing.quality.get(text, 5)
            if quality < 80:
                page = mark(judge, page, [1], "major" if quality < 55 else "minor", **more)
            extra = {"score": str(quality)} if "score" in page.choices else {"no-errors": "yes"}
            reply = judge.save(page, **extra)
            assert reply.status == 303, reply.text


def words_of(answer: Answer) -> list[str]:
    text = answer.screen.outputs[0].text
    return [text[span["start"] : span["end"]] for span in answer.payload["spans"]]


def test_error_span_annotation_from_new_to_the_ranking(
    campaign: Callable[..., Any], sample: mtassay.TestSet, tmp_path: Path
) -> None:
    made = campaign(protocol="esa", segments=4, task_size=20, training=0)
    work_with_spans(made, sample, "ann")
    judged = mtassay.load_judgements(made.path, testset=sample)
    assert isinstance(judged, Scores)
    assert judged.aspect == "esa"
    assert systems_by_rank(judged) == list(QUALITY)
    files = exported(made, tmp_path)
    same(mtassay.load_judgements(files["tsv"]), judged, "segment", "judge", "system", "score", "item")
    lines = [json.loads(line) for line in files["spans.jsonl"].read_text(encoding="utf-8").splitlines()]
    by_key = {(line["segment"], line["system"], line["judge"], line["kind"]): line for line in lines}
    kinds = {"": "SYSTEM", "repeat": "REPEAT", "degraded": "BAD_REF", "reference": "REF"}
    for answer in read_campaign(made.path).answers:
        for system in answer.screen.outputs[0].systems:
            line = by_key[answer.screen.segment, system, answer.judge, kinds[answer.screen.kind]]
            assert (line["spans"], line["score"]) == (answer.payload["spans"], answer.payload["score"])
        for word in words_of(answer):
            assert word in answer.screen.outputs[0].text.split()[1]


def test_mqm_scores_are_weights(campaign: Callable[..., Any], sample: mtassay.TestSet, tmp_path: Path) -> None:
    made = campaign(protocol="mqm", segments=4, training=0)
    work_with_spans(made, sample, "ann", category="fluency/grammar")
    for answer in read_campaign(made.path).answers:
        spans = answer.payload["spans"]
        assert answer.payload["score"] == -sum(WEIGHTS[span["severity"]] for span in spans)
        assert {span["category"] for span in spans} <= {"fluency/grammar"}
    judged = mtassay.load_judgements(made.path)
    assert isinstance(judged, Scores)
    assert set(judged.score.tolist()) == {0.0, -1.0, -5.0}
    assert systems_by_rank(judged)[-1] in {"ember", "fjord", "dune"}
    assert "spans.jsonl" in exported(made, tmp_path)


def test_spans_are_code_points_and_marks_can_be_taken_back(campaign: Callable[..., Any]) -> None:
    text = "👩‍🔬 said 𝒳 is so, yes"
    testset = mtassay.TestSet([["She said so"]], {"a": [text]}, language_pair="de-en")
    made = campaign(testset=testset, protocol="esa", controls=False, training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = judge.page()
    n_tokens = len(page.choices["token-at"])
    reply = judge.post("/work", {**page.fields, "action": "mark:minor"})
    assert type(page)(reply.text).alerts == ["Choose the words of the error first."]
    page = mark(judge, page, [n_tokens - 1], "major")  # something is missing
    place = [token.text for token in tokens_of(text)].index("𝒳")
    page = mark(judge, page, [place, place + 1], "minor")
    page = mark(judge, page, [0], "minor")
    first = json.loads(page.fields["spans"])[0]
    for nonsense in ("unmark:" + "9" * 5000, "unmark:x", "unmark:-1"):
        assert judge.post("/work", {**page.fields, "action": nonsense}).status == 200
    page = type(page)(judge.post("/work", {**page.fields, "action": "unmark:0"}).text)
    assert first not in json.loads(page.fields["spans"])
    assert judge.save(page, score="40").status == 303
    [answer] = read_campaign(made.path).answers
    spans = answer.payload["spans"]
    assert spans[-1] == {"start": len(text), "end": len(text), "severity": "major", "category": "", "missing": True}
    assert words_of(answer)[0] == "𝒳 is"


@pytest.mark.parametrize(
    ("protocol", "answer", "alerts"),
    [
        ("pair", {}, ["Choose the better output, or that neither is better."]),
        ("pair", {"outcome": "2"}, ["Choose the better output, or that neither is better."]),
        ("da", {}, ["There is no score yet: choose a number from 0 to 100."]),
        ("da", {"score": "101"}, ["The score must be a whole number from 0 to 100."]),
        ("da", {"score": "7.5"}, ["The score must be a whole number from 0 to 100."]),
        ("likert", {"adequacy": "3"}, ["Fluency has no score yet."]),
        ("esa", {}, ["There is no score yet: choose a number from 0 to 100."]),
        ("mqm", {}, ["No error is marked: mark the errors, or choose “There is no error”."]),
    ],
)
def test_a_blocked_submission_says_what_is_missing(
    campaign: Callable[..., Any], protocol: str, answer: dict[str, str], alerts: list[str]
) -> None:
    made = campaign(protocol=protocol, segments=3, task_size=20, training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = judge.page()
    reply = judge.save(page, **answer)
    assert reply.status == 422
    assert type(page)(reply.text).alerts == alerts
    assert not read_campaign(made.path).log


def test_a_category_is_needed_before_a_mark(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="mqm", segments=3, training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = mark(judge, judge.page(), [0], "minor")
    assert page.alerts == ["Choose the category of the error first."]
    assert page.fields["spans"] == "[]"
