"""Conversion of link-parser's links between words to trees.

- A tree grows from the left wall, over links in either direction, along the cheapest path to every word. A link from a
  head to its dependent (``_HEAD_IS_RIGHT`` has the directions) costs 1, a link from a dependent to its head 3. Links
  that only mark the first noun of a clause or attach punctuation cost 10 (``_WEAK``), so that the head of a subject is
  its verb and not the conjunction or the wall. If several paths have the same cost, the one with the shortest last link
  wins, then the one to the word further left.
- The relation is the type of the link, which is its capital letters: ``Ss*b`` is ``S``. Roots have ``root``.
- A punctuation mark (``.`` between two sentences) is never a head: its dependents get the head of the mark. A mark
  without a head gets the last root before it, or else the first root. A word without links is a root with the relation
  ``null``.
- Universal parts of speech come from links for prepositions, determiners and pronouns (``_tag``), else from the
  subscripts of link-parser's dictionary: ``.n`` noun, ``.v`` verb and so on.
- Constituents are link-parser's own, with a universal part of speech around each word.
"""

from __future__ import annotations

import heapq
import re
from typing import NamedTuple

from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES, FULL, PARTIAL, UPOS, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.trees import DependencyTree

#: Increase when these rules change, so that texts are parsed again.
RULES = 2
LAYERS = frozenset({UPOS, DEPENDENCIES, CONSTITUENTS})

_WORDS = re.compile(r"^\[\((LEFT-WALL\).*?)\)\]$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[(\d+) (\d+) \d+ \(([^)]*)\)\]")
_GUESS = re.compile(r"\[(?:!(?:<([^>]*)>)?|\?|~|&)\]")
_SUBSCRIPT = re.compile(r"(?<=.)\.((?:#[^\s.]+|[a-z])[a-z0-9-]*)$")
_CAPITALS = re.compile(r"[A-Z]+")
_BRACKET_TOKENS = re.compile(r"[()]|[^\s()]+")
_BRACES = str.maketrans("()[]", "{}{}")
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "_"})

_TYPES = (
    "A AN AL D DD DG DT DP E EA EB EC EE EF EI EL EN EZ G GN H L LA LE N ND NM NN NS NW PH S SF SX CO CP TA YP YS Y JG "
    "SJl VJl MJl AJl RJl QJl"
)
#: Types of links whose right end is the head; for all others it is the left end.
_HEAD_IS_RIGHT = frozenset(_TYPES.split())
_WEAK = frozenset({"W", "C", "X", "RW", "CC", "QU", "ZZZ"})
_DOWN, _UP, _FAR = 1, 3, 10

#: First letters of subscripts.
_TAGS = {
    **dict.fromkeys("nsupixtc", "NOUN"),
    **dict.fromkeys("vwqg", "VERB"),
    **dict.fromkeys("mfblo", "PROPN"),
    **dict.fromkeys("erh", "ADV"),
    **{"a": "ADJ", "d": "DET"},
}
_CONJUNCTIONS = frozenset({"and", "or", "but", "nor"})
_PERSONS = "i you he she it we they me him her us them myself yourself himself herself itself ourselves themselves"
_OTHERS = "this that these those who whom which what one someone anyone everyone nobody something nothing"
_PRONOUNS = frozenset(f"{_PERSONS} {_OTHERS}".split())


class _Link(NamedTuple):
    left: int
    right: int
    kind: str


def parsed(section: str) -> Annotations:
    """The first linkage that link-parser printed for a text.

    >>> section = '''(S (NP the dog.n) (VP barks.v))
    ...
    ... [(LEFT-WALL)(the)(dog.n)(barks.v)(RIGHT-WALL)]
    ... [[0 3 0 (WV)][0 2 0 (Wd)][1 2 0 (Ds**c)][2 3 0 (Ss*s)]]
    ... [0]
    ... '''
    >>> found = parsed(section)
    >>> found.dependencies.heads, found.dependencies.tags, found.dependencies.relations
    ((2, 3, 0), ('DET', 'NOUN', 'VERB'), ('D', 'S', 'root'))
    >>> found.constituents.labels
    ('S', 'NP', 'DET', 'NOUN', 'VP', 'VERB')
    """
    match = _WORDS.search(section)
    if match is None:
        return Annotations.missing(LAYERS)
    raw = match[1].replace("\n", "").split(")(")
    links = [
        _Link(int(left), int(right), kind)
        for left, right, kind in _LINK.findall(section[match.end() :].partition("\n[0]\n")[0])
    ]
    n = len(raw) - (raw[-1] == "RIGHT-WALL")  # position 0 is the left wall
    links = [link for link in links if link.right < n]
    if n < 2 or not all(0 <= link.left < link.right for link in links):
        return Annotations.missing(LAYERS)
    nulls = {i for i in range(1, n) if _is_null(raw[i])}
    words = [_form(word, is_null=i in nulls) for i, word in enumerate(raw[:n])]
    tags = [_tag(i, raw[i], words[i], links) for i in range(n)]
    tree = _tree(words, tags, links, nulls)
    line = next((line for line in section.splitlines() if line.startswith("(")), "")
    brackets = _brackets(line, raw[1:n], words[1:], tags[1:])
    constituents = next(iter(bracket_trees([brackets], "link-parser")), None)
    return Annotations.of_trees(tree, constituents, state=PARTIAL if nulls else FULL)


def _is_null(word: str) -> bool:
    return len(word) > 2 and word[0] == "[" and word[-1] == "]"


