"""Learned metrics (Albrecht & Hwa 2007) on WMT data: what they gain, what they need, where they carry over.

Parts of the studies are kept in the cache folder, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from learned_czech import numbering
from learned_data import (
    ASSESSED,
    EXECUTION,
    assessed,
    assessed_together,
    assessed_too,
    czech,
    german21,
    german23,
    german23_scores,
    german23_texts,
    only,
)
from learned_facts import about_adequacy, about_czech_parses, about_length, about_people, about_systems
from learned_findings import gains, in_words
from learned_judges import judges, judges_table
from learned_kinds import kinds, kinds_table
from learned_preferences import preferences, preferences_table
from tables import markdown

from mtassay.learn.curve import curve
from mtassay.learn.generalise import sets, systems
from mtassay.learn.grid import grid
from mtassay.learn.matrix import Resources
from mtassay.learn.nested import nested
from mtassay.learn.training import train
from mtassay.report.documents.learn_train import GAMING, gaming_table
from mtassay.report.render.markdown import table_text
from mtassay.report.wording import signed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mtassay.learn.generalise import CrossResult
    from mtassay.learn.training import Gaming
    from mtassay.learn.training_data import Material
    from mtassay.results import Result

REGRESSORS = ("svr", "ridge", "trees")
T = TypeVar("T")


@dataclass
class Clock:
    """Runs studies and keeps how long each took.

    Attributes:
        seconds: by study, in the order in which they ran.
        results: what each found.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)

    def __call__(self, about: str, study: Callable[..., T], *args: Any, **options: Any) -> T:
        """What a study finds; its name and what it is about name the row."""
        started = perf_counter()
        found = study(*args, execution=EXECUTION, **options)
        name = f"{study.__name__}: {about}"
        self.seconds[name], self.results[name] = perf_counter() - started, found
        return found

    def of(self, study: str) -> dict[str, Any]:
        """The results of a study, by what they are about."""
        kept = f"{study}: "
        return {name.removeprefix(kept): found for name, found in self.results.items() if name.startswith(kept)}

    def table(self) -> str:
        """A row for each study."""
        return markdown(("study", "seconds"), [(name, f"{took:.0f}") for name, took in self.seconds.items()])


def run(data: Path) -> str:
    """The page."""
    clock = Clock()
    started = perf_counter()
    for make in (german21, german23, czech, assessed_too):
        make(data)
    assessed(data, (ASSESSED,))
    clock.seconds["features of all sets"] = perf_counter() - started
    gaming = _gaming(data)
    details = [
        *_gains(data, clock),
        *_amounts(data, clock),
        *_likeness(data, clock),
        *_elsewhere(data, clock),
        *_rankings(data, clock),
        *_judges(data, clock),
        "## Sentences that are fluent and wrong",
        _strangers(gaming),
        "## How long it takes",
        _TIMES,
        clock.table(),
    ]
    (rankings,), (judged,) = clock.of("preferences").values(), clock.of("judges").values()
    grids = list(clock.of("grid").values())
    findings = [gains(clock.of("nested")), in_words(clock.of("nested"), grids, rankings, judged, gaming)]
    return "\n\n".join([_INTRODUCTION, "## Findings", *findings, *details])


def draw(data: Path, folder: Path) -> None:
    """Figures 1 and 2 of the paper on WMT21 English-German; parts of the studies are in the cache by then."""
    old = german21(data)
    curve(old, ["small", "modern"], execution=EXECUTION).plot(folder / "learned-curve.svg")
    grid(_plain(old), execution=EXECUTION).plot(folder / "learned-grid.svg")


def _page(result: Result) -> str:
    return result.render("markdown")


def _plain(made: Material) -> Material:
    """The modern features, beside the standard metrics that every set has."""
    return only(replace(made, baselines={name: made.baselines[name] for name in ("BLEU", "METEOR")}), "modern")


def _gains(data: Path, clock: Clock) -> list[str]:
    new, old, spanish, both = german23(data), _plain(german21(data)), assessed(data, (ASSESSED,)), czech(data)
    together = assessed_together(data)
    return [
        "## What learning gains",
        _page(clock("WMT23 en-de, modern", nested, new)),
        about_length(data, new),
        _page(clock("WMT21 en-de, modern", nested, old)),
        about_people(old),
        about_adequacy(data, only(spanish, "full")),
        _page(clock("WMT13 es-en, modern", nested, _plain(spanish))),
        _page(clock("WMT13 es-en, full", nested, only(spanish, "full"))),
        _TOGETHER,
        _page(clock("WMT13 five pairs, modern", nested, only(together, "modern"))),
        _page(clock("WMT13 five pairs, full", nested, only(together, "full"))),
        _KINDS,
        kinds_table(clock("WMT13, modern and full", kinds, [spanish, together])),
        numbering(data),
        _page(clock("WMT21 cs-en, modern", nested, _plain(both))),
        about_czech_parses(data, only(both, "full")),
        _page(clock("WMT21 cs-en, full", nested, only(both, "full"))),
    ]


def _amounts(data: Path, clock: Clock) -> list[str]:
    spanish = assessed(data, (ASSESSED,))
    return [
        "## How many judgements it takes",
        "![Learning curves](learned-curve.svg)",
        _page(clock("WMT21 en-de, small and modern", curve, german21(data), ["small", "modern"])),
        _page(clock("WMT13 es-en, small, full and modern", curve, spanish, ["small", "full", "modern"])),
        _page(clock("WMT21 cs-en, small and full", curve, czech(data), ["small", "full"])),
    ]


