"""METEOR's options, parameters and empty texts; numbers are compared with the original in ``tests/parity``."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from typing import TYPE_CHECKING
from zipfile import ZipFile

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.errors import MissingExtraError, SpecError
from mtassay.execution import Execution
from mtassay.metrics import References, build_tables, parse
from mtassay.metrics.meteor import LANGUAGES, resources
from mtassay.metrics.meteor.parameters import TASKS, parameters_of, tasks_of
from mtassay.metrics.meteor.tables import language

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "meteor:lang=other,stages=exact"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder laid out like METEOR's data, with little in it."""
    for name in ("function", "nonbreaking"):
        (tmp_path / name).mkdir()
    (tmp_path / "function" / "english.words").write_text("the\n")
    (tmp_path / "function" / "czech.words").write_text("na\n")
    (tmp_path / "nonbreaking" / "czech.prefixes").write_text("")
    return tmp_path


class TestOptions:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("meteor:lang=fr,task=adq", "no parameters for task=adq with lang=fr"),
            ("meteor:lang=xy", "no language of METEOR named 'xy'"),
            (
                "meteor:lang=xx",
                r"no language of METEOR named 'xx' \(known: en, cz, fr, es, de, ru, ar-bw-red, pt, da, ro, hu, tr, "
                r"fi, nl, it, no, se, other\); 'other' stands for the rest",
            ),
            ("meteor:lang=fr,stages=exact+synonym", "no weight for the stage 'synonym'"),
            ("meteor:case=mixed", "norm=no"),
            ("meteor:norm=no,punct=no", "punct=no needs norm=yes"),
            ("meteor:lang=it,norm=yes", "cannot normalise 'it'"),
            ("meteor:stages=stem", "no value of stages named 'stem'"),
            ("meteor:stages=exact+exact", r"no value of stages named 'exact\+exact'"),
            ("meteor:stages=stems+exact", r"no value of stages named 'stems\+exact'"),
            ("meteor:stages=exact,exact=0", r"all weights \(exact\) are 0"),
            ("meteor:task=util,stages=exact+stem,exact=0", r"all weights \(exact, stem\) are 0"),
            ("meteor:exact=0,stem=0,synonym=0,paraphrase=0", "all weights .* are 0, so all scores would be"),
            ("meteor:alpha=2", "alpha must be at most 1"),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, spec: str, message: str) -> None:
        with pytest.raises(SpecError, match=message):
            parse(spec)

    def test_a_language_has_several_names(self) -> None:
        assert parse("meteor:lang=cs") == parse("meteor:lang=czech") == parse("meteor:lang=cz")

    def test_stages_in_any_order(self) -> None:
        metric = parse("meteor:stages=paraphrase+stem+exact")
        assert str(metric) == "meteor:stages=exact+stem+paraphrase"
        assert "stages:exact+stem|" in str(parse("meteor:stages=stem+exact,data=none").signature([["a"]]))

    def test_weights_are_0_where_only_the_data_tell_the_stages(self, folder: Path) -> None:
        with pytest.raises(SpecError, match=r"all weights \(exact\) are 0"):
            parse(f"meteor:lang=cz,exact=0,data={folder}").prepare(References([["a"]]))

    def test_stages_in_a_combination(self) -> None:
        combination = parse("0.5*meteor:stages=exact+stem+0.5*bleu")
        assert [str(part) for part in combination.parts] == ["meteor:stages=exact+stem", "bleu"]

    def test_an_own_weight_makes_a_stage_usable(self) -> None:
        assert parse("meteor:lang=fr,stages=exact+synonym,synonym=.5").parameters.synonym == 0.5  # type: ignore[attr-defined]

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_every_language_has_tasks(self, code: str) -> None:
        for task in TASKS:
            if task in tasks_of(code):
                assert parameters_of(code, task).exact == 1
            else:
                with pytest.raises(SpecError, match=", ".join(tasks_of(code))):
                    parameters_of(code, task)

    def test_the_signature_names_what_was_given(self) -> None:
        signature = str(parse("meteor:lang=nl,stages=exact,alpha=.5,unit=char").signature([["a"]]))
        assert signature.startswith(
            "nrefs:1|lang:nl|task:li|stages:exact|norm:no|case:lc|unit:char|alpha:0.5|meteor:1.5|mtassay:"
        )
        assert "data:none" in str(parse("meteor:stages=exact,data=none").signature([["a"]]))


