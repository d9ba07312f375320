from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.learn import model_file
from mtassay.learn.model_file import LearnedModel, load_model
from mtassay.learn.models import CLASSIFICATION, COMPARISON, MODELS, PREFERENCE, fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 3))
FACTS = {"name": "made", "sha256": "0" * 64, "n_references": 2}


def _model(name: str) -> LearnedModel:
    kind = MODELS[name]
    target = X[:, 0] - X[:, 1]
    if kind.framing in {CLASSIFICATION, COMPARISON}:
        target = (target > 0).astype(int)
    elif kind.framing == PREFERENCE:
        order = np.argsort(-target)
        target = np.stack([order[:-1], order[1:]])
    # Comparisons of two outputs have as many columns: one of the source, one of each output.
    features = ("source_words", "words") if kind.framing == COMPARISON else ("bleu", "chrf", "ter")
    return LearnedModel(fit(kind, kind.candidates()[0], X, target), features, FACTS)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    _model("svr").save(tmp_path / "m.model")
    return tmp_path / "m.model"


def _rewritten(path: Path, changes: dict[str, bytes], *, honest: bool = False) -> Path:
    """The file with other members; `honest` puts the sum right, as somebody who means harm would."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members |= changes
    if honest:
        about = json.loads(members.pop("mtassay.json"))
        about.pop("sha256")
        about["sha256"] = model_file._sum(members, about)
        members["mtassay.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def _packed(array: np.ndarray, *, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


def _about(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as archive:
        return dict(json.loads(archive.read("mtassay.json")))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_loaded_models_score_the_same(name: str, tmp_path: Path) -> None:
    model = _model(name)
    digest = model.save(tmp_path / "m.model")
    loaded = load_model(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.fitted.scores(X), model.fitted.scores(X))
    assert (loaded.features, loaded.trained_on, loaded.digest) == (model.features, FACTS, digest)
    assert loaded.signature == model.signature
    assert "|refs:2|" in model.signature
    assert len(digest) == 64


def test_saving_is_reproducible(tmp_path: Path) -> None:
    paths = [tmp_path / "a.model", tmp_path / "b.model"]
    assert len({_model("svr").save(path) for path in paths}) == 1
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(saved: Path, share: float) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=r"m\.model is (not loaded: it is not a model file, or is cut short|empty)"):
        load_model(saved)


def test_any_changed_byte_is_refused_or_changes_nothing(saved: Path) -> None:
    """Names and times in the archive's own directory matter to nobody; everything else is under the sum."""
    content = saved.read_bytes()
    expected = load_model(saved).fitted.scores(X)
    for place in range(0, len(content), max(1, len(content) // 120)):
        saved.write_bytes(content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :])
        try:
            loaded = load_model(saved)
        except InputError as error:
            assert "m.model is not loaded" in str(error)  # noqa: PT017 (either is right)
        else:
            np.testing.assert_array_equal(loaded.fitted.scores(X), expected)


def _commented(content: bytes) -> bytes:
    return content[:-2] + b"\x04\x00junk"


def test_members_that_lie_before_the_file(saved: Path) -> None:
    content = saved.read_bytes()
    # The end of an archive says where its directory begins.
    saved.write_bytes(content[:-6] + (1 << 30).to_bytes(4, "little") + content[-2:])
    with pytest.raises(InputError, match="it is not a model file, or is cut short"):
        load_model(saved)


@pytest.mark.parametrize(
    "changed",
    [lambda content: b"junk" + content, lambda content: content + b"junk", _commented, lambda content: content * 2],
    ids=["before", "after", "comment", "twice"],
)
def test_more_bytes_than_the_members_are_refused(saved: Path, changed: Callable[[bytes], bytes]) -> None:
    saved.write_bytes(changed(saved.read_bytes()))
    with pytest.raises(
        InputError, match=r"m\.model is not loaded: (its size is not that of its members|it is not a model file)"
    ):
        load_model(saved)


def test_a_changed_member_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        array = next(name for name in archive.namelist() if name.endswith(".npy"))
        content = bytearray(archive.read(array))
    content[-1] ^= 1
    with pytest.raises(InputError, match="changed or damaged; train it again"):
        load_model(_rewritten(saved, {array: bytes(content)}))


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize(("what", "value"), [("version", "0.99.7"), ("scikit-learn", "1.2.0")])
def test_models_of_other_versions_score_the_same(name: str, what: str, value: str, tmp_path: Path) -> None:
    model, path = _model(name), tmp_path / "m.model"
    model.save(path)
    about = {**_about(path), what: value}
    loaded = load_model(_rewritten(path, {"mtassay.json": json.dumps(about).encode()}, honest=True))
    np.testing.assert_array_equal(loaded.fitted.scores(X), model.fitted.scores(X))
    assert loaded.versions[what] == value
    assert value in loaded.signature


def test_models_need_no_scikit_learn_to_score(saved: Path) -> None:
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from mtassay.learn import load_model\n"
        f"print(load_model({str(saved)!r}).fitted.scores([[0.5, 0.25, 1]]).item())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) == _model("svr").fitted.scores([[0.5, 0.25, 1]]).item()


@pytest.mark.parametrize(
    ("what", "value", "message"),
    [
        (
            "schema",
            "mtassay.model/99",
            r"its format is 'mtassay\.model/99', but this program knows only 'mtassay\.model/2'",
        ),
        ("schema", 10**4000, r"its format is 10{5,20}\.\.\.0{5,20}, but this program"),
        ("kind", "forest", "does not know its form, kind of model or features"),
        ("kind", "ridge", "other parameters than its kind"),
        ("features", ["bleu", "chrf", "nonsense"], "does not know its form, kind of model or features"),
        ("features", ["bleu", "chrf"], r"mean has the shape \(3,\) instead of \(2,\)"),
    ],
)
def test_other_formats_and_forms_are_refused(saved: Path, what: str, value: object, message: str) -> None:
    about = {**_about(saved), what: value}
    with pytest.raises(InputError, match=message):
        load_model(_rewritten(saved, {"mtassay.json": json.dumps(about).encode()}, honest=True))


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("features", [1, [2]]),
        ("features", ["bleu", "bleu", "chrf"]),
        ("kind", ["svr"]),
        ("offset", "abc"),
        ("offset", float("nan")),
        ("spread", None),
        ("parameters", None),
        ("parameters", {"C": "1"}),
        ("trained_on", {}),
        ("trained_on", None),
        ("trained_on", {**FACTS, "language": 7}),
        ("trained_on", {**FACTS, "n_references": "2"}),
        ("trained_on", {**FACTS, "n_references": -1}),
        ("trained_on", {**FACTS, "language": "en\n"}),
        ("trained_on", {**FACTS, "sha256": "\x1f"}),
        ("trained_on", {**FACTS, "sha256": "0" * 64 + "\n"}),
        ("trained_on", {**FACTS, "resources": {"trees": "x|y"}}),
        ("spread", 0),
        ("version", 2),
        ("scikit-learn", "a|b"),
    ],
)
def test_descriptions_of_another_form_are_refused(saved: Path, what: str, value: object) -> None:
    about = {**_about(saved), what: value}
    with pytest.raises(InputError, match="does not know its form, kind of model or features"):
        load_model(_rewritten(saved, {"mtassay.json": json.dumps(about).encode()}, honest=True))


def test_members_of_another_form_are_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for changes, message in (
        ({"evil.py": b"1"}, "its members are not those of a model"),
        ({"coef.npy": b"[]"}, "its content has another form"),
        ({"more.npy": _packed(np.ones(3))}, "it has other arrays than its kind of model"),
        ({"coef.npy": _packed(np.array(["x"], dtype=object), pickled=True)}, "an array is of another type"),
        ({"coef.npy": _packed(np.ones(3)).replace(b"(3,)", b"(9,)")}, "its content has another form"),
        ({"mtassay.json": b"[]"}, "cannot be read"),
    ):
        saved.write_bytes(whole)
        with pytest.raises(InputError, match=message):
            load_model(_rewritten(saved, changes, honest="mtassay.json" not in changes))


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    import pickle

    path = tmp_path / "m.model"
    path.write_bytes(pickle.dumps([1, 2, 3]))
    with pytest.raises(InputError, match="not a model file"):
        load_model(path)
    with pytest.raises(InputError, match=r"no\.model"):
        load_model(tmp_path / "no.model")


def test_another_archive_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", coef=np.ones(3))
    with pytest.raises(InputError, match="is not loaded: it"):
        load_model(tmp_path / "m.npz")
