"""What the page of learned metrics says about its sets, beside the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from learned_data import ASSESSED, assessed_texts, czech_texts, german23_texts, parsed

from mtassay.learn.search import rho

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.learn.training_data import Material


def about_length(data: Path, made: Material) -> str:
    """How far people's scores and features follow how short the reference is, by Spearman's ρ."""
    lengths = np.array([len(str(text)) for text in german23_texts(data).references[0]])
    short = np.where(np.isfinite(made.gold), -lengths, np.nan)
    found = {name: abs(rho(short, made.x[..., place])) for place, name in enumerate(made.features)}
    first, second = sorted(found, key=lambda name: -found[name])[:2]
    return _LENGTHS.format(
        of_people=f"{rho(made.gold, short):.2f}",
        feature=first,
        of_feature=f"{found[first]:.2f}",
        of_next=f"{found[second]:.2f}",
    )


def about_people(made: Material) -> str:
    """Mean chrF of people and of machines against all references but one."""
    place = made.features.index("chrf")
    people, machines = (f"{np.mean(values[..., place]):.1f}" for values in (made.people, made.machines))
    return _PEOPLE.format(people=people, machines=machines)


def about_adequacy(data: Path, made: Material) -> str:
    """How many outputs were assessed, and how many of them have parses."""
    texts = parsed(assessed_texts(data, [ASSESSED])[0], f"wmt13-da-{ASSESSED}")
    without = np.isnan(made.x[np.isfinite(made.gold)]).any(axis=-1)
    return _ADEQUACY.format(
        n_features=len(made.features),
        n_outputs=len(without),
        n_segments=made.n_segments,
        several=int((np.isfinite(made.gold).sum(axis=0) > 1).sum()),
        partial=texts["ref"].partial,
        without=int(without.sum()),
    )


def about_czech_parses(data: Path, made: Material) -> str:
    """How complete the parses of all texts are."""
    texts = parsed(czech_texts(data), "wmt21-cs-en")
    found = list(texts.values())
    return _CZECH_PARSES.format(
        n_features=len(made.features),
        n_sentences=f"{sum(text.full + text.partial + text.missing for text in found):,}",
        partial=f"{sum(text.partial for text in found):,}",
        missing=sum(text.missing for text in found),
    )


def about_systems(made: Material) -> str:
    """How many outputs of each system were assessed."""
    counts = np.isfinite(made.gold).sum(axis=1)
    return _SYSTEMS.format(low=counts.min(), high=counts.max())


_LENGTHS = """\
Much of this is length. MQM adds up errors, and segments of WMT23 are whole paragraphs: how short the reference is
correlates with people's scores by {of_people}, more than any feature. {feature} is the best feature because it follows
the length most ({of_feature}; no other feature more than {of_next}), and a learned metric finds the length out from
several features together. Within segments, where length is the same for all, it gains nothing (see the column)."""

_PEOPLE = """\
Regression and classification go different ways. Against the other references people's translations have a mean chrF of
{people}, machines' {machines}: people are freer, so that a classifier takes distance from the references for a mark of
people, and its scores fall where people see quality."""

_ADEQUACY = """\
The direct assessments of WMT13 (Graham et al.) are adequacy of single sentences, each the mean of 15 judgements or
more, and into English, so that all {n_features} features of the paper can be had. There are {n_outputs} outputs of
{n_segments} segments of es-en, and one reference; {several} segments have several outputs, which are in the same fold.
The corpus is English references of WMT12 and WMT15. Of the references {partial} have words that no link of
link-grammar's parse leads to; {without} outputs have no parse. With few outputs per segment the column within segments
says little."""

_CZECH_PARSES = """\
On the {n_features} features of the paper, with parses by link-grammar: of {n_sentences} sentences {partial} have words
that no link leads to and {missing} have no parse."""

_SYSTEMS = """\
By system, with the best and the worst training system left out in turn. Systems of WMT13 es-en have {low} to {high}
assessed outputs each, so that their rows vary much by chance."""
