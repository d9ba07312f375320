"""Stems as METEOR 1.5 has them; the expected ones are those that its own jar prints."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mtassay.errors import InputError, MissingExtraError
from mtassay.metrics.meteor import stems
from mtassay.metrics.meteor.stems import snowball


@pytest.mark.parametrize(
    ("algorithm", "words", "expected"),
    [
        ("english", ["added", "anesthesiologist", "running"], ["ad", "anesthesiologist", "run"]),
        (
            "german",
            ["ergebnisse", "verhältnissen", "befugnis", "nisse"],
            ["ergebniss", "verhaltniss", "befugnis", "niss"],
        ),
        (
            "french",
            ["ambiguïté", "archaïques", "égoïstes", "ambiguë", "aiguë", "noël", "continuellement"],
            ["ambiguït", "archaïqu", "égoïst", "ambigu", "aiguë", "noël", "continuel"],
        ),
        ("russian", ["алёна", "всё", "её", "продаётся", "идёт"], ["алён", "всё", "её", "продаёт", "идёт"]),
    ],
)
def test_stems(algorithm: str, words: list[str], expected: list[str]) -> None:
    pytest.importorskip("Stemmer")
    assert snowball(algorithm)(words) == expected


def test_another_pystemmer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = SimpleNamespace(Stemmer=lambda *arguments: SimpleNamespace(stemWord=lambda word: "add"))
    monkeypatch.setattr(stems, "import_module", lambda name: newer)
    with pytest.raises(InputError, match="pip install 'PyStemmer>=2,<3'"):
        snowball("english")


def test_no_pystemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(stems, "import_module", absent)
    with pytest.raises(MissingExtraError) as caught:
        snowball("english")
    message = str(caught.value)
    assert message.startswith("METEOR's stage 'stem' (pip install 'PyStemmer<3' is enough for it; stages=exact does")
    assert message.endswith("needs an optional package: pip install 'mtassay[meteor]'")
