"""Systems, segments and language pairs: matching the names in files with those of a test set."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mtassay.data.formats.judgements.rows import TextTable, UnknownSystemsError, name, segment_number
from mtassay.errors import InputError, did_you_mean, unknown_name

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet

_log = logging.getLogger("mtassay")
#: Names of human translations among the judged systems: WMT10 "_ref", WMT09 "ref", WMT21 "HUMAN.0", "ref-A".
_REFERENCE = re.compile(r"_?ref(?:erence)?(?:[-_.:]?\w)?|human(?:[-_.]?\w)?", re.IGNORECASE)
#: Columns that name one system, in formats with one row per output or pair.
_SYSTEMS = ("system", "sys", "sys_id", "systemid", "first", "second", "better", "worse")
#: Possible aspects of scores that do not name one.
_ASPECTS = ("adequacy", "fluency", "acceptability")
#: Options with another name on the command line.
_FLAGS = {"split": "--joined (split=False)", "ignore_unknown": "--ignore-unknown (ignore_unknown=True)"}
_NUMBER = re.compile(r"\.[0-9]+$")
_CODES = {
    "arabic": "ar", "bengali": "bn", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "dutch": "nl",
    "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el",
    "gujarati": "gu", "haitian creole": "ht", "hausa": "ha", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "icelandic": "is", "inuktitut": "iu", "italian": "it", "japanese": "ja", "kazakh": "kk", "khmer": "km",
    "latvian": "lv", "lithuanian": "lt", "pashto": "ps", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "spanish": "es", "tamil": "ta", "turkish": "tr", "ukrainian": "uk", "urdu": "ur",
    # Appraise uses three-letter codes.
    "ces": "cs", "deu": "de", "eng": "en", "fra": "fr", "hrv": "hr", "jpn": "ja", "rus": "ru", "ukr": "uk", "zho": "zh",
}  # fmt: skip


def language_pair(source: str, target: str) -> str:
    """Two languages as codes; languages without a code ("All" of WMT08) in lower case.

    >>> language_pair("Haitian Creole (Raw)", "English"), language_pair("All", "English")
    ('ht-en', 'all-en')
    """
    plain = [re.sub(r"\s*\(.*\)", "", language).strip().lower() for language in (source, target)]
    return "-".join(_CODES.get(language, language) for language in plain)


def choose_pair(table: TextTable, pairs: Sequence[tuple[str, str]], lp: str | None) -> tuple[TextTable, str]:
    """The rows of one language pair, and its code.

    Args:
        table: all rows.
        pairs: source and target language of each row.
        lp: the pair as codes (``cs-en``) or as in the file (``Czech-English``); required if there are several.
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


def choose_from(table: TextTable, there: Sequence[str], wanted: str | None, *, option: str) -> str:
    """The requested value, or the only one."""
    what = "language pair" if option == "lp" else option
    if wanted is None:
        if len(there) == 1:
            return there[0]
        raise InputError(f"{table.path} has several {what}s: choose one with {_flag(option)}: {', '.join(there)}")
    if wanted not in there:
        raise InputError(f"{table.path}: {unknown_name(what, wanted, there)}")
    return wanted


def check_aspect(aspect: str, path: str) -> None:
    """Reject an unknown aspect for scores that do not name one."""
    if aspect not in _ASPECTS:
        raise InputError(
            f"{path}: {_flag('task')}: these scores name no task; {unknown_name('task', aspect, _ASPECTS)}"
        )


def meaningless(option: str, path: str, why: str) -> InputError:
    """The error for an option that has no effect on a file.

    >>> print(meaningless("lp", "p.tsv", "the format pairs names none"))
    p.tsv: -l (lp=) chooses nothing here: the format pairs names none
    """
    return InputError(f"{path}: {_flag(option)} chooses nothing here: {why}")


def _flag(option: str) -> str:
    """An option as written on the command line and in Python."""
    if option in _FLAGS:
        return _FLAGS[option]
    return f"{'-l' if option == 'lp' else f'--{option}'} ({option}=)"


