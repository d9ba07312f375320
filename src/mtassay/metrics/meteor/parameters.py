"""METEOR 1.5's parameters for every language and task."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import SpecError
from mtassay.metrics.meteor.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping


class Parameters(NamedTuple):
    """Parameters of the score; a weight is None if METEOR has none for that stage."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    exact: float | None
    stem: float | None
    synonym: float | None
    paraphrase: float | None


STAGES = ("exact", "stem", "synonym", "paraphrase")
#: rank: ranking, adq: adequacy, hter: human-targeted edit rate, util: usefulness for post-editing, li: any language,
#: tune: tuning of a translation system, universal: languages with a paraphrase table only.
TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")

#: Tuned on judgements of one language.
_OF_LANGUAGE: Mapping[tuple[str, str], Parameters] = MappingProxyType(
    {
        ("en", "rank"): Parameters(0.85, 0.2, 0.6, 0.75, 1.0, 0.6, 0.8, 0.6),
        ("en", "adq"): Parameters(0.75, 1.4, 0.45, 0.7, 1.0, 1.0, 0.6, 0.8),
        ("en", "hter"): Parameters(0.4, 1.5, 0.35, 0.55, 1.0, 0.2, 0.6, 0.8),
        ("en", "util"): Parameters(0.65, 0.1, 0.55, 0.65, 1.0, 0.0, 0.0, 0.8),
        ("cz", "rank"): Parameters(0.95, 0.2, 0.6, 0.8, 1.0, None, None, 0.4),
        ("fr", "rank"): Parameters(0.9, 1.4, 0.6, 0.65, 1.0, 0.2, None, 0.4),
        ("es", "rank"): Parameters(0.65, 1.3, 0.5, 0.8, 1.0, 0.8, None, 0.6),
        ("de", "rank"): Parameters(0.95, 1.0, 0.55, 0.55, 1.0, 0.8, None, 0.2),
        ("ru", "rank"): Parameters(0.75, 1.4, 0.7, 0.5, 1.0, 0.5, None, 0.5),
    }
)
#: Meant for any language.
_OF_TASK: Mapping[str, Parameters] = MappingProxyType(
    {
        "li": Parameters(0.75, 1.4, 0.7, 0.5, 1.0, 0.5, 0.5, 0.5),
        "tune": Parameters(0.5, 1.0, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5),
        "universal": Parameters(0.7, 1.4, 0.3, 0.7, 1.0, None, None, 0.6),
    }
)


def tasks_of(language: str) -> list[str]:
    """The tasks that METEOR has parameters for; the first one is its default.

    >>> tasks_of("de"), tasks_of("it")
    (['rank', 'li', 'tune', 'universal'], ['li', 'tune', 'universal'])
    """
    return [task for task in TASKS if task in _OF_TASK or (language, task) in _OF_LANGUAGE]


def parameters_of(language: str, task: str) -> Parameters:
    """METEOR's parameters, or an error that lists the known tasks."""
    if task in _OF_TASK:
        return _OF_TASK[task]
    if (language, task) not in _OF_LANGUAGE:
        known = ", ".join(tasks_of(language))
        raise SpecError(f"meteor has no parameters for task={task} with lang={language} (tasks: {known})")
    return _OF_LANGUAGE[language, task]


def stages_of(language: str, task: str, *, has_paraphrases: bool, has_data: bool = True) -> tuple[str, ...]:
    """METEOR's default stages, without those that lack data.

    Args:
        language: METEOR's short name.
        task: the task.
        has_paraphrases: whether there is a paraphrase table; ignored for English, which needs one.
        has_data: False to use no data on purpose, even for English.

    >>> stages_of("en", "rank", has_paraphrases=True)
    ('exact', 'stem', 'synonym', 'paraphrase')
    >>> stages_of("fr", "rank", has_paraphrases=False)
    ('exact', 'stem')
    >>> stages_of("en", "rank", has_paraphrases=False, has_data=False)
    ('exact', 'stem')
    """
    profile = LANGUAGES[language]
    if not has_data:
        found = stages_of(language, task, has_paraphrases=False)
        return tuple(stage for stage in found if not profile.needs_data(stage))
    if task == "universal":
        return ("exact", "paraphrase")
    if language == "en":
        return STAGES
    stages = ["exact"]
    if profile.stemmer is not None:
        stages.append("stem")
    if has_paraphrases and (language, "rank") in _OF_LANGUAGE:
        stages.append("paraphrase")
    return tuple(stages)
