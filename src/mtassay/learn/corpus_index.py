"""An index of the n-grams of a large text and the parts of a treebank, built once and mapped into memory.

Sections, each a sorted array of hashes (``mtassay.learn.hashing``) and an array of values:

    ngrams_1 … ngrams_5            count of the n-gram in the text
    skips                          smallest number of words, up to 5, between the two words of a pair
    chains_2 … chains_4            count of the chain of head words in the treebank
    subtrees_2 … subtrees_4        count of the sub-tree of that depth in the treebank
    frames, word_frames            count of the argument structure for a class of words, or for a word

Words of the text are those of the tokenizer, in lower case; words of the treebank are its own, in lower case.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.formats.conllu import read_conllu
from mtassay.data.formats.lines import read_lines
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.io.inputs import PathLike, read_bytes, shown
from mtassay.kernels import Vocabulary
from mtassay.learn.hashing import Hashed, hash_words, hashed_frames, hashed_ngrams, hashed_parts, hashed_skips
from mtassay.metrics.core.references import encode
from mtassay.metrics.meteor.cache import read_arrays, write_arrays
from mtassay.text import get_tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.types import Hashes


KIND, SCHEMA = "mtassay corpus index", 1
ORDER, GAP, LONGEST, DEEPEST = 5, 5, 4, 4
CASE = "lower"
_LINES_AT_ONCE = 100_000
_LARGEST = np.iinfo(np.uint32).max

#: Distinct hashes in ascending order, and their values.
_Section = tuple[Any, Any]


class CorpusIndex:
    """An open index; made by ``open``.

    Attributes:
        path: the file.
        about: description of the index: tokenizer, files and their digests, numbers of segments and words.
    """

    def __init__(self, path: str, arrays: Mapping[str, Any], about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self._arrays = arrays

    @classmethod
    def open(cls, path: PathLike) -> CorpusIndex:
        """Map an index into memory."""
        file = Path(path)
        if not file.is_file():
            raise InputError(f"{shown(path)}: no such file; build the index of a corpus first")
        arrays = read_arrays(file)
        try:
            about = json.loads(bytes(arrays["about"])) if arrays is not None else {}
            kind, schema = about.get("kind"), about.get("schema")
        except (KeyError, ValueError, AttributeError):
            kind = None
        if arrays is None or kind != KIND:
            raise InputError(f"{shown(path)} is not an index of a corpus, or is damaged; build it again")
        if schema != SCHEMA:
            raise InputError(
                f"{shown(path)} is an index of version {schema}, this program reads {SCHEMA}; build it again"
            )
        return cls(shown(path), arrays, about)

    @property
    def tok(self) -> str:
        """The tokenizer of the text."""
        return str(self.about["tok"])

    @property
    def digest(self) -> str:
        """The first eight characters of the digest of everything the index was made from."""
        return str(self.about["sha256"])[:8]

    def has(self, section: str) -> bool:
        """Whether a section has any entries."""
        return f"{section} keys" in self._arrays

    def require(self, part: str, wanted_by: str) -> None:
        """Raise an error if the index was built without `part`, which is ``text`` or ``trees``."""
        if not self.about[part]:
            made = "trees (*.conllu)" if part == "trees" else "texts"
            raise InputError(f"{self.path} was built without {made}, which {wanted_by} needs; build one with them")

    def values(self, section: str, hashes: Hashes) -> Any:
        """The values of hashed parts, -1 if the corpus does not have them, shape (n,)."""
        if not self.has(section):
            return np.full(len(hashes), -1, np.int64)
        keys, values = self._arrays[f"{section} keys"], self._arrays[f"{section} values"]
        places = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
        return np.where(keys[places] == hashes, values[places].astype(np.int64), -1)


def build_index(
    texts: Sequence[PathLike],
    out: PathLike,
    *,
    trees: Sequence[PathLike] = (),
    tok: str = "13a",
    execution: Execution = SERIAL,
) -> CorpusIndex:
    """Build the index of a corpus, write it to a file and open it.

    Args:
        texts: line files of running text in the target language; none for a treebank alone.
        out: the file, written atomically.
        trees: files of dependency trees (CoNLL-U), of these or other texts; missing parses are skipped.
        tok: the tokenizer, for these texts and for those that are scored with the index.
        execution: how the work is run.
    """
    if not texts and not trees:
        raise InputError("an index needs texts or trees; give files")
    get_tokenizer(tok)
    builder = _Builder(tok)
    for kind, path in execution.progress([*(("text", path) for path in texts), *(("trees", path) for path in trees)]):
        builder.add_text(path) if kind == "text" else builder.add_trees(path)
    write_arrays(Path(out), builder.arrays())
    return CorpusIndex.open(out)


class _Builder:
    def __init__(self, tok: str) -> None:
        self._tok = tok
        self._sections: dict[str, _Section] = {}
        self._text: list[dict[str, Any]] = []
        self._trees: list[dict[str, Any]] = []

    def add_text(self, path: PathLike) -> None:
        lines = read_lines(path)
        n_words = 0
        for first in range(0, len(lines), _LINES_AT_ONCE):
            vocabulary = Vocabulary()
            tokens = encode(lines[first : first + _LINES_AT_ONCE], self._tok, case=CASE, vocabulary=vocabulary)
            words = hash_words(vocabulary.words())
            n_words += len(tokens.ids)
            for n, grams in enumerate(hashed_ngrams(tokens, words, order=ORDER), 1):
                self._count(f"ngrams_{n}", grams)
            for gap, pairs in enumerate(hashed_skips(tokens, words, gap=GAP)):
                self._nearest(pairs, gap)
        self._text.append({**_described(path), "segments": len(lines), "words": n_words})

    def add_trees(self, path: PathLike) -> None:
        trees = read_conllu(path)
        chained, cut = hashed_parts(trees, longest=LONGEST, deepest=DEEPEST)
        for n, parts in enumerate(chained[1:], 2):
            self._count(f"chains_{n}", parts)
        for depth, parts in enumerate(cut[1:], 2):
            self._count(f"subtrees_{depth}", parts)
        for general, lexical in hashed_frames(trees).values():
            self._count("frames", general)
            self._count("word_frames", lexical)
        parsed = [tree for tree in trees if tree is not None]
        n_words = sum(len(tree.words) for tree in parsed)
        self._trees.append({**_described(path), "segments": len(trees), "parsed": len(parsed), "words": n_words})

    def _count(self, section: str, found: Hashed) -> None:
        keys, counts = np.unique(found.hashes, return_counts=True)
        self._merge(section, keys, counts.astype(np.int64), np.add)

    def _nearest(self, found: Hashed, gap: int) -> None:
        keys = np.unique(found.hashes)
        self._merge("skips", keys, np.full(len(keys), gap, np.int64), np.minimum)

    def _merge(self, section: str, keys: Any, values: Any, join: np.ufunc) -> None:
        if section in self._sections:
            old_keys, old_values = self._sections[section]
            keys, values = np.concatenate([old_keys, keys]), np.concatenate([old_values, values])
            order = np.argsort(keys, kind="stable")
            keys, values = keys[order], values[order]
            firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.arange(0)
            keys, values = keys[firsts], join.reduceat(values, firsts) if len(firsts) else values
        self._sections[section] = (keys, values)

    def arrays(self) -> dict[str, Any]:
        about = {
            "kind": KIND,
            "schema": SCHEMA,
            "tok": self._tok,
            "case": CASE,
            "text": self._text,
            "trees": self._trees,
        }
        digests = "".join(entry["sha256"] for entry in (*self._text, *self._trees))
        about["sha256"] = sha256(f"{SCHEMA} {self._tok} {digests}".encode()).hexdigest()
        arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)}
        for section, (keys, values) in self._sections.items():
            if len(keys):
                arrays[f"{section} keys"] = keys.astype(np.uint64)
                kind = np.uint8 if section == "skips" else np.uint32
                arrays[f"{section} values"] = np.minimum(values, _LARGEST).astype(kind)
        return arrays


def _described(path: PathLike) -> dict[str, Any]:
    return {"file": Path(path).name, "sha256": sha256(read_bytes(path)).hexdigest()}
