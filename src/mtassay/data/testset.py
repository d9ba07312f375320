"""TestSet: references and system outputs of the same segments, with what is known about the segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.references import check_references, check_texts, default_reference_names
from mtassay.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Systems = Mapping[str, Iterable[str]] | Iterable[tuple[str, Iterable[str]]]

_SYSTEMS_FORM = 'give {"name": [output of segment 1, output of segment 2, ...], ...}'


@dataclass(frozen=True, repr=False)
class TestSet:
    """N segments with R references and the outputs of S systems; `TestSet.build` checks and freezes.

    Attributes:
        references: R × N texts; a missing reference is None, never "".
        systems: N texts per system name, in the order given.
        sources: N source texts.
        documents: N document labels; a label alone identifies a document.
        domains: N domain labels.
        ids: N segment identifiers.
        reference_names: R names.
        name: What the set is called in reports.
    """

    __test__ = False  # the name begins with "Test": keeps pytest from collecting it

    references: tuple[tuple[str | None, ...], ...]
    systems: dict[str, tuple[str, ...]]
    sources: tuple[str, ...] | None
    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    reference_names: tuple[str, ...]
    name: str | None

    @classmethod
    def build(
        cls,
        references: Iterable[Iterable[str | None]],
        systems: Systems,
        *,
        sources: Iterable[str] | None = None,
        documents: Iterable[str] | None = None,
        domains: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        reference_names: Iterable[str] | None = None,
        name: str | None = None,
    ) -> TestSet:
        """Check every shape and freeze; `systems` is a mapping or a list of (name, outputs) pairs.

        >>> testset = TestSet.build([["the cat", "a dog"]], {"A": ["the cat", "dog"]}, documents=["d1", "d2"])
        >>> testset.n_segments, testset.n_references
        (2, 1)
        """
        outputs = _freeze_systems(systems)
        n_segments, whose = _agreed_length(outputs)
        streams = check_references(references, n_segments, whose=whose)
        n = len(streams[0])

        def per_segment(values: Iterable[str] | None, what: str) -> tuple[str, ...] | None:
            return None if values is None else check_texts(values, what, n_segments=n)

        return cls(
            references=streams,
            systems=outputs,
            sources=per_segment(sources, "sources"),
            documents=per_segment(documents, "documents"),
            domains=per_segment(domains, "domains"),
            ids=per_segment(ids, "ids"),
            reference_names=_check_reference_names(reference_names, len(streams)),
            name=name,
        )

    @property
    def n_segments(self) -> int:
        """Number of segments N."""
        return len(self.references[0])

    @property
    def n_references(self) -> int:
        """Number of references R."""
        return len(self.references)

    def select(self, *, systems: Iterable[str]) -> TestSet:
        """Keep the systems named, in the order named.

        >>> both = TestSet.build([["x"]], {"A": ["x"], "B": ["y"]})
        >>> list(both.select(systems=["B"]).systems)
        ['B']
        """
        if isinstance(systems, str):
            raise InputError(f"systems is a single string; give a list of names: [{systems!r}]")
        chosen: dict[str, tuple[str, ...]] = {}
        for name in systems:
            if name not in self.systems:
                hint = did_you_mean(name, self.systems) or f"; there are: {', '.join(self.systems) or 'none'}"
                raise InputError(f"no system named {name!r}{hint}")
            if name in chosen:
                raise InputError(f"system {name!r} is named twice")
            chosen[name] = self.systems[name]
        return replace(self, systems=chosen)

    def groups(self, by: str) -> list[tuple[str, NDArray[np.int64]]]:
        """Segment indices (0-based, ascending) by 'doc' or 'domain', in order of first appearance.

        >>> testset = TestSet.build([["x", "y", "z"]], {}, documents=["d1", "d2", "d1"])
        >>> [(label, indices.tolist()) for label, indices in testset.groups("doc")]
        [('d1', [0, 2]), ('d2', [1])]
        """
        if by not in ("doc", "domain"):
            raise InputError(f"cannot group by {by!r}; group by 'doc' or 'domain'")
        labels = self.documents if by == "doc" else self.domains
        if labels is None:
            what = "document" if by == "doc" else "domain"
            raise InputError(
                f"the test set has no {what} labels; give {what}s= one label per segment, "
                f"a --{what}s file with one label per line, or a {by!r} column or key"
            )
        members: dict[str, list[int]] = {}
        for index, label in enumerate(labels):
            members.setdefault(label, []).append(index)
        return [(label, np.array(indices, dtype=np.int64)) for label, indices in members.items()]

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{n} {noun}{'' if n == 1 else 's'}"
            for n, noun in (
                (self.n_segments, "segment"),
                (self.n_references, "reference"),
                (len(self.systems), "system"),
            )
        )
        return f"TestSet({counts})" if self.name is None else f"TestSet({self.name!r}: {counts})"


def _freeze_systems(systems: object) -> dict[str, tuple[str, ...]]:
    if isinstance(systems, str | bytes) or not isinstance(systems, Iterable):
        raise InputError(f"systems is a {type(systems).__name__}; {_SYSTEMS_FORM}")
    pairs = systems.items() if isinstance(systems, Mapping) else systems
    outputs: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InputError(f"systems is a list without names; {_SYSTEMS_FORM}")
        name, texts = pair
        check_name(name, "system")
        if name in outputs:
            raise InputError(f"two systems are named {name!r}; give each system a name of its own")
        outputs[name] = check_texts(texts, f"system {name!r}")
    return outputs


def check_name(name: object, what: str) -> None:
    """Refuse names that no table or file can show."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{name!r} is no name for a {what}; give a non-empty str")
    if any(c in name for c in "\t\n\r\0"):
        raise InputError(f"the {what} name {name!r} holds a tab, line break or NUL; rename it")


def _agreed_length(outputs: dict[str, tuple[str, ...]]) -> tuple[int | None, str]:
    """Length of the outputs; refuses systems of unequal lengths."""
    if not outputs:
        return None, ""
    first, *others = outputs
    n = len(outputs[first])
    for other in others:
        if len(outputs[other]) != n:
            raise InputError(
                f"system {other!r} has {len(outputs[other])} segments, system {first!r} has {n}; "
                "every system needs one output per segment"
            )
    if n == 0:
        raise InputError(f"there are no segments: system {first!r} has no outputs")
    return n, f"system {first!r}"


def _check_reference_names(names: Iterable[str] | None, n_references: int) -> tuple[str, ...]:
    if names is None:
        return default_reference_names(n_references)
    frozen = check_texts(names, "reference_names")
    if len(frozen) != n_references:
        raise InputError(f"{len(frozen)} reference names for {n_references} references")
    for name in frozen:
        check_name(name, "reference")
        if frozen.count(name) > 1:
            raise InputError(f"two references are named {name!r}; give each a name of its own")
    return frozen
