"""Parts of trees by brute force, each as a nested tuple."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mtassay.data.trees import ConstituentTree, DependencyTree


def brute_chains(tree: DependencyTree, n: int) -> Counter[Any]:
    """Chains of `n` words, each followed by its head."""
    found: Counter[Any] = Counter()
    for start in range(1, len(tree.words) + 1):
        chain: list[str] = []
        position = start
        while position and len(chain) < n:
            chain.append(tree.words[position - 1].lower())
            position = tree.heads[position - 1]
        if len(chain) == n:
            found[tuple(chain)] += 1
    return found


def brute_subtrees(tree: DependencyTree | ConstituentTree, depth: int) -> Counter[Any]:
    """Sub-trees cut off at `depth`, of nodes with as many levels."""

    def children(node: int) -> list[int]:
        return [other for other, parent in enumerate(tree.parents) if parent == node]

    def height(node: int) -> int:
        return 1 + max((height(child) for child in children(node)), default=0)

    def cut(node: int, levels: int) -> Any:
        below = tuple(cut(child, levels - 1) for child in children(node)) if levels > 1 else ()
        return (tree.labels[node].lower(), below)

    return Counter(cut(node, depth) for node in range(len(tree.labels)) if height(node) >= depth)
