"""Arguments about human judgements shared by several verbs, and how to read judgements from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.data import TestSet
    from mtassay.data.error_spans import ErrorSpans
    from mtassay.data.judgements import Preferences, Rankings, Scores


def add_judgements(group: argparse._ArgumentGroup) -> None:
    """Add options for reading files of judgements; each verb adds the argument that names the files."""
    group.add_argument(
        "--judgement-format",
        metavar="FORMAT",
        # Written out: the readers load NumPy, which help and manual pages do without. A test compares.
        help="rankings, items, tasks, pairs, acceptance, da, mqm, hits, appraise, scores, spans, ratings, tsv or "
        "jsonl (default: recognised by the first line)",
    )
    group.add_argument(
        "--task",
        help="which task of the file to use: rank, constituent, acceptability, adequacy, fluency, or a value of the "
        "column aspect",
    )
    group.add_argument("--domain", help="which domain of the file to use")
    group.add_argument("--column", metavar="NAME", help="the column with the scores (default: Z.SCR or score)")
    group.add_argument(
        "--rename",
        nargs="+",
        default=[],
        metavar="OLD=NEW",
        help="rename systems in the judgements; OLD= leaves a system out",
    )
    group.add_argument(
        "--joined", action="store_true", help='keep outputs judged once for several systems ("a+b") as one system'
    )
    group.add_argument(
        "--ignore-unknown", action="store_true", help="leave out judged systems that the test set does not have"
    )


def add_span_weights(group: argparse._ArgumentGroup) -> None:
    """Add the option for the weights of errors."""
    group.add_argument(
        "--span-weights",
        nargs="+",
        metavar="RULE",
        help="score outputs by their error spans: mqm, esa, or rules SEVERITY[/CATEGORY]=WEIGHT such as minor=1 "
        "major=5 '*/source issue=0'; rules after mqm or esa change it (default: the judges' overall scores if there "
        "are any, else mqm)",
    )


def add_test_set(group: argparse._ArgumentGroup) -> None:
    """Add options for an optional test set."""
    group.add_argument("-l", "--language-pair", metavar="SRC-TGT", help="which language pair of the file to use")
    group.add_argument("-e", "--encoding", default="utf-8", help="encoding of the files (default: %(default)s)")
    group.add_argument("--test-set", metavar="PATH", help="check systems and segments against this test set")


def read_test_set(args: argparse.Namespace) -> TestSet | None:
    """Read the test set that the options of `add_test_set` name."""
    from mtassay.data import load

    return None if args.test_set is None else load(args.test_set, lp=args.language_pair, encoding=args.encoding)


def check_judgements_given(args: argparse.Namespace) -> None:
    """Refuse the options of `add_judgements` if there is no ``--judgements``, which they would read."""
    given = {
        "--judgement-format": args.judgement_format,
        "--task": args.task,
        "--domain": args.domain,
        "--column": args.column,
        "--rename": args.rename,
        "--joined": args.joined,
        "--ignore-unknown": args.ignore_unknown,
    }
    flag = next((flag for flag, value in given.items() if value), None)
    if flag is not None and not args.judgements:
        raise MtassayError(f"{flag} says how judgements are read: also give --judgements FILE")


def read_judged(
    path: str, args: argparse.Namespace, *, lp: str | None = None, testset: TestSet | None = None
) -> Rankings | Preferences | Scores | ErrorSpans:
    """Read one file of judgements.

    Args:
        path: the file.
        args: the options of `add_judgements`, and ``encoding``. Every system of ``--rename`` must be in the file,
            unless there are several files.
        lp: the language pair to read, if a file has several.
        testset: must contain the judged systems and segments.
    """
    from mtassay.data import load_judgements

    return load_judgements(
        path,
        format=args.judgement_format,
        lp=lp,
        task=args.task,
        domain=args.domain,
        column=args.column,
        split=not args.joined,
        testset=testset,
        ignore_unknown=args.ignore_unknown,
        rename=_renamed(args.rename),
        rename_all=not _has_several_files(args),
        encoding=args.encoding,
    )


def _has_several_files(args: argparse.Namespace) -> bool:
    """Whether judgements are in several files, or about several test sets (which come without ``-i``)."""
    sets = [] if getattr(args, "input", None) is not None else [*getattr(args, "refs", ())]
    return max(len(getattr(args, "files", ())), len(sets)) > 1


def _renamed(given: list[str]) -> dict[str, str | None]:
    rename: dict[str, str | None] = {}
    for text in given:
        old, equals, new = text.rpartition("=")
        if not equals or not old:
            raise MtassayError(f"--rename {text}: write OLD=NEW, or OLD= to leave a system out")
        if old in rename:
            raise MtassayError(f"--rename names {old} twice")
        rename[old] = new or None
    return rename
