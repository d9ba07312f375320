"""Which inputs are streamed, and under which parameter names."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import are_large_inputs, note_english

if TYPE_CHECKING:
    import argparse


def may_stream(args: argparse.Namespace) -> bool:
    """Whether the inputs can be streamed: all are line files, and no option needs all segments at once."""
    needs_all = (
        args.test_set, args.origlang, args.subset, args.systems, args.references, args.include_references,
    )  # fmt: skip
    refs, systems = [*args.refs, *args.more_refs], args.input or []
    about = [path for path in (args.source, args.documents, args.domains) if path is not None]
    if any(needs_all) or not refs:
        return False
    from mtassay.data import is_test_set
    from mtassay.data.text_stream import has_lines

    if any(is_test_set(path, n_ref_columns=args.num_refs) for path in refs):
        return False
    # Without -i, outputs come from standard input. With several references, the last may be meant as a system.
    is_piped = len(refs) == 1 and sys.stdin is not None and not sys.stdin.closed and not sys.stdin.isatty()
    if not systems and (args.input is not None or not is_piped):
        return False
    return all(map(has_lines, (*refs, *systems, *about)))


def may_stream_resamples(args: argparse.Namespace) -> bool:
    """Whether inputs can be compared as a stream: no option and no metric needs all segments at once."""
    from mtassay.io.inputs import can_reread

    if not are_large_inputs(args) or args.runs or args.interval != "percentile" or not may_stream(args):
        return False
    from mtassay.metrics.core.spec import parse_all
    from mtassay.stats.procedures import Procedure
    from mtassay.verbs.score_files import can_stream

    if Procedure(args.test[0], args.sides).rule.theirs or not can_reread([*args.refs, *args.more_refs][0]):
        return False
    return all(map(can_stream, parse_all(args.metrics, args.language_pair)))


def stream_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """The inputs, under the parameter names of ``score_files`` and ``compare_files``."""
    note_english(args, args.language_pair)
    return {
        "references": [*args.refs, *args.more_refs],
        "systems": args.input or ["-"],
        "source": args.source,
        "documents": args.documents,
        "domains": args.domains,
        "names": args.names,
        "lp": args.language_pair,
        "encoding": args.encoding,
        "n_ref_columns": args.num_refs,
    }


def of_streams(options: dict[str, Any]) -> dict[str, Any]:
    """The options of tests that streams support: runs and BCa intervals need all segments at once."""
    return {name: value for name, value in options.items() if name not in {"runs", "interval"}}
