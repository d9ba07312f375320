"""Word alignments between the sources of a test set and its references and outputs, in files that ACT reads.

``NAME.tsv`` has a line per segment of a reference or system: words of the source, words of the translation, links.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.data.testset import TestSet, as_testset, languages_of
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.text import get_tokenizer
from mtassay.text.annotate.eflomal import align_words, eflomal_version
from mtassay.verbs.annotate import AnnotateResult, Coverage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.io.inputs import PathLike

_SUFFIX = ".tsv"
#: Tokenizer if the language is not known.
_PLAIN = "13a"


def write_word_alignments(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    output: PathLike,
) -> AnnotateResult:
    """Align the words of all references and outputs with those of the sources by eflomal, and write the links.

    Args:
        references: a test set with sources, or reference streams.
        systems: one text per segment, by system name; only without a test set.
        output: the folder; created if it does not exist.
    """
    testset = as_testset(references, systems)
    made_by = eflomal_version()
    if testset.sources is None:
        raise InputError("word alignments need source texts: --source FILE, or sources= of the test set")
    folder = Path(output)
    if folder.is_dir() and any(path.suffix != _SUFFIX for path in folder.iterdir()):
        raise InputError(f"{folder} has other files; choose a new folder")
    sources = _tokenised(testset.sources, languages_of(testset.language_pair)[0])
    named = {
        name: _tokenised(texts, testset.target_language)
        for name, texts in (*zip(testset.reference_names, testset.references, strict=True), *testset.systems.items())
    }
    pairs = [pair for targets in named.values() for pair in zip(sources, targets, strict=True)]
    there = [pair for pair in dict.fromkeys(pairs) if all(pair)]
    links = dict(zip(there, align_words(*map(list, zip(*there, strict=True))) if there else [], strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    for name, targets in named.items():
        with atomic_write(folder / f"{name}{_SUFFIX}", exact=True) as file:
            for pair in zip(sources, targets, strict=True):
                file.write("\t".join((*pair, links.get(pair, ""))) + "\n")
    n_empty = {
        name: sum(not all(pair) for pair in zip(sources, targets, strict=True)) for name, targets in named.items()
    }
    return AnnotateResult(
        made_by,
        {name: Coverage(len(sources) - empty, partial=0, missing=0, empty=empty) for name, empty in n_empty.items()},
    )


def _tokenised(texts: Sequence[str | None], language: str) -> list[str]:
    tokenise = get_tokenizer(f"moses-{language}" if language else _PLAIN)
    return [" ".join(tokenise(text or "")) for text in texts]