def _form(word: str, *, is_null: bool) -> str:
    """The word without link-parser's marks.

    >>> [_form(word, is_null=False) for word in ("dog.n", "Novák[!<CAPITALIZED-WORDS>]", "bleh[!<S-WORDS>].v", "e.g.")]
    ['dog', 'Novák', 'bleh', 'e.g.']
    >>> [_form(word, is_null=False) for word in ("than.#then-ij", "example.com[!]")]
    ['than', 'example.com']
    """
    if is_null:
        return word[1:-1]
    guess = _GUESS.search(word)
    # A guessed word has its subscript after the mark; a subscript before it is part of the word.
    return word[: guess.start()] if guess else _SUBSCRIPT.sub("", word)


def _type(kind: str) -> str:
    """The type of a link: its capital letters and, for conjunctions (``SJls``, ``SJrs``), the side."""
    match = _CAPITALS.match(kind)
    if match is None:
        return kind.lstrip("_") or "X"
    letters = match[0]
    return (
        kind[: len(letters) + 1]
        if letters.endswith("J") and kind[len(letters) : len(letters) + 1] in {"l", "r"}
        else letters
    )


def _tag(i: int, raw: str, word: str, links: list[_Link]) -> str:
    """The universal part of speech of word `i`."""
    if not any(char.isalnum() for char in word):
        return "PUNCT"
    subscript = _SUBSCRIPT.search(raw)
    letter = subscript[1][0].replace("#", "") if subscript else ""
    rightward = {_type(link.kind) for link in links if link.left == i}
    leftward = {_type(link.kind) for link in links if link.right == i}
    if letter in {"", "p", "r", "d"}:
        if rightward & {"J", "JG", "MG"} or (letter == "r" and rightward & {"I"}):
            return "PART" if "I" in rightward and "J" not in rightward else "ADP"
        if rightward & {"D", "DD", "DG", "DP"}:
            return "DET"
        if letter in {"", "p"} and word.lower() in _PRONOUNS:
            return "PRON"
    guess = _GUESS.search(raw)
    if not letter and guess is not None and guess[1]:
        if "CAPITALIZED" in guess[1] or guess[1] == "ALL-UPPER":
            return "PROPN"
        return "NUM" if word[0].isdigit() else "NOUN"
    if word[0].isdigit():
        return "NUM"
    if letter:
        is_conjunction = letter == "j" or word.lower() in _CONJUNCTIONS
        return "CCONJ" if is_conjunction else "INTJ" if subscript and subscript[1] == "ij" else _TAGS.get(letter, "X")
    if leftward & {"O", "J", "AN", "A", "D"} or "S" in rightward:
        return "NOUN"
    return "ADV" if leftward & {"MV", "P", "EB"} or rightward & {"E", "EA", "EB"} else "X"


def _cost(kind: str, *, rightwards: bool) -> int:
    """Cost of following a link from one end to the other."""
    if kind == "WV":
        return _DOWN
    if kind in _WEAK:
        return _FAR
    return _DOWN if (kind in _HEAD_IS_RIGHT) != rightwards else _UP


def _tree(words: list[str], tags: list[str], links: list[_Link], nulls: set[int]) -> DependencyTree:
    """Heads by the cheapest paths from the left wall, which is word 0."""
    ways: dict[int, list[tuple[int, str, int]]] = {}
    for left, right, full in links:
        kind = _type(full)
        ways.setdefault(left, []).append((right, kind, _cost(kind, rightwards=True)))
        ways.setdefault(right, []).append((left, kind, _cost(kind, rightwards=False)))
    n = len(words)
    heads, relations = [0] * n, ["root"] * n
    done: set[int] = set()
    # Start from the wall, then from words that no link connects to it.
    for start in range(n):
        queue = [(0, 0, start, 0, "null" if start in nulls else "root")]
        while queue:
            cost, _, word, head, relation = heapq.heappop(queue)
            if word in done:
                continue
            done.add(word)
            heads[word], relations[word] = head, relation
            for other, kind, step in ways.get(word, ()):
                if other not in done:
                    heapq.heappush(queue, (cost + step, abs(other - word), other, word, kind))
    _hang_from_words(heads, relations, tags)
    # The side of a conjunction follows from the order of words, so relations leave it out.
    kinds = [relation[:-1] if relation[-2:] in {"Jl", "Jr"} else relation for relation in relations]
    return DependencyTree(tuple(words[1:]), tuple(heads[1:]), tuple(tags[1:]), tuple(kinds[1:]))


def _hang_from_words(heads: list[int], relations: list[str], tags: list[str]) -> None:
    """Replace punctuation marks as heads, of words and of marks, by words if there are any."""
    is_mark = [tag == "PUNCT" for tag in tags]
    for word in range(1, len(heads)):
        while heads[word] and is_mark[heads[word]]:
            heads[word] = heads[heads[word]]
    roots = [word for word in range(1, len(heads)) if not heads[word] and not is_mark[word]]
    roots = [word for word in roots if relations[word] != "null"] or roots
    for word in range(1, len(heads)):
        if heads[word]:
            continue
        if is_mark[word] and roots:
            heads[word] = max((root for root in roots if root < word), default=roots[0])
        elif relations[word] != "null":
            relations[word] = "root"


def _brackets(line: str, raw: list[str], words: list[str], tags: list[str]) -> str:
    """link-parser's constituents with a part of speech around each word; words that it leaves out are omitted."""
    # link-parser writes brackets of the text as braces.
    shown = [word.translate(_BRACES) for word in raw]
    pieces: list[str] = []
    position = 0
    for token in _BRACKET_TOKENS.findall(line):
        if token in "()":
            pieces.append(token)
        elif pieces and pieces[-1] == "(":
            pieces[-1] = f"({token}"
        elif token in shown[position:]:
            position = shown.index(token, position) + 1
            word = words[position - 1].translate(_ESCAPES)
            pieces.append(f"({tags[position - 1]} {word})")
    return " ".join(pieces).replace(" )", ")")
