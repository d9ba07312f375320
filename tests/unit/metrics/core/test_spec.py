"""The specification language: what is read, how it is printed, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from mtassay.errors import InputError, SpecError
from mtassay.metrics import Metric, parse
from mtassay.metrics.core.options import written
from mtassay.metrics.core.registry import BUILT_IN, metric_class, metric_names
from mtassay.metrics.core.spec import parse_all
from mtassay.metrics.strings.bleu import Bleu
from mtassay.metrics.strings.chrf import Chrf


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("bleu", "bleu"),
        (" bleu ", "bleu"),
        ("bleu :tok=13a", "bleu"),
        ("bleu:tokenize=intl, lowercase=yes", "bleu:tok=intl,case=lower"),
        ("bleu:lowercase=false", "bleu"),
        ("bleu:max_ngram_order=2,smooth_method=floor,smooth_value=0.5", "bleu:order=2,smooth=floor,k=0.5"),
        ("bleu:effective_order=yes", "bleu:eff=yes"),
        ("bleu:smooth=exp,segment_smooth=exp", "bleu"),
        ("bleu:smooth=none,eff=no", "PGBC4^u"),
        ("PGBC4^bu", "PGBC4^ub"),
        ("PGBC4:segment_smooth=none", "PGBC4^u"),
        ("PGBC4:bp=no", "PGC4"),
        ("RAC1:order=3,clip=no", "RA3"),
        ("RAC1:smooth=add", "bleu:order=1,base=R,mean=A,bp=no,smooth=add,eff=no"),
        ("PGBC4:alpha=0.5", "PGBC4:k=0.5"),
        ("chrf:beta=3.0", "chrf:beta=3"),
        ("chrf+", "chrf:word_order=1"),
        ("chrf++:word_order=0", "chrf"),
        ("chrf:lowercase=yes,whitespace=1,eps_smoothing=true", "chrf:case=lower,whitespace=yes,eps=yes"),
        ("0.5*bleu+.5*chrf", "0.5*bleu+0.5*chrf"),
        ("bleu+2*chrf", "1*bleu+2*chrf"),
        ("file: a b.tsv , label = COMET", "file:a b.tsv,label=COMET"),
        ("file:C:\\scores\\x=1.tsv", "file:C:\\scores\\x=1.tsv"),
        ('file:"x.tsv",higher_is_better=false', "file:x.tsv,higher_is_better=no"),
        ('file:" x",label="a ""b"" 2*c"', 'file:" x",label="a ""b"" 2*c"'),
        ('2*file:"3*x,y=z"+.5*bleu:tok="13a"', '2*file:"3*x,y=z"+0.5*bleu'),
        ("0.5*bleu-1*file:a+b-c.tsv,higher_is_better=no", "0.5*bleu-1*file:a+b-c.tsv,higher_is_better=no"),
        (" 1e-1 * bleu:tok=none,k=0.5 + 2. * chrf++ ", "0.1*bleu:tok=none,k=0.5+2*chrf:word_order=2"),
    ],
)
def test_canonical_form(written: str, canonical: str) -> None:
    metric = parse(written)
    assert str(metric) == canonical
    assert parse(canonical) == metric


#: What stands before the option, where a name and a colon are not enough.
_BEFORE = {
    "file": "file:scores.tsv,",
    "learned": "learned:model.model,",
    "hwcm": "hwcm:annotator=link-grammar,",
    "stm": "stm:annotator=link-grammar,",
    "depref-exact": "depref-exact:annotator=link-grammar,",
}


def _switches() -> Iterator[tuple[str, str, str, str]]:
    """Every way to say yes or no to a metric: metric, option as written, and what yes and no become."""
    for found in dict.fromkeys(map(metric_class, metric_names())):
        for field in fields(found):
            name, choices, aliases = written(field), field.metadata["choices"], field.metadata["aliases"]
            if field.metadata["kind"] is bool or {"yes", "no"} <= set(choices):
                for spelling in (name, *aliases):
                    yield found.name, spelling, f"{name}=yes", f"{name}=no"
            elif "lowercase" in aliases:
                yield found.name, "lowercase", f"{name}=lower", f"{name}=mixed"


@pytest.mark.parametrize(("metric", "option", "yes", "no"), list(_switches()))
def test_words_for_yes_and_no(metric: str, option: str, yes: str, no: str) -> None:
    before = _BEFORE.get(metric, f"{metric}:")
    if (metric, option) == ("meteor", "lowercase"):
        before += "norm=no,"  # which would lower-case
    for meaning, words in (
        (yes, ["yes", "true", "on", "1", "YES", "True", "oN"]),
        (no, ["no", "false", "off", "0", "No", "FALSE", "Off"]),
    ):
        expected = parse(f"{before}{meaning}")
        assert parse(str(expected)) == expected
        for word in words:
            assert parse(f"{before}{option}={word}") == expected
            assert str(parse(f"{before}{option}={word}")) == str(expected)
    assert parse(f"{before}{option}=1") != parse(f"{before}{option}=0")


def test_every_metric_with_a_letter_case_has_the_switch_of_sacrebleu() -> None:
    for found in map(metric_class, metric_names()):
        for field in fields(found):
            assert (field.name == "case") == ("lowercase" in field.metadata["aliases"])


def test_options_as_python_values() -> None:
    assert parse("bleu", lowercase=True, effective_order=True) == parse("bleu:case=lower,eff=yes")
    assert parse("chrf", word_order=2, whitespace=True, beta=3) == parse("chrf++:whitespace=yes,beta=3")
    assert Bleu(tok="none") == parse("bleu:tok=none")
    assert Chrf(beta=1) == parse("chrf:beta=1")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("bleu", "bleu:tok=none,smooth=floor"),
        ("bleu:smooth=exp", "bleu:tok=none"),
        ("PGBC4^u", "PGBC4^u:tok=none"),
        ("RAC1", "RAC1:tok=none"),
        ("chrf", "chrf:word_order=1,beta=3"),
        ("chrf++", "chrf:word_order=2,beta=3"),
    ],
)
def test_what_a_name_says_wins_over_defaults(written: str, canonical: str) -> None:
    defaults: dict[str, dict[str, object]] = {
        "bleu": {"tok": "none", "smooth": "floor"},
        "chrf": {"word_order": 1, "beta": 3.0},
    }
    assert str(parse(written, defaults=defaults)) == canonical


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("bleu:order=2,smooth=floor", "BLEU"),
        ("PGBC4", "PGBC4"),
        ("RAC1:smooth=exp", "RAC1"),
        ("bleu:base=R,order=1,mean=A,bp=no", "RAC1"),
        ("PGBC4^b:smooth=exp", "PGBC4^b"),
        ("bleu:clip=no", "PGB4"),
    ],
)
def test_only_bleu_is_called_so(written: str, label: str) -> None:
    assert parse(written).label == label


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "a metric specification is empty: write for example bleu or bleu:tok=intl"),
        (":tok=13a", "a metric specification is empty"),
        ("bleuu", "no metric named 'bleuu'; did you mean 'bleu'?"),
        ("BLEU", "no metric named 'BLEU'; did you mean 'bleu'?"),
        ("METEOR", "did you mean 'meteor'?"),
        ("rougel", "did you mean 'rougeL'?"),
        ("rouge-l", "did you mean 'rougeL'?"),
        ("ROUGE-SU", "did you mean 'rougeSU'?"),
        ("Rouge2", "did you mean 'rouge2'?"),
        ("rouge5", "did you mean 'rouge1:n=5'?"),
        (
            "rouge",
            "no metric named 'rouge'; there are: rouge1, rouge2, rouge3, rouge4, rougeL, rougeLsum, rougeW,",
        ),
        ("chrF++", "did you mean 'chrf++'?"),
        ("rac1", "did you mean 'RAC1'?"),
        ("RAC0", "no metric named 'RAC0'"),
        ("PGBC4^x", "no metric named 'PGBC4^x'"),
        ("bleu:tokk=13a", "bleu: no option named 'tokk'; did you mean 'tok'? (known: tok, case, order"),
        ("RAC1:tokk=13a", "RAC1: no option named 'tokk'; did you mean 'tok'?"),
        ("bleu:tok", "'bleu:tok': options are written name:option=value,option=value, not 'tok'"),
        ("bleu:tok=13a,", "options are written name:option=value"),
        ("bleu:tok=", "options are written name:option=value"),
        ("bleu:=3", "options are written name:option=value"),
        ("bleu:tok=13a,tok=none", "'bleu:tok=13a,tok=none': tok is given twice"),
        ("bleu:tok=13a,tokenize=none", "bleu: tok is given twice"),
        ("bleu:tok=13b", "no tokenizer named '13b'; did you mean '13a'?"),
        ("bleu:case=upper", "bleu: no value of case named 'upper' (known: mixed, lower, ascii)"),
        ("bleu:ref_len=close", "bleu: no value of ref_len named 'close'; did you mean 'closest'?"),
        ("bleu:lowercase=maybe", "bleu: no value of case named 'maybe'"),
        ("bleu:clip=perhaps", "bleu: clip must be 'yes' or 'no', not 'perhaps'"),
        ("bleu:order=two", "bleu: order must be a whole number, not 'two'"),
        ("bleu:order=2.5", "bleu: order must be a whole number, not '2.5'"),
        pytest.param(f"bleu:order={'9' * 2000}", "bleu: order must be", id="many digits"),
        ("bleu:order=0", "bleu: order must be at least 1, not 0"),
        ("bleu:order=1000000", "bleu: order must be at most 99, not 1e+06"),
        ("bleu:k=-0.5", "bleu: k must be at least 0, not -0.5"),
        ("bleu:k=nan", "bleu: k must be a number, not 'nan'"),
        ("chrf:beta=-1", "chrf: beta must be at least 0, not -1"),
        ("chrf:beta=1e200", "chrf: beta must be at most 1e+09, not 1e+200"),
        ("chrf:char_order=0", "chrf: char_order and word_order cannot both be 0"),
        ("file", "file needs a path: file:scores.tsv"),
        ("file:", "file needs a path: file:scores.tsv"),
        ("file:,lp=x", "file needs a path: file:scores.tsv"),
        ("file:-", "scores cannot come from standard input; give a file"),
        ("file:a,b.tsv", "not 'b.tsv'; a value with a comma needs quotes"),
        ("file:x,path=y", "'file:x,path=y': path is given twice"),
        ("file:x,colum=y", "file: no option named 'colum'; did you mean 'column'?"),
        ('file:"x', "a quote is not closed (a quote inside quotes is doubled)"),
        ('bleu+0.5*file:"x', "a quote is not closed"),
        ('file:"x"y', "quotes must enclose a whole value, with inner quotes doubled"),
        ('file:x,label=""', "file: '' cannot be shown in a table; give another label"),
        ("comet:batch_size=0", "comet: batch must be at least 1, not 0"),
        ("0*bleu", "'0*bleu': a weight of 0 leaves bleu out; remove it"),
        ("1e999*bleu", "the weight of bleu is too large"),
        ("0.5*", "a metric specification is empty"),
        ("0.5*bleu 0.5*chrf", "a '+' or '-' is missing before '0.5*'"),
        ("bleu 0.5*chrf", "a '+' or '-' is missing before '0.5*'"),
        ("-0.5*bleu", "'-0.5*bleu': higher BLEU is better, so write 0.5*bleu"),
        ("0.5*bleu-0.5*chrf", "higher chrF2 is better, so write 0.5*bleu+0.5*chrf"),
        ("0.5*bleu+0.5*ter", "'0.5*bleu+0.5*ter': lower TER is better, so write 0.5*bleu-0.5*ter"),
    ],
)
def test_refusals(written: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        parse(written)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_label_of_a_combination_is_one_line() -> None:
    combination = parse("0.5*bleu+0.5*file:a\x85b\n.tsv")
    assert combination.label == r"0.5*bleu+0.5*file:a\x85b\n.tsv"
    assert parse(str(combination)) == combination


def test_a_hyphen_in_a_name_is_no_sum() -> None:
    with pytest.raises(SpecError) as raised:
        parse("ROUGE-L")
    assert str(raised.value) == "no metric named 'ROUGE-L'; did you mean 'rougeL'? (mtassay score --list-metrics)"
    with pytest.raises(SpecError) as raised:
        parse("ROUGE-SU4")
    assert str(raised.value).endswith("; did you mean 'rougeSU:gap=4'? (mtassay score --list-metrics)")
    with pytest.raises(SpecError, match=r"if 'bleu-ter' is meant as a sum, give weights: bleu-1\*ter"):
        parse("bleu-ter")


@pytest.mark.parametrize(
    ("pair", "tokenizer", "package"),
    [
        ("en-zh", "zh", "numpy"),
        ("en-ja", "ja-mecab", "MeCab"),
        ("en-ko", "ko-mecab", "mecab_ko"),
        ("en-zh_CN", "zh", "numpy"),
        ("EN-ZH", "zh", "numpy"),
        ("zh-en", "13a", "numpy"),
    ],
)
def test_a_target_language_has_its_tokenizer(pair: str, tokenizer: str, package: str) -> None:
    pytest.importorskip(package)
    assert vars(parse("bleu", language_pair=pair))["tok"] == tokenizer


def test_a_combination_is_shown_with_the_decimals_of_its_finest_part() -> None:
    assert (parse("bleu").digits, parse("wer").digits, parse("0.5*bleu-0.5*wer").digits) == (1, 4, 4)


def test_options_cannot_stand_outside_a_combination() -> None:
    with pytest.raises(SpecError, match="options go inside the specification of a combination"):
        parse("0.5*bleu+0.5*chrf", tok="none")


def test_metrics_are_values() -> None:
    assert len({parse("bleu"), parse("bleu:tok=13a"), Bleu()}) == 1
    metric = parse("bleu")
    assert isinstance(metric, Metric)
    with pytest.raises(AttributeError):
        metric.tok = "none"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["gtm", "rouge1", "rougeL", "rougeW", "rougeSU"])
@pytest.mark.parametrize("result", ["f", "p", "r"])
def test_signatures_write_results_as_specifications_do(name: str, result: str) -> None:
    metric = parse(f"{name}:result={result}")
    [entry] = [entry for entry in metric.signature_entries() if entry.name == "result"]
    assert parse(f"{name}:{entry.name}={entry.value}") == metric


#: Options without which metrics are refused, some of them for other languages than English.
NEEDED: dict[str, dict[str, Any]] = {
    "act": {"lang": "fr"},
    "cross": {"metric": "exact"},
    **{key: {"annotator": "spacy:en"} for key in ("addicter", "depref-align", "depref-exact", "hwcm", "stm")},
    **{key: {"annotator": "spacy:zh"} for key in ("meant", "sempos", "umeant")},
}


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"file", "learned", "terrorcat"}))
def test_defaults_of_every_metric_hold_where_there_is_such_an_option(name: str) -> None:
    """The tokenizer of words for all metrics that have one, and no error for others."""
    has_tokenizer = "tok" in {field.name for field in fields(metric_class(name))}
    needed = NEEDED.get(name, {})
    metric = parse(name, language_pair="en-zh", **needed)
    assert getattr(metric, "tok", "none here") == ("zh" if has_tokenizer else "none here")
    if has_tokenizer:
        assert vars(parse(f"{name}:tok=char", language_pair="en-zh", **needed))["tok"] == "char"
        own = {metric.name: {"tok": "intl"}}
        assert vars(parse(name, language_pair="en-zh", defaults=own, **needed))["tok"] == "intl"


@pytest.mark.parametrize(
    ("pair", "spec", "canonical"),
    [
        ("en-de", "meteor", "meteor:lang=de"),
        ("en-cs", "meteor", "meteor:lang=cz"),
        ("en-zh", "meteor", "meteor:lang=other"),
        (None, "meteor", "meteor"),
        ("en-de", "meteor:lang=fr", "meteor:lang=fr"),
        ("en-de", "0.5*meteor+0.5*bleu", "0.5*meteor:lang=de+0.5*bleu"),
        ("de-ja", "bleu", "bleu:tok=ja-mecab"),
        ("ja-en", "bleu", "bleu"),
        ("en-fr", "act", "act:lang=fr"),
        ("en_GB-cs_CZ", "meteor", "meteor:lang=cz"),
        ("en_GB-fr_FR", "act", "act:lang=fr"),
    ],
)
def test_a_language_pair_sets_what_a_specification_does_not(pair: str | None, spec: str, canonical: str) -> None:
    assert str(parse(spec, language_pair=pair)) == canonical


def test_metrics_are_taken_as_they_are_and_named_once() -> None:
    english = parse("meteor")
    assert parse_all([english, "meteor"], "en-de") == [english, parse("meteor:lang=de")]
    with pytest.raises(SpecError, match="act needs the language"):
        parse_all(["act"], "de-fr")
    with pytest.raises(InputError, match="the metric meteor:lang=de is given twice"):
        parse_all(["meteor", "meteor:lang=de"], "en-de")
    with pytest.raises(InputError, match=r"must be a list: \['bleu'\]"):
        parse_all("bleu")
    with pytest.raises(InputError, match=r"must be a list such as \['bleu'\], not array\("):
        parse_all(np.array("bleu"))
    with pytest.raises(InputError, match="en_zh: a language pair is written SRC-TGT"):
        parse_all(["bleu"], "en_zh")
    with pytest.raises(InputError, match="en_zh: a language pair is written SRC-TGT"):
        parse("bleu", language_pair="en_zh")


@pytest.mark.parametrize(
    ("spec", "pair", "message"),
    [
        ("sempos", "de-en", "sempos: hanta:en annotates en, but these texts are de"),
        ("umeant", "de-en", "umeant: link-grammar annotates en, but these texts are de"),
        (
            "0.5*bleu-0.5*hjerson:annotator=hanta:nl",
            "de-nl",
            "hjerson: hanta:nl annotates nl, but these texts are de",
        ),
    ],
)
def test_an_annotator_of_another_language_is_refused(spec: str, pair: str, message: str) -> None:
    assert parse(spec, language_pair=pair) == parse(spec)
    with pytest.raises(SpecError, match=message):
        parse(spec, language_pair="en-de")
