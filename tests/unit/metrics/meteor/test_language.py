"""What is loaded for a language, from where, and what is said where something is missing."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest

from mtassay.errors import InputError, MissingExtraError, SpecError
from mtassay.metrics.meteor import LANGUAGES, canonical, load_language, normalise
from mtassay.metrics.meteor.synonyms import Synonyms
from mtassay.text import get_tokenizer

EXACT = ("exact",)


@pytest.fixture
def packed(unpacked: Path, tmp_path: Path) -> Path:
    """The same data with a jar in place of the folders."""
    folder = tmp_path / "packed"
    folder.mkdir()
    with ZipFile(folder / "meteor-1.5.jar", "w") as jar:
        for path in unpacked.rglob("*.*"):
            if path.is_file() and path.parent.name != "data":
                jar.write(path, path.relative_to(unpacked).as_posix())
    shutil.copytree(unpacked / "data", folder / "data")
    return folder


@pytest.mark.parametrize("layout", ["unpacked", "packed"])
def test_all_stages_from_a_folder(layout: str, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("Stemmer")
    language = load_language("en", folder=request.getfixturevalue(layout))
    assert language.function_words == {"the", "of", ","}
    assert language.stem(["running", "dogs"]) == ["run", "dog"]
    offsets, ids = language.synsets(["children", "toddlers", "dogs", "x"])
    assert (offsets.dtype.name, ids.dtype.name) == ("int64", "int32")
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == [[20], [20], [11, 12], []]
    assert language.paraphrases is not None
    assert language.paraphrases.longest == 3


def test_the_environment_names_the_folder(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_METEOR", str(unpacked))
    assert load_language("en", stages=EXACT).function_words == {"the", "of", ","}
    assert normalise("Mr. No. 5, No. X", "en") == "Mr. No. 5 , No . X"


def test_a_folder_goes_before_the_environment(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_METEOR", "/nowhere")
    assert load_language("en", folder=unpacked, stages=EXACT).function_words == {"the", "of", ","}


def test_the_name_of_a_tokenizer_carries_the_folder(unpacked: Path) -> None:
    assert get_tokenizer(f"meteor-en@{unpacked}")("Mr. X is No. 5") == ["mr.", "x", "is", "no.", "5"]
    assert get_tokenizer("meteor-en@none")("Mr. X is No. 5") == ["mr", ".", "x", "is", "no", ".", "5"]


def test_stems_from_a_list(unpacked: Path) -> None:
    language = load_language("ar-bw-red", folder=unpacked, stages=("exact", "stem"))
    assert language.stem(["wAl", "ktAb", "x"]) == ["wAliy", "kitAb", "x"]


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize("stages", [EXACT, ("exact", "stem", "synonym"), ("exact", "paraphrase")])
def test_missing_data_say_what_to_install_and_what_works(stages: tuple[str, ...]) -> None:
    with pytest.raises(MissingExtraError) as caught:
        load_language("en", stages=stages)
    message = str(caught.value)
    assert "pip install 'mtassay[meteor]'" in message
    assert "needs an optional package: pip install 'mtassay[meteor]' (data=FOLDER gives another place" in message
    assert "data=none uses no METEOR data: stages exact and stem" in message
    assert "data=FOLDER" in message
    assert len(message.splitlines()) == 1


@pytest.mark.usefixtures("no_package")
def test_missing_data_are_reported_by_the_tokenizer() -> None:
    with pytest.raises(MissingExtraError, match=r"normalisation for 'de'.*pip install"):
        get_tokenizer("meteor-de")


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize("code", [code for code, profile in LANGUAGES.items() if not profile.has_function_words])
def test_languages_without_function_words_need_no_data(code: str) -> None:
    assert load_language(code, stages=EXACT).function_words == frozenset()


@pytest.mark.usefixtures("no_package")
def test_without_data_on_purpose() -> None:
    pytest.importorskip("Stemmer")
    language = load_language("en", folder="none", stages=("exact", "stem"))
    assert language.function_words == frozenset()
    assert language.stem(["added"]) == ["ad"]
    assert language.paraphrases is None
    with pytest.raises(SpecError, match="stage 'synonym' for 'en' needs data, but data=none excludes them"):
        load_language("en", folder="none", stages=("exact", "synonym"))


def test_stages_that_were_not_loaded_are_refused() -> None:
    language = load_language("it", stages=EXACT)
    with pytest.raises(ValueError, match="stem"):
        language.stem(["a"])
    with pytest.raises(ValueError, match="synonym"):
        language.synsets(["a"])


@pytest.mark.parametrize("code", ["cz", "other"])
def test_languages_without_a_stemmer(code: str) -> None:
    with pytest.raises(SpecError, match=f"no stemmer for '{code}'"):
        load_language(code, folder="none", stages=("exact", "stem"))


def test_names_of_languages() -> None:
    assert [canonical(name) for name in ("cs", "sv", "Other", "German", "en")] == ["cz", "se", "other", "de", "en"]
    with pytest.raises(SpecError, match="no language of METEOR named 'englisch'; did you mean 'english'"):
        canonical("englisch")
    with pytest.raises(SpecError, match="no stage of METEOR named 'stems'; did you mean 'stem'"):
        load_language("en", stages=("stems",))


@pytest.mark.parametrize(
    ("name", "stages", "message"),
    [
        ("synonym/english.synsets", ("synonym",), "has no synonym/english.synsets, neither unpacked nor in a jar"),
        ("function/english.words", EXACT, "has no function/english.words"),
        ("data/paraphrase-en.gz", ("paraphrase",), "has no data/paraphrase-en.gz.*leave out the stage 'paraphrase'"),
    ],
)
def test_a_folder_that_lacks_a_file(unpacked: Path, name: str, stages: tuple[str, ...], message: str) -> None:
    (unpacked / name).unlink()
    with pytest.raises(InputError, match=message):
        load_language("en", folder=unpacked, stages=stages)


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere"):
        load_language("en", folder=tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"has none of METEOR's data: neither meteor-1\.5\.jar"):
        load_language("en", folder=tmp_path)
    (tmp_path / "meteor-1.5.jar").write_text("no zip")
    with pytest.raises(InputError, match=r"meteor-1\.5\.jar cannot be read"):
        load_language("en", folder=tmp_path)


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_variable_that_names_no_folder_of_data(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    must_name = r"MTASSAY_METEOR must name a folder with METEOR's data \(meteor-1\.5\.jar, data/paraphrase-XX\.gz\): "
    monkeypatch.setenv("MTASSAY_METEOR", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=rf"{must_name}there is no folder .*nowhere"):
        load_language(language, stages=EXACT)
    monkeypatch.setenv("MTASSAY_METEOR", str(tmp_path))
    with pytest.raises(InputError, match=rf"{must_name}.* has none of METEOR's data"):
        load_language(language, stages=EXACT)


def test_a_package_without_data_is_not_blamed_on_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.metrics.meteor.resources._package_folder", lambda: tmp_path)
    with pytest.raises(InputError, match=f"^{tmp_path} has none of METEOR's data"):
        load_language("en", stages=EXACT)


def test_files_that_are_not_utf8(unpacked: Path) -> None:
    (unpacked / "function/english.words").write_bytes(b"the\n\xff\n")
    with pytest.raises(InputError, match=r"function/english\.words is not UTF-8 \(byte 4\)"):
        load_language("en", folder=unpacked, stages=EXACT)


def test_base_forms_follow_wordnet() -> None:
    words = ["box", "glass", "man", "city", "go", "fine", "large", "bus", "is"]
    lines = [line for number, word in enumerate(words) for line in (word, str(number))]
    synonyms = Synonyms(lines, ["go", "went gone", "bus", "gone"])

    def found(word: str) -> list[int]:
        numbers: list[int] = synonyms.synsets([word])[1].tolist()
        return numbers

    assert found("boxes") == found("boxed") == found("boxing") == [0]
    assert found("glasses") == [1]
    assert found("men") == [2]  # "man", by the ending
    assert found("cities") == [3]
    assert found("went") == [4]
    assert found("gone") == [4, 7]  # every base form of the exceptions
    assert found("finer") == found("finest") == found("fined") == [5]
    assert found("goss") == []  # nothing is detached from ss
    assert found("is") == [8]
    assert found("larges") == [6]
