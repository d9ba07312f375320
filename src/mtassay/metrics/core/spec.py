"""The specification language.

    specification = metric | [weight "*"] metric (("+" | "-") weight "*" metric) …
    metric        = name [":" option "=" value ("," option "=" value) …]
                  | name ":" value ["," option "=" value …]     (file:PATH, cross:METRIC: the value of a first option)

A value that contains a comma, an asterisk or a quote, or begins or ends with a space, is put in double quotes, with
inner quotes doubled: ``file:"a, b.tsv",label="5"" disk"``.

``parse`` is the only reader; ``str(metric)`` is the canonical form, and ``parse(str(metric)) == metric``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mtassay.data.testset import check_language_pair, languages_of
from mtassay.errors import InputError, SpecError, each_of
from mtassay.metrics.core.metric import Metric
from mtassay.metrics.core.options import quoted
from mtassay.metrics.core.registry import metric_class, spelled_alike

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Defaults = Mapping[str, Mapping[str, object]]

#: Each digit can match in one way only: time must not grow with the cube of their number.
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_TERM_START = re.compile(rf"(?P<sign>[+-]?)\s*(?P<weight>{_NUMBER})\s*\*\s*")

#: A sign between two names: a term that lacks its weight.
_UNWEIGHTED = re.compile(r"[+-](?=\s*[A-Za-z])")

#: A value in quotes.
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def parse_all(
    specs: Iterable[str | Metric], language_pair: str | None = None, *, defaults: Defaults | None = None
) -> list[Metric]:
    """Make metrics from a list of specifications and metrics; the other arguments are those of ``parse``.

    >>> [str(metric) for metric in parse_all(["bleu", "meteor"], "en-zh")]
    ['bleu:tok=zh', 'meteor:lang=other']
    """
    if isinstance(specs, str | Metric):
        raise InputError(f"metrics must be a list: [{str(specs)!r}]")
    metrics: dict[str, Metric] = {}
    for spec in each_of(specs, "metrics", such_as="['bleu']"):
        metric = spec if isinstance(spec, Metric) else parse(spec, language_pair=language_pair, defaults=defaults)
        if str(metric) in metrics:
            raise InputError(f"the metric {metric} is given twice")
        metrics[str(metric)] = metric
    return list(metrics.values())


def parse(
    text: str, *, language_pair: str | None = None, defaults: Defaults | None = None, **options: object
) -> Metric:
    """Make a metric from its specification.

    Args:
        text: the specification.
        language_pair: such as ``en-de``; gives options that depend on the language and are not set in `text`. An
            annotator of another language is an error.
        defaults: by name of a metric (``bleu`` for its whole family), values of options that `text` does not set; they
            take precedence over those of the language pair.
        **options: further options, for Python users.

    >>> str(parse("bleu:tokenize=intl,lowercase=yes"))
    'bleu:tok=intl,case=lower'
    >>> str(parse("chrf++"))
    'chrf:word_order=2'
    >>> str(parse("0.5*bleu - .5*ter"))
    '0.5*bleu-0.5*ter'
    >>> str(parse("bleu+2*chrf"))
    '1*bleu+2*chrf'
    >>> parse("bleu", tok="char") == parse("bleu:tok=char")
    True
    >>> str(parse('0.5*bleu+0.5*file:"a,b.tsv",column=COMET'))
    '0.5*bleu+0.5*file:"a,b.tsv",column=COMET'
    """
    if not isinstance(text, str):
        raise SpecError(f"a metric specification is a string such as 'bleu', not {text!r}")
    check_language_pair(language_pair)
    source, target = languages_of(language_pair)

    def parse_one(text: str, options: dict[str, object]) -> Metric:
        name, found, given = _read_metric(text, language_pair, defaults)
        of_pair = found.language_defaults(source, target) if target else {}
        preferred = (defaults or {}).get(found.name, {})
        made = found.from_options(name, {**given, **options}, defaults={**of_pair, **preferred})
        if target and (annotator := getattr(made, "annotator", None)):
            from mtassay.text.annotate import check_language  # most metrics have no annotator

            try:
                check_language(annotator, target)
            except InputError as error:
                raise SpecError(f"{name}: {error}") from None
        return made

    text = text.strip()
    starts = list(_TERM_START.finditer(_masked(text)))
    if not starts:
        return parse_one(text, options)
    if options:
        raise SpecError(f"options go inside the specification of a combination: {text}")
    ends = [match.start() for match in starts[1:]] + [len(text)]
    terms = []
    if starts[0].start() > 0:
        terms.append((1.0, parse_one(text[: starts[0].start()].strip(), {})))
    for start, end in zip(starts, ends, strict=True):
        if terms and not start["sign"]:
            raise SpecError(f"'{text}': a '+' or '-' is missing before '{start[0].strip()}'")
        weight = float(start["weight"]) * (-1.0 if start["sign"] == "-" else 1.0)
        terms.append((weight, parse_one(text[start.end() : end].strip(), {})))
    from mtassay.metrics.core.combination import Combination  # most specifications are of one metric

    return Combination(tuple(terms))


def with_tokenizer(text: str, tokenizer: str) -> str:
    """The specification with a tokenizer written out for metrics of the BLEU family, unless it already has one.

    >>> with_tokenizer("0.5*bleu:case=lower - .5*ter", "intl"), with_tokenizer("RAC1:tok=none", "intl")
    ('0.5*bleu:case=lower,tok=intl - .5*ter', 'RAC1:tok=none')
    >>> with_tokenizer('cross:"bleu:order=2,case=lower"', "char")
    'cross:"bleu:order=2,case=lower,tok=char"'
    """
    masked = _masked(text)
    starts = [(match.start(), match.end()) for match in _TERM_START.finditer(masked)]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, 0))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    written = ""
    for (start, first), end in zip(starts, ends, strict=True):
        term = text[first:end].rstrip()
        written += text[start:first] + _term_with_tokenizer(term, tokenizer) + text[first + len(term) : end]
    return written


def _term_with_tokenizer(text: str, tokenizer: str) -> str:
    name, found, given = _read_metric(text, None, None)
    if found.wraps_metric and found.first_option in given:
        _, _, rest = text.partition(":")
        first, *others = _split(rest)
        inner = with_tokenizer(_unquoted(first.strip(), text), tokenizer)
        return f"{name}:{','.join([quoted(inner), *others])}"
    if found.name != "bleu" or {"tok", "tokenize"} & set(given):
        return text
    return f"{text}{',' if given else ':'}tok={quoted(tokenizer)}"


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """The label of each metric, or its specification if labels coincide.

    >>> distinct_names([parse(text) for text in ("bleu", "bleu:tok=intl", "ter")])
    ['bleu', 'bleu:tok=intl', 'TER']
    """
    labels = Counter(metric.label for metric in metrics)
    return [metric.label if labels[metric.label] == 1 else str(metric) for metric in metrics]


def _masked(text: str) -> str:
    """The text with quoted values masked, so that their contents are not parsed."""
    masked = _QUOTED.sub(lambda match: "\0" * len(match[0]), text)
    if '"' in masked:
        raise SpecError(f"'{text}': a quote is not closed (a quote inside quotes is doubled)")
    return masked


def _read_metric(
    text: str, language_pair: str | None, defaults: Defaults | None
) -> tuple[str, type[Metric], dict[str, object]]:
    """The name of a metric, its class, and the options that are written with it."""
    name, colon, rest = text.partition(":")
    name = name.strip()
    if "," in name:
        raise SpecError(f"'{text}' is not a metric: write several metrics as separate words, as in bleu chrf")
    if not name:
        raise SpecError("a metric specification is empty: write for example bleu or bleu:tok=intl")
    found = _class(name)
    parts = _split(rest) if colon else []
    given: dict[str, object] = {}
    if found.first_option and parts:
        first = _unquoted(parts.pop(0).strip(), text)
        wrapped = found.wraps_metric
        given[found.first_option] = (
            str(parse(first, language_pair=language_pair, defaults=defaults)) if wrapped else first
        )
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            hint = "; a value with a comma needs quotes" if found.first_option else ""
            raise SpecError(f"'{text}': options are written name:option=value,option=value, not '{part}'{hint}")
        if key in given:
            raise SpecError(f"'{text}': {key} is given twice")
        given[key] = _unquoted(value, text)
    return name, found, given


def _class(name: str) -> type[Metric]:
    try:
        return metric_class(name)
    except SpecError as error:
        sign = _UNWEIGHTED.search(name)
        if sign is None or spelled_alike(name) or not any(map(spelled_alike, _UNWEIGHTED.split(name))):
            raise
        better = f"{name[: sign.end()]}1*{name[sign.end() :].strip()}"
        raise SpecError(f"{error}; if '{name}' is meant as a sum, give weights: {better}") from None


def _split(text: str) -> list[str]:
    """The parts between commas, except commas in quotes."""
    parts = []
    start = 0
    for part in _masked(text).split(","):
        parts.append(text[start : start + len(part)])
        start += len(part) + 1
    return parts


def _unquoted(value: str, text: str) -> str:
    if '"' not in value:
        return value
    if not _QUOTED.fullmatch(value):
        raise SpecError(f"'{text}': quotes must enclose a whole value, with inner quotes doubled")
    return value[1:-1].replace('""', '"')