class TestData:
    def test_without_data_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(resources, "_package_folder", lambda: None)
        monkeypatch.delenv("MTASSAY_METEOR", raising=False)
        language.cache_clear()
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[meteor\]'.*data=none.*exact and stem"):
            parse("meteor").prepare(References([["a"]]))

    def test_without_data_on_purpose(self) -> None:
        metric = parse("meteor:stages=exact,data=none")
        assert metric.corpus_score(["The cat sat."], [["the cat sat ."]]) == 1
        with pytest.raises(SpecError, match="synonym"):
            parse("meteor:stages=exact+synonym,data=none").prepare(References([["a"]]))

    @pytest.mark.parametrize(
        ("options", "stages"),
        [
            ("lang=en", "exact+stem"),
            ("lang=de", "exact+stem"),
            ("lang=cz", "exact"),
            ("lang=ar-bw-red", "exact"),  # its stems are data
            ("lang=en,task=universal", "exact"),
        ],
    )
    def test_without_data_the_default_stages_are_those_that_need_none(
        self, options: str, stages: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("Stemmer")
        monkeypatch.setattr(resources, "_package_folder", lambda: None)
        metric = parse(f"meteor:{options},data=none")
        assert f"|stages:{stages}|" in str(metric.signature([["a"]]))
        assert metric.corpus_score(["the cat sat"], [["the cat sat"]]) == 1

    def test_a_paraphrase_table_in_the_folder_is_used(self, folder: Path) -> None:
        assert "stages:exact|" in str(parse(f"meteor:lang=cz,data={folder}").signature([["a"]]))
        with gzip.open(folder / "paraphrase-cz.gz", "wt", encoding="utf-8") as file:
            file.write("0.5\ndobrý den\nahoj\n")
        metric = parse(f"meteor:lang=cz,data={folder}")
        assert "stages:exact+paraphrase|" in str(metric.signature([["a"]]))
        # One match of one and two words: P = R = .4, and all words in one chunk.
        assert metric.corpus_score(["ahoj"], [["dobrý den"]]) == pytest.approx(0.4)


class TestDigest:
    """The signature tells data apart by what they hold, not by where they are."""

    @pytest.fixture
    def data(self, folder: Path) -> Path:
        (folder / "synonym").mkdir()
        (folder / "synonym" / "english.synsets").write_text("dog\n1\nhound\n1\n")
        (folder / "synonym" / "english.exceptions").write_text("go\nwent\n")
        (folder / "nonbreaking" / "english.prefixes").write_text("Mr\n")
        self.write_table(folder, "in order to", "to")
        return folder

    @staticmethod
    def write_table(folder: Path, first: str, second: str) -> None:
        (folder / "paraphrase-en.gz").write_bytes(gzip.compress(f"0.5\n{first}\n{second}\n".encode(), mtime=0))

    @staticmethod
    def digest(options: str = "lang=en") -> str | None:
        entries = parse(f"meteor:{options}").signature_entries()
        return next((entry.value for entry in entries if entry.name == "data"), None)

    def test_the_place_makes_no_difference(self, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        expected = self.digest(f"data={data}")
        assert expected is not None
        assert re.fullmatch("[0-9a-f]{8}", expected)
        copy = data / "copy"
        copy.mkdir()
        with ZipFile(copy / "meteor-1.5.jar", "w") as jar:
            for path in data.glob("*/english.*"):
                jar.write(path, path.relative_to(data).as_posix())
        shutil.copy(data / "paraphrase-en.gz", copy)
        assert self.digest(f"data={copy}") == expected
        monkeypatch.setenv("MTASSAY_METEOR", str(copy))
        assert self.digest() == expected
        monkeypatch.delenv("MTASSAY_METEOR")
        monkeypatch.setattr(resources, "_package_folder", lambda: copy)
        assert self.digest() == expected

    @pytest.mark.parametrize(
        "name",
        [
            "function/english.words",
            "nonbreaking/english.prefixes",
            "synonym/english.synsets",
            "synonym/english.exceptions",
        ],
    )
    def test_every_file_counts(self, data: Path, name: str) -> None:
        before = self.digest(f"data={data}")
        (data / name).write_text((data / name).read_text().replace("o", "a").replace("e", "a").replace("M", "D"))
        assert self.digest(f"data={data}") != before

    def test_the_table_counts_where_it_is_used(self, data: Path) -> None:
        spec, without = f"data={data}", f"stages=exact+stem,data={data}"
        before = self.digest(spec), self.digest(without)
        self.write_table(data, "in order to", "so")
        assert self.digest(spec) != before[0]
        assert self.digest(without) == before[1]

    def test_which_function_words_are_used(self, data: Path) -> None:
        specs = [f"lang=cz,stages=exact,norm=no,data={data}", f"lang=cz,stages=exact,norm=no,function=own,data={data}"]
        before = [self.digest(spec) for spec in specs]
        (data / "function" / "czech.words").write_text("v\n")
        after = [self.digest(spec) for spec in specs]
        assert after[0] == before[0]
        assert after[1] != before[1]

    def test_no_data_no_digest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MTASSAY_METEOR", raising=False)
        assert self.digest("lang=it,stages=exact") is None
        monkeypatch.setattr(resources, "_package_folder", lambda: None)
        assert self.digest() is None
        assert self.digest("data=none") == "none"

    def test_no_folder_in_the_signature_of_a_sum(self, data: Path) -> None:
        signature = str(parse(f"0.5*bleu+0.5*meteor:stages=exact,data={data}").signature([["a"]]))
        assert str(data) not in signature
        assert "sum:0.5*bleu+0.5*meteor.stages=exact|" in signature
        assert f";data={self.digest(f'stages=exact,data={data}')};" in signature
        assert parse("meteor:stages=exact,data=none").public_spec == "meteor:stages=exact,data=none"


class TestScores:
    @pytest.mark.parametrize(("hypothesis", "reference"), [("", ""), ("", "a b"), ("a b", ""), ("a", "b")])
    def test_nothing_matches(self, hypothesis: str, reference: str) -> None:
        metric = parse(PLAIN)
        assert metric.segment_scores([hypothesis], [[reference]]).tolist() == [0]
        assert metric.corpus_score([hypothesis], [[reference]]) == 0

    def test_a_complete_segment_adds_no_chunks(self) -> None:
        """The corpus score of equal texts is 1, however many segments there are."""
        texts = ["a b c", "d e", "f"]
        assert parse(PLAIN).corpus_score(texts, [texts]) == 1

    def test_the_best_reference_counts(self) -> None:
        metric = parse(PLAIN)
        streams = [["a x y z"], ["a b y z"], ["q"]]
        scores = [metric.segment_scores(["a b c d"], [stream])[0] for stream in streams]
        assert metric.segment_scores(["a b c d"], streams)[0] == max(scores)

    def test_function_words(self, folder: Path) -> None:
        """METEOR takes the English ones; one word matches, δ = .8 weighs content words four times as much, α = .95."""
        english = parse(f"meteor:lang=cz,stages=exact,gamma=0,data={folder}")
        own = parse(f"meteor:lang=cz,stages=exact,gamma=0,function=own,data={folder}")
        hypotheses, references = ["the cat", "the cat", "na cat"], [["the dog", "my cat", "na dog"]]
        mixed = 1 / (0.05 / 0.8 + 0.95 / 0.5)
        assert english.segment_scores(hypotheses, references) == pytest.approx([0.2, mixed, 0.5])
        assert own.segment_scores(hypotheses, references) == pytest.approx([0.5, 0.5, 0.2])

    def test_characters(self) -> None:
        words, characters = (
            parse(f"{PLAIN},unit={unit}").prepare(References([["a bcd 😀"]])) for unit in ("word", "char")
        )
        assert words.statistics(["a bcd"])[0, [0, 1, 4, 5, 21]].tolist() == [2, 3, 2, 2, 2]
        assert characters.statistics(["a bcd"])[0, [0, 1, 4, 5, 21]].tolist() == [4, 6, 4, 4, 2]

    def test_threads_share_what_is_known_of_words(self) -> None:
        rng = np.random.default_rng(3)
        systems = {
            name: [" ".join(rng.choice(3000, size=12).astype(str)) for _ in range(1500)] for name in ("x", "y", "z")
        }
        references = [[" ".join(rng.choice(3000, size=12).astype(str)) for _ in range(1500)]]
        metric = parse(PLAIN)
        one, four = (
            build_tables(References(references), systems, [metric], execution=Execution(threads))[0].statistics
            for threads in (1, 4)
        )
        np.testing.assert_array_equal(one, four)


class TestAlign:
    def test_text(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name, text in (("ref", "a b c"), ("other", "x y"), ("hyp", "c z a b")):
            (tmp_path / name).write_text(f"{text}\n")
        *refs, hyp = (str(tmp_path / name) for name in ("ref", "other", "hyp"))
        assert main(["align", *refs, "-i", hyp, "-m", PLAIN]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[0].startswith("segment 1   reference 1   METEOR 0.")
        assert out[1:] == [
            "REF  a  b  c",
            "HYP  a  b  c",
            "     =  =  =",
            "     1  1  2",
            "     3 matches (3 exact) in 2 chunks; only in the hypothesis: z",
        ]

    def test_no_blank_lines_where_nothing_matches(self) -> None:
        assert str(mtassay.align([["a b"]], ["c"], metric=PLAIN)).splitlines()[1:] == [
            "REF  a  b",
            "HYP  @  @",
            "     no matches; only in the hypothesis: c",
        ]

    def test_json_names_the_metric(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("ref", "hyp"):
            (tmp_path / name).write_text("a b\n")
        for metric, name in ((PLAIN, "meteor"), ("ter", "ter")):
            assert main(["align", str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-m", metric, "-f", "json"]) == 0
            found = json.loads(capsys.readouterr().out)
            assert (found["schema"], found["metric"]) == ("mtassay.align/2", metric)
            assert [one["metric"] for one in found["alignments"]] == [name]

    def test_the_score_is_the_metrics(self) -> None:
        streams, hypotheses = [["a b c", ""], ["c b a", "x"]], ["a c b", "y"]
        result = mtassay.align(streams, hypotheses, metric=PLAIN)
        alignments = result.alignments["hyp"]
        scores = parse(PLAIN).segment_scores(hypotheses, streams)
        assert [alignment.score for alignment in alignments] == scores.tolist()
        assert alignments[1].to_dict()["matches"] == []
        assert "no matches" in str(result).partition("segment 2")[2]

    def test_other_metrics_have_none(self) -> None:
        with pytest.raises(SpecError, match="bleu gives no alignments; ter, wer, meteor, hjerson and addicter"):
            mtassay.align([["a"]], ["a"], metric="bleu")
