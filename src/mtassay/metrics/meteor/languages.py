"""The languages of METEOR 1.5, by its own short names."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import SpecError, did_you_mean, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping


TABLE = "table"


class Profile(NamedTuple):
    """What METEOR supports for a language.

    Attributes:
        name: name of its files (``function/english.words``).
        stemmer: the Snowball algorithm, `TABLE` for a list of words with their stems, or None.
        is_normalised: whether ``-norm`` supports the language.
        has_function_words: whether its list of function words is not empty.
    """

    name: str
    stemmer: str | None
    is_normalised: bool = False
    has_function_words: bool = False

    def needs_data(self, stage: str) -> bool:
        """Whether a stage needs METEOR's data, not only words and a stemmer."""
        return stage in {"synonym", "paraphrase"} or (stage == "stem" and self.stemmer == TABLE)


LANGUAGES: Mapping[str, Profile] = MappingProxyType(
    {
        "en": Profile("english", "english", is_normalised=True, has_function_words=True),
        "cz": Profile("czech", None, is_normalised=True, has_function_words=True),
        "fr": Profile("french", "french", is_normalised=True, has_function_words=True),
        "es": Profile("spanish", "spanish", is_normalised=True, has_function_words=True),
        "de": Profile("german", "german", is_normalised=True, has_function_words=True),
        "ru": Profile("russian", "russian", is_normalised=True, has_function_words=True),
        "ar-bw-red": Profile("arabic-buckwalter-reduced", TABLE),
        "pt": Profile("portuguese", "portuguese"),
        "da": Profile("danish", "danish"),
        "ro": Profile("romanian", "romanian"),
        "hu": Profile("hungarian", "hungarian"),
        "tr": Profile("turkish", "turkish"),
        "fi": Profile("finnish", "finnish"),
        "nl": Profile("dutch", "dutch"),
        "it": Profile("italian", "italian"),
        "no": Profile("norwegian", "norwegian"),
        "se": Profile("swedish", "swedish"),
        "other": Profile("other", None),
    }
)
_ALIASES = {"cs": "cz", "sv": "se"} | {profile.name: code for code, profile in LANGUAGES.items()}


def of_target(target: str) -> str:
    """METEOR's short name of a target language; ``other`` for a language that METEOR does not know.

    >>> of_target("cs"), of_target("zh")
    ('cz', 'other')
    """
    try:
        return canonical(target)
    except SpecError:
        return "other"


def canonical(language: str) -> str:
    """Return METEOR's short name of a language.

    >>> canonical("en"), canonical("cs"), canonical("Swedish")
    ('en', 'cz', 'se')
    """
    name = language.lower()
    name = _ALIASES.get(name, name)
    if name not in LANGUAGES:
        message = unknown_name(
            "language of METEOR", language, LANGUAGES, hint=did_you_mean(name, [*LANGUAGES, *_ALIASES])
        )
        raise SpecError(f"{message}; 'other' stands for the rest")
    return name
