"""Systems, segments and language pairs: what files call them, and what a test set calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtassay.data.formats.judgements.rows import Table, name, segment_number
from mtassay.errors import InputError, among, did_you_mean, unknown_name

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet

#: How judgements name people's translations among the systems: WMT10 "_ref", WMT09 "ref", WMT21 "HUMAN.0", "ref-A".
_REFERENCE = re.compile(r"_?ref(?:erence)?(?:[-_.:]?\w)?|human(?:[-_.]?\w)?", re.IGNORECASE)
#: What scores may be called that do not say so themselves.
_ASPECTS = ("adequacy", "fluency", "acceptability")
_NUMBER = re.compile(r"\.[0-9]+$")
_CODES = {
    "arabic": "ar", "bengali": "bn", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "dutch": "nl",
    "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el",
    "gujarati": "gu", "haitian creole": "ht", "hausa": "ha", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "icelandic": "is", "inuktitut": "iu", "italian": "it", "japanese": "ja", "kazakh": "kk", "khmer": "km",
    "latvian": "lv", "lithuanian": "lt", "pashto": "ps", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "spanish": "es", "tamil": "ta", "turkish": "tr", "ukrainian": "uk", "urdu": "ur",
}  # fmt: skip


def language_pair(source: str, target: str) -> str:
    """Two languages as codes; what has none ("All" of WMT08) in lower case.

    >>> language_pair("Haitian Creole (Raw)", "English"), language_pair("All", "English")
    ('ht-en', 'all-en')
    """
    plain = [re.sub(r"\s*\(.*\)", "", language).strip().lower() for language in (source, target)]
    return "-".join(_CODES.get(language, language) for language in plain)


def choose_pair(table: Table, pairs: Sequence[tuple[str, str]], lp: str | None) -> tuple[Table, str]:
    """The rows of one language pair, and its code.

    Args:
        table: all rows.
        pairs: source and target language of each row.
        lp: the pair as codes (``cs-en``) or as in the file (``Czech-English``); needed where there are several.
    """
    different = list(dict.fromkeys(pairs))
    codes = [language_pair(*pair) for pair in different]
    full = ["-".join(pair) for pair in different]
    labels = [code if codes.count(code) == 1 else whole for code, whole in zip(codes, full, strict=True)]
    if lp is None and len(different) == 1:
        return table, codes[0]
    found = [place for place, label in enumerate(labels) if lp in (label, full[place])]
    if not found:
        choose_from(table, labels, lp, option="lp")
    chosen = different[found[0]]
    rows = [row for row, pair in enumerate(pairs) if pair == chosen]
    return table if len(rows) == len(table) else table.chosen(rows), codes[found[0]]


def choose_from(table: Table, there: Sequence[str], wanted: str | None, *, option: str) -> str:
    """The one value that is wanted, or the only one that there is."""
    if wanted is None:
        if len(there) == 1:
            return there[0]
        raise InputError(f"{table.path} has several: choose one with {_flag(option)}: {', '.join(there)}")
    if wanted not in there:
        raise InputError(f"{table.path}: {unknown_name(option, wanted, there)}")
    return wanted


def check_aspect(aspect: str, path: str) -> None:
    """Refuse what scores cannot be called that do not say themselves what they are of."""
    if aspect not in _ASPECTS:
        raise InputError(
            f"{path}: {_flag('task')}: these scores name no task; {unknown_name('task', aspect, _ASPECTS)}"
        )


def meaningless(option: str, path: str, why: str) -> InputError:
    """The error for an option that chooses nothing in a file.

    >>> print(meaningless("lp", "p.tsv", "the format pairs names none"))
    p.tsv: -l (lp=) chooses nothing here: the format pairs names none
    """
    return InputError(f"{path}: {_flag(option)} chooses nothing here: {why}")


def _flag(option: str) -> str:
    """An option as in the shell, and as in Python."""
    if option == "split":
        return "--joined (split=False)"
    return f"{'-l' if option == 'lp' else f'--{option}'} ({option}=)"


@dataclass(frozen=True)
class Names:
    """Names as the judgements shall have them.

    Attributes:
        testset: where systems and segments must be; None for any.
        rename: other names of systems; None leaves a system out.
        seen: names that the file has, as they come.
    """

    testset: TestSet | None = None
    rename: Mapping[str, str | None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def check_renamed(self, path: str) -> None:
        """Refuse another name for a system that the file does not have."""
        for old in self.rename:
            if old not in self.seen:
                raise InputError(f"{path}: --rename (rename=): {unknown_name('system', old, sorted(self.seen))}")

    def system(self, cell: str) -> str | None:
        """What a system is called; None if it is left out."""
        self.seen.add(cell)
        if cell in self.rename:
            return self.rename[cell]
        name(cell)
        if self.testset is None or cell in self.testset.outputs or cell in self.testset.reference_names:
            return cell
        plain = _NUMBER.sub("", cell)  # WMT21 "Online-A.5" is the file Online-A
        if plain in self.testset.outputs or _REFERENCE.fullmatch(plain):
            return plain
        known = list(self.testset.outputs)
        tail = among(cell, known)
        raise InputError(f"{cell!r} is no system of the test set{tail}; --rename (rename=) gives other names")

    def output(self, cell: str, *, split: bool = True) -> tuple[str, ...]:
        """The systems of an output: several where outputs that were the same are joined, "a+b"; none if left out."""
        is_name = "+" not in cell or cell in self.rename or (self.testset is not None and cell in self.testset.outputs)
        if not is_name and not split:
            self.seen.add(cell)
            return (cell,)
        found = [self.system(part) for part in ([cell] if is_name else cell.split("+"))]
        return tuple(system for system in found if system is not None)

    def segment(self, convert: Callable[[str], str] = segment_number) -> Callable[[str], str]:
        """How to read numbers of segments so that they are in the test set."""

        def checked(cell: str) -> str:
            number = convert(cell)
            if self.testset is not None and not 1 <= int(number) <= self.testset.n_segments:
                raise InputError(f"{cell!r} is not in the test set, which has {self.testset.n_segments} segments")
            return number

        return checked

    def segment_id(self, cell: str) -> str:
        """The number of the segment with an identifier, or the identifier where there is no test set."""
        if self.testset is None:
            return name(cell)
        ids = self.testset.ids
        if ids is None:
            raise InputError("names segments by id, and the test set has no ids; name them by number")
        if ids.count(cell) != 1:
            what = "several times in" if cell in ids else "not in"
            raise InputError(f"{cell!r} is {what} the test set{did_you_mean(cell, ids)}")
        return str(ids.index(cell) + 1)
