"""ACT: cases by hand, the formulas on the original's counts, dictionaries, alignments and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data import read_nbest
from mtassay.errors import InputError, SpecError
from mtassay.metrics import References, parse
from mtassay.metrics.linguistic.connectives import LANGUAGES, load_dictionary, normalised
from mtassay.tuning.candidates import candidates_of
from mtassay.tuning.optimise import optimise

HEADER = "connective\tsense\texpression\n"


def cases(source: str, reference: str, hypothesis: str, spec: str = "act:lang=fr") -> list[int]:
    """Numbers of cases 1 to 6 of one segment."""
    metric = parse(spec)
    [row] = metric.prepare(References([[reference]], sources=[source])).statistics([hypothesis])
    return [int(count) for count in row.reshape(-1, 6).sum(axis=0)]


def case(source: str, reference: str, hypothesis: str, spec: str = "act:lang=fr") -> int:
    found = cases(source, reference, hypothesis, spec)
    assert sum(found) == 1
    return found.index(1) + 1


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("Il est parti depuis hier.", "Parti depuis lors, depuis hier.", 2),
        ("Il attend depuis hier.", "Depuis hier, il attend.", 1),
        ("Il part puisqu’il pleut.", "Il part car il pleut.", 2),
        ("Il part car il pleut.", "Il part depuis qu'il pleut.", 3),
        ("Il part car il pleut.", "Il pleut.", 4),
        ("Il pleut.", "Il part, car il pleut.", 5),
        ("Il pleut.", "Il part.", 6),
        ("Il part car il pleut.", "Un carton, un scar.", 4),
    ],
)
def test_cases(reference: str, hypothesis: str, expected: int) -> None:
    assert case("He leaves since it rains.", reference, hypothesis) == expected


def test_a_sense_more_is_enough_and_a_sense_less_is_not() -> None:
    # "alors que" contrasts or dates, "en revanche" contrasts only.
    contrast, either = "En revanche, il pleut.", "Alors que la nuit tombe."
    assert case("While it rains.", contrast, either) == 2
    assert case("While it rains.", either, contrast) == 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Although it rains, though late, even though wet.", ["although", "though", "even though"]),
        ("Not yet; YET, however--since 'while' 1990", ["not yet", "yet", "however", "since", "while"]),
        ("For a while, a short while, in the meanwhile, as though; meanwhile", ["meanwhile"]),
        ("I thought worthwhile thoughts, sincere and ex-since", []),
    ],
)
def test_connectives_of_sources(source: str, expected: list[str]) -> None:
    found = load_dictionary("fr", "").in_source(normalised(source))
    assert [occurrence.phrase for occurrence in found] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_dictionaries_have_every_connective(language: str) -> None:
    connectives = load_dictionary(language, "").connectives
    named = "although though, even though, since, while, meanwhile, yet, not yet, however"
    assert set(connectives) == {*named.replace("although though", "although, though").split(", ")}
    assert case("Since it rains.", "Weil es regnet.", "Da es regnet.", spec="act:lang=de") == 2


def test_tokenised_and_typographic_apostrophes_are_the_same() -> None:
    for hypothesis in ("Bien qu'il pleuve", "bien qu' il pleuve", "bien qu ' il pleuve", "bien qu’il pleuve"):
        assert case("Although it rains", "bien qu'il pleuve", hypothesis) == 1


def test_each_connective_has_its_columns() -> None:
    metric = parse("act:lang=fr")
    sources = ["Since then. However, not yet.", "Nothing here.", "Since."]
    references = References([["Depuis. Cependant, pas encore.", "Rien.", "Depuis."]], sources=sources)
    rows = metric.prepare(references).statistics(["Depuis. Mais toujours pas.", "Rien.", "Rien."])
    named = {name: count for name, count in zip(metric.columns, rows.sum(axis=0).tolist(), strict=True) if count}
    assert named == {"since_1": 1, "since_4": 1, "however_2": 1, "not_yet_2": 1}
    assert metric.score(rows.sum(axis=0)) == 3 / 4
    assert metric.segment_score(rows).tolist()[::2] == [1.0, 0.0]
    assert np.isnan(metric.segment_score(rows)[1])
    assert metric.breakdown(rows.sum(axis=0))["since"]["ACTA"] == 0.5


def test_the_better_reference_counts() -> None:
    streams = [["Il pleut."], ["Car il pleut."]]
    metric = parse("act:lang=fr")
    scorer = metric.prepare(References(streams, sources=["Since it rains."]))
    assert metric.segment_score(scorer.statistics(["car"])).tolist() == [1.0]
    # Neither is right: a case 5 is no error of the hypothesis.
    assert dict(zip(metric.columns, scorer.statistics(["depuis"])[0].tolist(), strict=True))["since_5"] == 1


def test_texts_in_any_pairs() -> None:
    metric = parse("act:lang=fr")
    matrix = metric.pairwise(["car", "depuis"], ["car", "depuis", ""], sources=["since"] * 3)
    assert matrix.tolist() == [[1, 0, 0], [0, 1, 0]]


# Dictionaries and alignments of users


def test_a_dictionary_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "es.tsv"
    path.write_text(HEADER + "# Spanish\nbut\tcontrast\tpero\nbut\tcontrast\tsino\nbut\tnot\tall but\n")
    spec = f"act:dictionary={path}"
    assert case("But who?", "¿Pero quién?", "Sino quién", spec=spec) == 2
    assert sum(cases("All but one", "pero", "pero", spec=spec)) == 0
    metric = parse(spec)
    assert metric.columns == tuple(f"but_{n}" for n in range(1, 7))
    assert str(tmp_path) not in metric.public_spec
    [entry] = [entry for entry in metric.signature_entries() if entry.name == "dictionary"]
    path.write_text(HEADER + "but\tcontrast\tpero\n")
    [changed] = [entry for entry in metric.signature_entries() if entry.name == "dictionary"]
    assert entry.value.startswith("file-")
    assert entry.value != changed.value


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("since\tcausal\tcar\n", "first line must be connective"),
        (HEADER, "translates no connective"),
        (HEADER + "since\tnot\tever since\n", "translates no connective"),
        (HEADER + "since\tcausal\n", "line 2: a row must have connective, sense and expression"),
        (HEADER + "since\tcausal\tcar\n\nsince\t \tcar\n", "line 4: a row must have"),
    ],
)
def test_bad_dictionaries(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "d.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        cases("since", "car", "car", spec=f"act:dictionary={path}")


def test_alignments_choose_the_nearest_expression(tmp_path: Path) -> None:
    source = "They know , since it rains"
    reference, hypothesis = "Depuis hier , ils savent car il pleut", "Depuis hier , ils savent puisque il pleut"
    assert case(source, reference, hypothesis) == 1  # both have "depuis" first
    (tmp_path / "ref.tsv").write_text(f"{source.lower()}\t{reference}\t0-3 1-4 3-5 5-7\n")
    (tmp_path / "A.tsv").write_text(f"{source}\t{hypothesis}\t3-5\n")
    spec = f"act:lang=fr,alignments={tmp_path}"
    # The texts that are scored need not be tokenised as those that were aligned.
    assert case("They know, since it rains", reference.replace(" ,", ","), hypothesis, spec=spec) == 2
    (tmp_path / "A.tsv").write_text(f"{source}\t{hypothesis}\t0-0\n")  # no link: the first one
    assert case(source, reference, hypothesis, spec=spec) == 3
    assert "alignments" in [entry.name for entry in parse(spec).signature_entries()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("since\tcar\n", "line 1: a line must have source, translation and links"),
        ("since\tcar\t0-x\n", "line 1: '0-x' is not a link"),
        (f"since\tcar\t{'9' * 5000}-0\n", "line 1: '999.*' is not a link"),
        ("since\tcar\t0-1\n", "line 1: the link 0-1 goes beyond"),
        ("since\tdepuis\t0-0\n", "no alignment of 'car' with 'since'"),
    ],
)
def test_bad_alignments(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        cases("since", "car", "car", spec=f"act:lang=fr,alignments={path}")


def test_a_folder_without_alignments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file ends in \.tsv"):
        cases("since", "car", "car", spec=f"act:lang=fr,alignments={tmp_path}")


# Specifications and the command


def test_the_language_is_needed_and_a_dictionary_replaces_it() -> None:
    with pytest.raises(SpecError, match=r"act:lang=de or fr"):
        parse("act")
    assert parse("act:lang=en-fr") == parse("act:lang=fr")
    assert parse("act:lang=fr,dictionary=x.tsv") == parse("act:dictionary=x.tsv")
    assert parse("act:lang=fr,exclude=5+6").label == "ACTA5+6"


def test_sources_are_needed() -> None:
    with pytest.raises(InputError, match="reads source texts, but there are none: give --source"):
        parse("act:lang=fr").corpus_score(["car"], [["car"]])


def test_the_command_shows_a_table_of_connectives(tmp_path: Path, capsys: Any) -> None:
    for name, text in {"src": "Since it rains.\n", "ref": "Car il pleut.\n", "hyp": "Depuis, il pleut.\n"}.items():
        (tmp_path / name).write_text(text)
    arguments = [str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-l", "en-fr", "-m", "act"]
    assert main(["score", *arguments]) == 2
    arguments += ["--source", str(tmp_path / "src")]
    assert main(["score", *arguments, "-v"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["hyp", "since", *"001000", "0.000"] in rows
    assert ["hyp", "however", *"000000", "–"] in rows
    assert main(["score", *arguments, "-f", "json"]) == 0
    breakdown = json.loads(capsys.readouterr().out)["breakdown"]
    assert breakdown["since"] == {"C1": 0, "C2": 0, "C3": 1, "C4": 0, "C5": 0, "C6": 0, "ACTA": 0.0}
    assert breakdown["however"]["ACTA"] is None


def test_systems_are_compared_on_segments_with_connectives() -> None:
    n = 12
    testset = mtassay.TestSet(
        [["Car il pleut.", "Rien."] * n],
        {"a": ["Car il pleut.", "Rien."] * n, "b": ["Depuis, il pleut.", "Rien."] * n},
        sources=["Since it rains.", "Nothing."] * n,
    )
    result = mtassay.compare(testset, metrics=["act:lang=fr"])
    assert result.to_dict()
    assert mtassay.rank(testset, metrics=["act:lang=fr"]).to_dict()


def test_weights_of_a_decoder_are_tuned_towards_it(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text(
        "0 ||| depuis ||| LM= 2 TM= 1 ||| 0\n0 ||| car ||| LM= 1 TM= 3 ||| 0\n1 ||| rien ||| LM= 1 TM= 1 ||| 0\n"
    )
    references = References([["car", "rien"]], sources=["since", "nothing"])
    candidates = candidates_of(read_nbest(path), references, parse("act:lang=fr"))
    assert optimise(candidates, {"LM_0": 1.0, "TM_0": 0.1}).after == 1.0
