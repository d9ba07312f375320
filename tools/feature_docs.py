"""Rewrite the tables in docs/learn-features.md from the table of features.

Usage: python tools/feature_docs.py
"""

from __future__ import annotations

from pathlib import Path

from mtassay.learn.features import CORPUS, ERRORS, FEATURE_SETS, FEATURES, FREE, MODERN, STRINGS, TREEBANK, TREES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "learn-features.md"
BEGIN = "<!-- The rest is made by tools/feature_docs.py. -->\n"


def tables() -> str:
    """The generated part of the page."""
    groups = (STRINGS, TREES, CORPUS, TREEBANK)
    of_group = {group: [feature for feature in FEATURES.values() if feature.group == group] for group in groups}
    sizes = ", ".join(f"`{name}` {len(names)}" for name, names in FEATURE_SETS.items())
    parts = [f"Sizes of the sets: {sizes}. Groups of `full`:\n"]
    parts.append("\n".join(f"- {group}: {len(features)}" for group, features in of_group.items()) + "\n")
    of_group[FREE] = [feature for feature in FEATURES.values() if feature.group == FREE]
    for group, features in of_group.items():
        rows = [f"## {group.capitalize()} ({len(features)})", ""]
        rows += ["| feature | | needs | from | choices |", "|---|---|---|---|---|"]
        for feature in features:
            needs = ", ".join(feature.needs)
            read = f"{feature.citation}; `{feature.metric}`" if feature.metric else feature.citation
            rows.append(f"| `{feature.name}` | {feature.formula} | {needs} | {read} | {feature.reason} |")
        parts.append("\n".join(rows) + "\n")
    parts.append("`cross:METRIC` is such a feature for every other metric of texts, too.\n")
    modern = [f"`{name}`" for name in FEATURE_SETS["modern"]]
    title = f"## {MODERN.capitalize()} ({len(modern)})"
    parts.append(f"{title}\n\nThe score of the segment under each of: {', '.join(modern)}.\n")
    errors = [f"`{name}`" for name in FEATURE_SETS["terrorcat"]]
    title = f"## {ERRORS[0].capitalize()}{ERRORS[1:]} ({len(errors)})"
    what = "Errors of Addicter (`a`) and Hjerson (`h`) by class of the word's tag, from lemmas and tags"
    parts.append(f"{title}\n\n{what}: {', '.join(errors)}.\n")
    return "\n".join(parts)


if __name__ == "__main__":
    written = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    PAGE.write_text(f"{written}{BEGIN}\n{tables()}", encoding="utf-8")
