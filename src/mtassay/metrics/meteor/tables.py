"""METEOR's data for the metric, and their digest for its signature."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from mtassay.errors import InputError, MissingExtraError
from mtassay.metrics.meteor import LANGUAGES, Language, load_language
from mtassay.metrics.meteor.paraphrases import table_identity
from mtassay.metrics.meteor.resources import WITHOUT, find_resources

if TYPE_CHECKING:
    from mtassay.metrics.meteor.metric import Meteor

_DIGITS = 8


def has_paraphrases(code: str, folder: str | None) -> bool:
    """Whether there is a paraphrase table; ``load_language`` reports other missing data."""
    if folder == WITHOUT:
        return False
    try:
        find_resources(folder, wanted_by="meteor").paraphrases(code)
    except (InputError, MissingExtraError):
        return False
    return True


@lru_cache(maxsize=4)
def language(code: str, folder: str | None, stages: tuple[str, ...]) -> Language:
    """The language, loaded once."""
    return load_language(code, folder=folder, stages=stages)


def function_words(metric: Meteor) -> frozenset[str]:
    """The words that count 1 - δ."""
    code = metric.function_language
    if code is None:
        return frozenset()
    stages = metric.stages_used if code == metric.lang else ("exact",)
    return language(code, metric.data, stages).function_words


def data_digest(metric: Meteor) -> str | None:
    """A digest of the data that scores depend on, in a few hexadecimal digits; the same for the jar and unpacked files.

    ``none`` if the metric uses no data on purpose; None if it needs no data, or if the data are not installed (then
    there are no scores either).
    """
    if metric.data == WITHOUT:
        return WITHOUT
    try:
        resources = find_resources(metric.data, wanted_by="meteor")
    except MissingExtraError:
        return None
    # An empty list changes nothing, so it counts as absent.
    found = [f"{name} {checksum}" for name in _files(metric) if (checksum := resources.checksum(name))]
    if "paraphrase" in metric.stages_used:
        found.append(f"paraphrase {table_identity(resources.paraphrases(metric.lang))}")
    return sha256("\n".join(found).encode()).hexdigest()[:_DIGITS] if found else None


def _files(metric: Meteor) -> list[str]:
    """The small files that scores depend on."""
    name = LANGUAGES[metric.lang].name
    files = []
    if metric.is_normalised:
        files.append(f"nonbreaking/{name}.prefixes")
    if metric.function_language is not None:
        files.append(f"function/{LANGUAGES[metric.function_language].name}.words")
    if "stem" in metric.stages_used and LANGUAGES[metric.lang].needs_data("stem"):
        files.append(f"stem/{name}.gz")
    if "synonym" in metric.stages_used:
        files += [f"synonym/{name}.synsets", f"synonym/{name}.exceptions"]
    return files
