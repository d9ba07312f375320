"""TestSet: references and system outputs of the same segments, with labels of the segments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mtassay.data.references import (
    check_references,
    check_texts,
    default_reference_names,
    first_repeated,
    length_error,
    no_references,
)
from mtassay.errors import InputError, counted, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Systems = Mapping[str, Iterable[str]] | Iterable[tuple[str, Iterable[str]]]

_T = TypeVar("_T")

#: A language in the name of a test set, with a region or without.
_LANGUAGE = "[a-z]{2}(?:_[A-Z]{2})?"
#: A language of a pair that was given, with any region or script.
_ANY_LANGUAGE = "[A-Za-z]+(?:_[A-Za-z0-9]+)*"
#: A hyphen may come before the region or script of the target language where this can be no language: en-zh-CN,
#: en-es-419, EN-ZH-Hant. PT-BR-ZH is refused, as it might be from PT to BR.
_PAIR = re.compile(
    rf"{_ANY_LANGUAGE}-(?:{_ANY_LANGUAGE}|[a-z]{{2,3}}-(?:[A-Z]{{2}}|[0-9]{{3}})|[A-Za-z]{{2,3}}-[A-Z][a-z]{{3}})"
)
_SYSTEMS_FORM = 'give {"name": [output of segment 1, output of segment 2, ...], ...}'


@dataclass(frozen=True, repr=False, init=False)
class TestSet:
    """N segments with R references and the outputs of S systems, checked and frozen.

    ``TestSet([], systems)`` has no references, for metrics that need none; it must have outputs or sources.

    Attributes:
        references: R × N texts; a missing reference is None, never "".
        systems: N texts per system name, in the order given.
        sources: N source texts.
        documents: N document labels; a label alone identifies a document.
        domains: N domain labels.
        ids: N segment identifiers.
        reference_names: R names.
        name: Name of the test set in reports.
        language_pair: The language pair, such as "en-de"; by default the pair at the end of the name ("wmt21/en-de"),
            else None. It chooses the language and tokenizer of metrics whose specifications do not.
        set_aside: N texts per name of outputs that do not count as systems: references among the outputs, and
            systems that were not chosen. Judgements may be about them.
        outliers: Systems that the organisers excluded from the meta-evaluation.

    >>> testset = TestSet([["the cat", "a dog"]], {"A": ["the cat", "dog"]}, documents=["d1", "d2"])
    >>> testset.n_segments, testset.n_references
    (2, 1)
    """

    __test__ = False  # the name begins with "Test": keeps pytest from collecting it

    references: tuple[tuple[str | None, ...], ...]
    systems: dict[str, tuple[str, ...]]
    sources: tuple[str, ...] | None
    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    reference_names: tuple[str, ...]
    name: str | None
    language_pair: str | None
    set_aside: dict[str, tuple[str, ...]]
    outliers: tuple[str, ...]

    def __init__(
        self,
        references: Iterable[Iterable[str | None]],
        systems: Systems,
        *,
        sources: Iterable[str] | None = None,
        documents: Iterable[str] | None = None,
        domains: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        reference_names: Iterable[str] | None = None,
        name: str | None = None,
        language_pair: str | None = None,
        set_aside: Systems = (),
        outliers: Iterable[str] = (),
    ) -> None:
        """Check every shape and freeze; `systems` is a mapping or a list of (name, outputs) pairs."""
        check_language_pair(language_pair)
        if name is not None and not isinstance(name, str):
            raise InputError(f"the name of a test set must be a str, not {name!r}")
        outputs, aside = _freeze_systems(systems), _freeze_systems(set_aside)
        n_segments, whose = _usual_length(outputs or aside)
        streams = check_references(references, n_segments, whose=whose, may_be_empty=True)
        if streams:
            n_segments, whose = len(streams[0]), "references"
        elif n_segments is None and sources is not None:
            sources = check_texts(sources, "sources")
            n_segments, whose = len(sources), "sources"
        if not n_segments:
            raise InputError("there are no segments: a test set without references needs outputs or sources")
        for system, texts in (*outputs.items(), *aside.items()):
            if len(texts) != n_segments:
                raise length_error(f"system {system!r}", len(texts), n_expected=n_segments, of=whose)
        per_segment = {"sources": sources, "documents": documents, "domains": domains, "ids": ids}
        fields: dict[str, object] = {
            "references": streams,
            "systems": outputs,
            "reference_names": _check_reference_names(reference_names, len(streams)),
            "name": name,
            "language_pair": pair_in_name(name) if language_pair is None else language_pair,
            "set_aside": aside,
            "outliers": tuple(outliers),
        }
        for what, values in per_segment.items():
            fields[what] = None if values is None else check_texts(values, what, n_segments=n_segments, whose=whose)
        for field, value in fields.items():
            object.__setattr__(self, field, value)  # the dataclass is frozen

    @property
    def n_segments(self) -> int:
        """Number of segments N."""
        streams = self.references or tuple(self.outputs.values()) or (self.sources or (),)
        return len(streams[0])

    @property
    def target_language(self) -> str:
        """The second language of the pair, without a region; '' if the pair is not known."""
        return languages_of(self.language_pair)[1]

    @property
    def n_references(self) -> int:
        """Number of references R."""
        return len(self.references)

    @property
    def outputs(self) -> dict[str, tuple[str, ...]]:
        """Systems, and outputs that were set aside."""
        return {**self.systems, **self.set_aside}

    def select(self, *, systems: Iterable[str] | None = None, references: Iterable[str] | None = None) -> TestSet:
        """Keep the named systems and references, in the given order; all if none are named.

        Systems that are not named are set aside; an output that was set aside becomes a system if it is named.

        >>> both = TestSet([["x"], ["y"]], {"A": ["x"], "B": ["y"]}, reference_names=["r", "s"])
        >>> chosen = both.select(systems=["B"], references=["s"])
        >>> chosen.systems, chosen.references
        ({'B': ('y',)}, (('y',),))
        """
        known, streams = self.outputs, dict(zip(self.reference_names, self.references, strict=True))
        wanted = dict.fromkeys(self.systems if systems is None else _chosen(systems, known, "system"))
        if references is not None:
            streams = {name: streams[name] for name in _chosen(references, streams, "reference")}
            if not streams:
                raise InputError(f"no reference chosen; there are: {', '.join(self.reference_names)}")
            check_references(streams.values(), self.n_segments)  # a segment may lack all references that are left
        return self._changed(
            systems={name: known[name] for name in wanted},
            references=tuple(streams.values()),
            reference_names=tuple(streams),
            set_aside={name: texts for name, texts in known.items() if name not in wanted},
        )

    def setting_aside(self, names: Iterable[str]) -> TestSet:
        """The same test set, with the outputs of these names set aside.

        >>> testset = TestSet([["x"]], {"refA": ["x"], "B": ["y"]}, reference_names=["refA"])
        >>> list(testset.setting_aside(["refA"]).systems)
        ['B']
        """
        aside = set(names)
        return self.select(systems=[name for name in self.systems if name not in aside])

    def at(self, segments: Sequence[int]) -> TestSet:
        """The test set restricted to these segments (0-based), in the given order.

        >>> testset = TestSet([["x", "y", "z"]], {"A": ["a", "b", "c"]}, documents=["d1", "d1", "d2"])
        >>> testset.at([2, 0]).systems, testset.at([2, 0]).documents
        ({'A': ('c', 'a')}, ('d2', 'd1'))
        """

        def kept(texts: tuple[_T, ...]) -> tuple[_T, ...]:
            return tuple(texts[segment] for segment in segments)

        return replace(
            self,
            references=tuple(map(kept, self.references)),
            systems={name: kept(texts) for name, texts in self.systems.items()},
            set_aside={name: kept(texts) for name, texts in self.set_aside.items()},
            sources=None if self.sources is None else kept(self.sources),
            documents=None if self.documents is None else kept(self.documents),
            domains=None if self.domains is None else kept(self.domains),
            ids=None if self.ids is None else kept(self.ids),
        )

    def without_trailing_space(self) -> TestSet:
        """The same test set without white space at the end of references and outputs."""
        return self._changed(
            references=tuple(
                tuple(None if text is None else text.rstrip() for text in stream) for stream in self.references
            ),
            systems={name: tuple(map(str.rstrip, texts)) for name, texts in self.systems.items()},
            set_aside={name: tuple(map(str.rstrip, texts)) for name, texts in self.set_aside.items()},
        )

    def with_language_pair(self, pair: str) -> TestSet:
        """The same test set, of this language pair."""
        check_language_pair(pair)
        return self._changed(language_pair=pair)

    def _changed(self, **fields: object) -> TestSet:
        """A copy with new values of some fields, made without checks, which take half of the time of reading."""
        made = copy(self)
        for field, value in fields.items():
            object.__setattr__(made, field, value)
        return made

    def labels(self, by: str) -> tuple[str, ...]:
        """Labels of the segments by 'doc' or 'domain'."""
        if by not in ("doc", "domain"):
            raise InputError(f"cannot group by {by!r}; group by 'doc' or 'domain'")
        labels = self.documents if by == "doc" else self.domains
        if labels is None:
            what = "document" if by == "doc" else "domain"
            raise InputError(
                f"the test set has no {what} labels; give {what}s= one label per segment, "
                f"a --{what}s file with one label per line, or a {by!r} column or key"
            )
        return labels

    def groups(self, by: str) -> list[tuple[str, NDArray[np.int64]]]:
        """Segment indices (0-based, ascending) by 'doc' or 'domain', in order of first appearance.

        >>> testset = TestSet([["x", "y", "z"]], {}, documents=["d1", "d2", "d1"])
        >>> [(label, indices.tolist()) for label, indices in testset.groups("doc")]
        [('d1', [0, 2]), ('d2', [1])]
        """
        members: dict[str, list[int]] = {}
        for index, label in enumerate(self.labels(by)):
            members.setdefault(label, []).append(index)
        return [(label, np.array(indices, dtype=np.int64)) for label, indices in members.items()]

    def __repr__(self) -> str:
        counts = ", ".join(
            counted(n, noun)
            for n, noun in (
                (self.n_segments, "segment"),
                (self.n_references, "reference"),
                (len(self.systems), "system"),
            )
        )
        return f"TestSet({counts})" if self.name is None else f"TestSet({self.name!r}: {counts})"


def as_testset(
    references: TestSet | Iterable[Iterable[str | None]], systems: Systems | None, *, needed_by: str | None = None
) -> TestSet:
    """The test set of a verb, given as a test set or as references and systems.

    Args:
        references: a test set, or references; ``[]`` if there are none.
        systems: outputs by system; only with references.
        needed_by: name of the verb, if it needs references whatever the metrics are.
    """
    if not isinstance(references, TestSet):
        references = TestSet(references, {} if systems is None else systems)
    elif systems is not None:
        raise InputError("give systems either inside the test set or beside the references, not both")
    if needed_by is not None and not references.references:
        raise no_references(needed_by)
    return references


def pair_in_name(name: str | None) -> str | None:
    """The language pair at the end of a test set's name; codes have two letters, so that "my-set" has no pair.

    >>> pair_in_name("wmt21/en-de"), pair_in_name("news.en-zh_CN"), pair_in_name("my-set")
    ('en-de', 'en-zh_CN', None)
    """
    named = re.search(rf"(?:^|[/._])({_LANGUAGE}-{_LANGUAGE})$", name or "")
    return named[1] if named else None


def languages_of(pair: str | None) -> tuple[str, str]:
    """Source and target language of a pair, in lower case and without regions; '' for unknown ones.

    Tokenizers and METEOR are chosen by languages: with zh_CN, Chinese would get the tokenizer of other languages.

    >>> languages_of("en-zh_CN"), languages_of("EN-ZH-Hant"), languages_of(None)
    (('en', 'zh'), ('en', 'zh'), ('', ''))
    """
    source, _, target = (pair or "").lower().partition("-")
    return source.partition("_")[0], re.split("[_-]", target)[0]


def check_language_pair(pair: object) -> None:
    """Reject an invalid language pair: en_zh would score Chinese with the tokenizer of other languages."""
    if pair is not None and not (isinstance(pair, str) and _PAIR.fullmatch(pair)):
        raise InputError(
            f"-l (lp=) {pair}: a language pair is written SRC-TGT, such as en-de, and regions with _: pt_BR-zh"
        )


def _freeze_systems(systems: object) -> dict[str, tuple[str, ...]]:
    if isinstance(systems, str | bytes) or not isinstance(systems, Iterable):
        raise InputError(f"systems is a {type(systems).__name__}; {_SYSTEMS_FORM}")
    pairs = systems.items() if isinstance(systems, Mapping) else systems
    outputs: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
        if not is_pair and not isinstance(systems, Mapping):
            raise InputError(f"systems is a list without names; {_SYSTEMS_FORM}")
        name, texts = pair
        check_name(name, "system")
        if name in outputs:
            raise InputError(f"two systems are named {name!r}; give each system a name of its own")
        outputs[name] = check_texts(texts, f"system {name!r}")
    return outputs


def check_name(name: object, what: str) -> None:
    """Reject names that tables or files cannot show."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{name!r} is not a valid {what} name; give a non-empty str")
    if any(c in name for c in "\t\n\r\0"):
        raise InputError(f"the {what} name {name!r} contains a tab, line break or NUL; rename it")