@dataclass(frozen=True)
class Names:
    """Maps names in a file to names in the judgements.

    Attributes:
        testset: must contain the systems and segments; None if any name is valid.
        rename: other names of systems; None leaves a system out.
        split: whether "a+b", unless it is a system, becomes one output of each system.
        ignore_unknown: whether systems that the test set does not have are left out.
        seen: names found in the file.
        ignored: names that were left out because the test set does not have them.
    """

    testset: TestSet | None = None
    rename: Mapping[str, str | None] = field(default_factory=dict)
    split: bool = True
    ignore_unknown: bool = False
    seen: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)

    def check_renamed(self, path: str) -> None:
        """Reject renaming of a system that the file does not have."""
        for old in self.rename:
            if old not in self.seen:
                raise InputError(f"{path}: --rename (rename=): {unknown_name('system', old, sorted(self.seen))}")

    def announce_joined(self, path: str) -> None:
        """Say which systems of the file have become one by renaming."""
        of_name: dict[str, list[str]] = {}
        for cell in sorted(self.seen):
            if (new := self.rename.get(cell, cell)) is not None:
                of_name.setdefault(new, []).append(cell)
        for new, cells in of_name.items():
            if len(cells) > 1 and any(cell in self.rename for cell in cells):
                _log.warning(
                    "mtassay: %s: --rename (rename=) makes one system, %s, of %s", path, new, " and ".join(cells)
                )

    def system(self, cell: str) -> str | None:
        """The name of a system; None if it is left out."""
        self.seen.add(cell)
        if cell in self.rename:
            return self.rename[cell]
        name(cell)
        found = self._found(cell)
        if found is not None:
            return found
        if "+" in cell and not self.split:
            return cell
        if self.ignore_unknown:
            self.ignored.add(cell)
            return None
        raise UnknownSystemsError([cell], [] if self.testset is None else list(self.testset.outputs))

    def _found(self, cell: str) -> str | None:
        """The name in the test set; None if it has no such system."""
        if self.testset is None or cell in self.testset.outputs or cell in self.testset.reference_names:
            return cell
        plain = _NUMBER.sub("", cell)  # WMT21 "Online-A.5" is the file Online-A
        return plain if plain in self.testset.outputs or _REFERENCE.fullmatch(plain) else None

    def parts(self, cell: str, *, joins: bool = False) -> list[str]:
        """The names in a cell; several if it joins systems with the same output, "a+b".

        Args:
            cell: the cell.
            joins: whether the format joins names; otherwise a test set must have all parts, and not the whole name.
        """
        whole = "+" not in cell or cell in self.rename or (self.testset is not None and cell in self.testset.outputs)
        if whole or not self.split:
            return [cell]
        parts = cell.split("+")
        known = self.testset is not None and all(part in self.rename or self._found(part) for part in parts)
        return parts if joins or known else [cell]

    def output(self, cell: str, *, joins: bool = False) -> tuple[str, ...]:
        """The systems of an output; none if it is left out."""
        found, unknown = list[str | None](), list[str]()
        for part in self.parts(cell, joins=joins):
            try:
                found.append(self.system(part))
            except UnknownSystemsError as error:
                unknown += error.names
        if unknown:
            raise UnknownSystemsError(unknown, [] if self.testset is None else list(self.testset.outputs))
        return tuple(system for system in found if system is not None)

    def spread(self, table: TextTable) -> TextTable:
        """The table with joined systems split into rows, one for each system, in every column that names systems."""
        for column in _SYSTEMS:
            parts = [self.parts(cell) for cell in table.columns.get(column, ())]
            if any(len(names) > 1 for names in parts):
                table = table.chosen([row for row, names in enumerate(parts) for _ in names])
                table = replace(table, columns={**table.columns, column: [one for names in parts for one in names]})
        return table

    def segment(self, convert: Callable[[str], str] = segment_number) -> Callable[[str], str]:
        """A converter for segment numbers that checks them against the test set."""

        def checked(cell: str) -> str:
            number = convert(cell)
            if self.testset is not None and not 1 <= int(number) <= self.testset.n_segments:
                raise InputError(f"{cell!r} is not in the test set, which has {self.testset.n_segments} segments")
            return number

        return checked

    def segment_id(self, cell: str) -> str:
        """The number of the segment with this identifier; the identifier itself without a test set."""
        if self.testset is None:
            return name(cell)
        ids = self.testset.ids
        if ids is None:
            raise InputError("names segments by id, but the test set has no ids; name them by number")
        if ids.count(cell) != 1:
            what = "several times in" if cell in ids else "not in"
            raise InputError(f"{cell!r} is {what} the test set{did_you_mean(cell, ids)}")
        return str(ids.index(cell) + 1)