def _likeness(data: Path, clock: Clock) -> list[str]:
    return [
        "## Telling people from machines is another task",
        "![Accuracy against correlation](learned-grid.svg)",
        _page(clock("WMT21 en-de, modern", grid, _plain(german21(data)))),
        _page(clock("WMT21 cs-en, full", grid, only(czech(data), "full"))),
    ]


def _elsewhere(data: Path, clock: Clock) -> list[str]:
    old, new, both = _plain(german21(data)), german23(data), czech(data)
    spanish, others = assessed(data, (ASSESSED,)), assessed_too(data)
    full, full_others, full_czech = only(spanish, "full"), [only(made, "full") for made in others], only(both, "full")
    modern_others = [_plain(made) for made in others]
    of_full = clock("from WMT13 es-en, full", sets, full, full_others, models=REGRESSORS)
    of_modern = clock("from WMT13 es-en, modern", sets, _plain(spanish), modern_others, models=REGRESSORS)
    return [
        "## Other pairs, years and systems",
        _SETS,
        "With the features of the paper:",
        _page(of_full),
        _beyond(of_full),
        "With the modern features:",
        _page(of_modern),
        _beyond(of_modern),
        "From and to `wmt21/cs-en`, with the features of the paper and with the modern ones:",
        _page(clock("from WMT21 cs-en, full", sets, full_czech, [full, full_others[-1]])),
        _page(clock("from WMT21 cs-en, modern", sets, _plain(both), [old, new])),
        _page(clock("from WMT23 en-de, modern", sets, new, [_plain(both), old], models=["svr"])),
        about_systems(full),
        _page(clock("from WMT21 en-de to WMT23 en-de, modern", systems, old, new)),
        _page(clock("from WMT13, four pairs, to es-en, full", systems, full_others[-1], full)),
        _page(clock("from WMT21 cs-en to WMT13 es-en, full", systems, full_czech, full)),
    ]


def _beyond(found: CrossResult) -> str:
    """What models gain over METEOR on the last test set, with intervals over resamples of segments."""
    last, standard = found.trials[-1], found.columns.index("METEOR")
    gains = [(name, last.difference(place, standard)) for place, name in enumerate(found.columns) if place != standard]
    rows = [(name, signed(gain.value), f"[{signed(gain.low)}, {signed(gain.high)}]") for name, gain in gains]
    return f"Over METEOR on {found.rows[-1]}:\n\n" + markdown(("metric", "gain", "95 % interval"), rows)


def _rankings(data: Path, clock: Clock) -> list[str]:
    found = clock("WMT12 and WMT13, modern, with features", preferences, data)
    return ["## Learned from rankings", _RANKINGS, preferences_table(found)]


def _judges(data: Path, clock: Clock) -> list[str]:
    found = clock("WMT23 en-de, modern", judges, data)
    return ["## Judges brought to one scale", _JUDGES.format(n=f"{found[0].n_outputs:,}"), judges_table(found)]


def _gaming(data: Path) -> Gaming:
    resources = Resources(language="de")
    result = train(
        german23_texts(data), german23_scores(data), features=["modern"], resources=resources, strangers=True
    )
    assert result.gaming is not None
    return result.gaming


def _strangers(gaming: Gaming) -> str:
    return f"{GAMING}\n\n{table_text(gaming_table(gaming))}"


_INTRODUCTION = """\
# Learned metrics on WMT13, WMT21 and WMT23

Computed by `studies/learned.py`. Outputs of people are left out. Every model, set of features, parameter and single
feature is chosen on training folds alone ([learn.md](../learn.md)). Intervals are over resampled segments. The paper's
own test (1000 resamples of outputs, paired t at 99.8 %) stands beside them; it calls almost any difference significant,
because resamples are not new data."""

_TOGETHER = """\
The same with all five pairs that were assessed. A segment of WMT13 is the same in all of them, and so is its reference:
its outputs are in the same fold, whatever their source language."""

_KINDS = """\
These sets are small: kind, parameters and features are chosen by the correlation on a sixth of four fifths of the
segments, 50 of es-en and 82 of all, where chance alone moves ρ by a tenth or so. Below is what comes out where the kind
of model is given and only the rest is chosen; all rows are shown, and none was picked."""

_SETS = """\
Trained on the direct assessments of WMT13 es-en and tested on those of other pairs of the same year. All pairs have
the same segments and English references; segments that are trained on are left out of the tests."""

_RANKINGS = """\
Logistic regression on differences of the modern features, trained on strict preferences between two outputs: the idea
behind LogReg and TerrorCat of the WMT13 metrics task, with no claim to be these systems. Kendall's τ as WMT13 has it
(ties of a metric are ignored) on the preferences of another set; 95 % intervals draw its segments. The best feature is
the one with the best τ on the training set, where a tie counts as half right. WMT12 and WMT13 have no
reference in common; the pairs of one year have the same segments and references, so that the last two rows are not as
clean."""

_JUDGES = """\
Scores with the names of judges and with texts are not among the data: files of WMT07 to WMT11 have judges and no
outputs, WMT12 and WMT13 rankings and no scores, WMT21 means over judges. So five campaigns of annotation of
WMT23 en-de stand for judges: two by ESA, two by ESA after a machine had marked errors, all from 0 to 100, and one by
MQM, from 0 downwards. Targets are their scores as they are (`mean`), standardised for each judge (`z`) or mapped to
their places among the judge's own (`even`), averaged over all judges; or those of one judge for each segment, by
turns, as when work is shared. The metric (SVR, modern features, five folds by segment) is compared with MQM of the
metrics task on {n} outputs, which is none of the five."""

_TIMES = """\
Seconds in the run that made this page, on two cores that had other work to do, too, with nothing in the cache but
METEOR's tables. Features are computed once for all studies, except those of rankings; most of their time is parsing."""
