"""Semantic frames as MEANT compares them: a predicate and its role fillers, each a list of words.

Frames come from a role labeller (``Annotations.frames``), or are derived from dependency trees:

- Every word with the part of speech VERB is a predicate, except auxiliaries of another verb in link-grammar's trees.
- A dependent of the predicate fills the role that ``_ROLES`` gives for its relation; the filler is the whole sub-tree.
  A relation that is not in ``_ROLES`` fills no role.
- The English words ``not``, ``n't`` and ``never`` are negations (NEG); auxiliaries such as ``can`` and ``will`` are
  modals (MOD).

Relations are labels of Universal Dependencies, labels of spaCy's English models, or types of link-grammar's links. In
link-grammar's trees, the subject of an auxiliary counts as the subject of its main verb; they do not mark passive
verbs, so every subject is A0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import InputError

if TYPE_CHECKING:
    from mtassay.data.annotations import Annotations
    from mtassay.data.frames import Frame
    from mtassay.data.trees import DependencyTree

PREDICATE, OTHER = "V", "other"
#: Groups of roles, each with a weight of its own; the first is the predicate.
GROUPS = (PREDICATE, "A0", "A1", "A2", "TMP", "LOC", "CAU", OTHER)
_GROUP_OF = {
    **{name: name for name in ("A0", "A1", "A2", "TMP", "LOC", "CAU")},
    **{"BNF": "A2", "A3": "LOC", "A4": "LOC", "DIR": "LOC", "PNC": "CAU", "PRP": "CAU"},
}

_RELATIONS = {
    "A0": "nsubj csubj obl:agent agent S SX SF SI",
    "A1": "obj dobj nsubj:pass csubj:pass nsubjpass csubjpass ccomp xcomp O OX TH CV QI IV P",
    "A2": "iobj dative",
    "TMP": "obl:tmod nmod:tmod tmod npadvmod",
    "LOC": "obl:lmod",
    "ADV": "obl advmod advcl prep MV E EB CO PF N",
    "NEG": "neg",
    "MOD": "aux I",
}
_ROLES = {relation: role for role, relations in _RELATIONS.items() for relation in relations.split()}
_NEGATIONS = frozenset({"not", "n't", "never"})
_MODAL_FORMS = "can ca could may might must shall should will wo 'll would 'd"
_OTHER_FORMS = "am 'm are 're is 's was were be been being have 've has had having do does did"
_MODALS = frozenset(_MODAL_FORMS.split())
_AUXILIARIES = _MODALS | frozenset(_OTHER_FORMS.split())
#: Link-grammar's links between an auxiliary and its main verb, and its links of subjects.
_AUXILIARY_LINKS, _SUBJECT_LINKS = frozenset({"I", "PP", "P"}), frozenset({"S", "SX", "SF", "SI"})


class Argument(NamedTuple):
    """A predicate or role filler.

    Attributes:
        role: ``V`` for a predicate, else the role's label without ``AM-``.
        words: positions of its words, from 0, ascending.
    """

    role: str
    words: tuple[int, ...]

    @property
    def group(self) -> str:
        """The group that determines the weight."""
        return PREDICATE if self.role == PREDICATE else _GROUP_OF.get(self.role, OTHER)

    @property
    def key(self) -> str:
        """What must be equal for two fillers to match: the group, or the role itself if its group is ``other``."""
        return self.role if self.group == OTHER else self.group


#: Arguments of a frame, the predicate first.
Arguments = tuple[Argument, ...]


def labelled(frames: tuple[Frame, ...]) -> list[Arguments]:
    """Frames of a role labeller; a ``C-`` filler continues the last one of its role, ``R-`` fillers are left out."""
    found = []
    for frame in frames:
        fillers: list[Argument] = []
        for label, span in frame.roles:
            if label.startswith("R-"):
                continue
            role, words = label.removeprefix("C-").removeprefix("AM-"), tuple(range(*span))
            same = [i for i, filler in enumerate(fillers) if filler.role == role] if label.startswith("C-") else []
            if same:
                fillers[same[-1]] = Argument(role, tuple(sorted({*fillers[same[-1]].words, *words})))
            else:
                fillers.append(Argument(role, words))
        found.append((Argument(PREDICATE, tuple(range(*frame.predicate))), *fillers))
    return found


def derived(annotations: Annotations) -> list[Arguments] | None:
    """Frames from a dependency tree; None if there is no tree.

    >>> from mtassay.data.annotations import Annotations
    >>> tree = {"upos": ("PRON", "AUX", "VERB", "NOUN"), "relations": ("nsubj", "aux", "root", "obj")}
    >>> [frame] = derived(Annotations(words=("we", "can", "see", "cats"), heads=(3, 3, 0, 3), **tree))
    >>> [(argument.role, argument.words) for argument in frame]
    [('V', (2,)), ('A0', (0,)), ('MOD', (1,)), ('A1', (3,))]
    """
    tree = annotations.dependencies
    if tree is None:
        return None
    children: list[list[int]] = [[] for _ in tree.words]
    for word, head in enumerate(tree.heads):
        if head:
            children[head - 1].append(word)
    forms = [word.lower() for word in tree.words]
    linked = [word for word, relation in enumerate(tree.relations) if relation in _AUXILIARY_LINKS]
    auxiliaries = {word for word in linked if _is_auxiliary(tree, forms, word)}
    return [
        (Argument(PREDICATE, (word,)), *_fillers(tree, forms, children, auxiliaries, word))
        for word, tag in enumerate(tree.tags)
        if tag == "VERB" and word not in auxiliaries
    ]


def _is_auxiliary(tree: DependencyTree, forms: list[str], word: int) -> bool:
    """Whether a word with one of ``_AUXILIARY_LINKS`` is the auxiliary of its head, a verb."""
    head = tree.heads[word]
    return forms[word] in _AUXILIARIES and bool(head) and tree.tags[head - 1] == "VERB"


def _fillers(
    tree: DependencyTree, forms: list[str], children: list[list[int]], auxiliaries: set[int], verb: int
) -> list[Argument]:
    """Role fillers of a verb, including the subjects of its auxiliaries, in the order of positions."""
    found = []
    for word in children[verb]:
        if word in auxiliaries:
            subjects = [other for other in children[word] if tree.relations[other] in _SUBJECT_LINKS]
            found += [Argument("A0", _below(children, subject)) for subject in subjects]
        role = "NEG" if forms[word] in _NEGATIONS else _role(tree.relations[word])
        if role == "MOD":
            if forms[word] in _MODALS:
                found.append(Argument(role, (word,)))
        elif role is not None and word not in auxiliaries:
            found.append(Argument(role, _below(children, word)))
    return sorted(found, key=lambda argument: argument.words)


def _role(relation: str) -> str | None:
    """The role of a relation; an unknown subtype counts as the relation itself (``obl:arg`` as ``obl``)."""
    return _ROLES.get(relation) or _ROLES.get(relation.partition(":")[0])


def _below(children: list[list[int]], word: int) -> tuple[int, ...]:
    """A word and all words below it."""
    found = [word]
    for each in found:
        found += children[each]
        if len(found) > len(children):
            raise InputError("a dependency tree has a cycle")
    return tuple(sorted(found))