def _usual_length(outputs: dict[str, tuple[str, ...]]) -> tuple[int | None, str]:
    """The most common number of segments of systems, and the first system that has it."""
    lengths = [len(texts) for texts in outputs.values()]
    if not lengths:
        return None, ""
    usual = Counter(lengths).most_common(1)[0][0]
    return usual, f"system {list(outputs)[lengths.index(usual)]!r}"


def _chosen(names: Iterable[str], known: Collection[str], what: str) -> list[str]:
    """The names as a list; each must be known and occur once."""
    if isinstance(names, str):
        raise InputError(f"{what}s is a single string; give a list of names: [{names!r}]")
    chosen: dict[str, None] = {}
    for name in names:
        if name not in known:
            raise InputError(unknown_name(what, name, known))
        if name in chosen:
            raise InputError(f"{what} {name!r} is named twice")
        chosen[name] = None
    return list(chosen)


def _check_reference_names(names: Iterable[str] | None, n_references: int) -> tuple[str, ...]:
    if names is None:
        return default_reference_names(n_references)
    frozen = check_texts(names, "reference_names")
    if len(frozen) != n_references:
        raise InputError(f"{counted(len(frozen), 'reference name')} for {counted(n_references, 'reference')}")
    for name in frozen:
        check_name(name, "reference")
    if (twice := first_repeated(frozen)) is not None:
        raise InputError(f"two references are named {twice!r}; give each a name of its own")
    return frozen
