"""Commands of pages that no test runs, with the reason."""

from __future__ import annotations

import re

NETWORK = "needs a network"
INSTALLS = "installs; .ci/run does"
MODEL = "needs a package or a model that is not on PyPI, or is very large"

#: Page (or "" for all), a pattern of the command, and why it is not run.
NOT_RUN = (
    ("docs/scale.md", r"scheduler\.json|tcp://", "needs a cluster; tests/unit/execution starts one"),
    ("", r"\s(-t|--download|--list|--cite)(\s|$)|s3://", NETWORK),
    ("", r"spacy:|stanza:|comet|metricx|bertscore|bleurt|eflomal", MODEL),
    ("", r" …( |$)", "a pattern of commands"),
    ("docs/agreement.md", r"esa\.jsonl", "a file of an ESA campaign"),
    ("docs/metaeval.md", r"xcomet\.jsonl", "spans that a neural metric marked"),
    ("docs/judge.md", r"mtassay humans pilot\.db", "needs answers of judges; the page has a simulated campaign"),
    ("docs/tune.md", r"moses -f", "needs a decoder; tests/unit/tuning has such"),
    ("", r"pip install", INSTALLS),
    ("", r"make \w+", "make: .ci/run"),
    (
        "docs/shell.md",
        r"^eval|~/|^man ",
        "changes a shell or the home folder; tests/unit/cli has the scripts and manual pages",
    ),
)


def reason_not_to_run(page: str, command: str) -> str | None:
    """Why a command of a page is not run; None if it is."""
    for where, pattern, reason in NOT_RUN:
        if where in ("", page) and re.search(pattern, command):
            return reason
    return None
