"""Annotations that are sent with texts to processes without the annotator."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from mtassay.errors import InputError
from mtassay.execution import SERIAL
from mtassay.text.annotate import annotate, annotations_to_send, get_annotator
from mtassay.text.annotate.sent import at_hand

if TYPE_CHECKING:
    from pathlib import Path

_EMPTY = "\t_" * 7
TEXTS = ["Dogs bark", " cats sleep ", "", "Dogs bark"]


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """A file of annotations."""
    words = (("Dogs", "dog"), ("bark", "bark")), (("cats", "cat"), ("sleep", "sleep"))
    blocks = [
        f"# text = {' '.join(word for word, _ in of_text)}\n"
        + "".join(f"{i}\t{word}\t{lemma}{_EMPTY}\n" for i, (word, lemma) in enumerate(of_text, 1))
        for of_text in words
    ]
    (tmp_path / "x.conllu").write_text("\n".join(blocks) + "\n", encoding="utf-8")
    return f"file:{tmp_path}"


def test_annotations_are_found_without_the_annotator(spec: str, tmp_path: Path) -> None:
    expected, annotator = annotate(TEXTS, spec), get_annotator(spec)
    version, provides = annotator.version, annotator.provides
    sent = pickle.loads(pickle.dumps(annotations_to_send(TEXTS, spec, execution=SERIAL)))
    assert sorted(sent.packed) == ["Dogs bark", "cats sleep"]
    (tmp_path / "x.conllu").unlink()
    with at_hand({spec: sent.of_texts(TEXTS[:1])}, {spec: sent.of_texts(TEXTS[1:2])}):
        kept = get_annotator(spec)
        assert (kept.name, kept.version, kept.provides) == ("file", version, provides)
        assert annotate(TEXTS, spec) == expected
    # Scorers keep the annotator, and find the annotations of the next chunk.
    with at_hand({spec: sent.of_texts(TEXTS[1:2])}):
        assert annotate(TEXTS[1:3], kept) == expected[1:3]
    with pytest.raises(InputError):
        annotate(TEXTS, spec)
