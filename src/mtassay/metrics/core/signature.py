"""Signatures, which make scores reproducible, in sacreBLEU's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mtassay import __version__
from mtassay.text import tokenizer_signature

#: Short names of the entries that all metrics share, as sacreBLEU abbreviates them.
_SHARED = {"mtassay": "v", "nrefs": "#", "bs": "bs", "ar": "ar", "seed": "rs"}


class Entry(NamedTuple):
    """One ``name:value`` of a signature with its short name."""

    name: str
    short: str
    value: str


def case_entry(case: str) -> Entry:
    """The entry of an option ``case``, in sacreBLEU's words.

    >>> case_entry("lower").value
    'lc'
    """
    return Entry("case", "c", {"mixed": "mixed", "lower": "lc", "ascii": "lc-ascii"}[case])


def tok_entry(tok: str) -> Entry:
    """The entry of an option ``tok``: the tokenizer, with a version if scores depend on it.

    >>> tok_entry("13a").value
    '13a'
    """
    return Entry("tok", "tok", tokenizer_signature(tok))


@dataclass(frozen=True)
class Signature:
    """The signature of a score.

    >>> str(Signature.build("1", [Entry("case", "c", "mixed")]))
    'nrefs:1|case:mixed|mtassay:0.3.0'
    >>> Signature.build("1", [Entry("case", "c", "mixed")]).format(short=True)
    '#:1|c:mixed|v:0.3.0'
    """

    entries: tuple[Entry, ...]

    @classmethod
    def build(cls, n_references: str, of_metric: list[Entry], **resampling: object) -> Signature:
        """Put the entries of a metric between those that all metrics share.

        Args:
            n_references: the number of references, or ``var``.
            of_metric: entries of the metric, in order.
            **resampling: ``bs``, ``ar`` (numbers of resamples) and ``seed``, if a test was run.
        """
        shared = [Entry("nrefs", _SHARED["nrefs"], n_references)]
        shared += [Entry(name, _SHARED[name], str(value)) for name, value in resampling.items()]
        return cls((*shared, *of_metric, Entry("mtassay", _SHARED["mtassay"], __version__)))

    def resampled(self, **resampling: object) -> Signature:
        """This signature with entries for resampling, for scores that were tested; arguments as for ``build``.

        >>> str(Signature.build("1", [Entry("case", "c", "mixed")]).resampled(ar=1000, seed=1))
        'nrefs:1|ar:1000|seed:1|case:mixed|mtassay:0.3.0'
        """
        n_references, *others = self.entries
        drawn = [Entry(name, _SHARED[name], str(value)) for name, value in resampling.items()]
        return Signature((n_references, *drawn, *others))

    def format(self, *, short: bool = False) -> str:
        """Write the signature, with short names on request."""
        return "|".join(f"{entry.short if short else entry.name}:{entry.value}" for entry in self.entries)

    def __str__(self) -> str:
        return self.format()
