"""``mtassay judge``: collecting human judgements in a browser."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mtassay.cli.actions import run_action
from mtassay.cli.arguments import Parser, add_inputs, read_inputs
from mtassay.cli.output import OutputFolder, add_output, finish
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Each action with the function that runs it and a description.
ACTIONS = {
    "new": ("mtassay.cli.judge:_new", "make a campaign from a test set: systems, segments, protocol, control items"),
    "invite": ("mtassay.cli.judge:_invite", "invite judges and print a personal link for each"),
    "serve": ("mtassay.cli.judge:_serve", "serve the pages, on this machine only by default"),
    "status": ("mtassay.cli.judge:_status", "show progress, pace, control results and agreement so far"),
    "edit": ("mtassay.cli.judge:_edit", "change instructions, or the number of judges per task"),
    "backup": ("mtassay.cli.judge:_backup", "copy the campaign while it runs"),
    "close": ("mtassay.cli.judge:_close", "stop accepting answers"),
    "export": ("mtassay.cli.judge:_export", "write the answers as tables, logs and a methods paragraph"),
}
_EXAMPLES = """\
  mtassay judge new news.db ref.txt -i hyp/*.txt --source src.txt -l de-en --protocol rank
  mtassay judge invite news.db ann ben
  mtassay judge serve news.db
  mtassay judge status news.db
  mtassay humans news.db
"""
_NEW = """\
  mtassay judge new news.db ref.txt -i hyp/*.txt --source src.txt -l de-en       five-way rankings
  mtassay judge new da.db wmt23 -l en-de --protocol da --segments 200 --sample document --judges-per-task 2
  mtassay judge new esa.db set.jsonl --protocol esa --task-size 20 --instructions guide.txt --pace 35
"""
_INVITE = """\
  mtassay judge invite news.db ann ben
  mtassay judge invite news.db --number 20 --url https://example.org/judge
  mtassay judge invite news.db --renew ann --disable ben
"""
_SERVE = """\
  mtassay judge serve news.db                                              on this machine only
  mtassay judge serve news.db --url https://example.org/judge              behind a proxy that adds HTTPS
  mtassay judge serve news.db --host 0.0.0.0 --port 443 --certificate chain.pem --key key.pem
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    description = "Collect human judgements in a browser."
    return run_action("judge", argv, ACTIONS, description=description, examples=_EXAMPLES)


def _parser(action: str, description: str, examples: str) -> Parser:
    parser = Parser(f"judge {action}", description, examples)
    parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's file, such as news.db")
    return parser


def _new(argv: list[str]) -> int:
    parser = _parser("new", "Make a campaign from a test set; texts are copied into its file.", _NEW)
    add_inputs(parser)
    _add_design(parser)
    add_output(parser)
    args = parser.parse_args(argv)
    from mtassay.collect.making import new

    if args.output is not None and os.path.realpath(args.output) == os.path.realpath(args.campaign):
        raise MtassayError(f"CAMPAIGN and -o name the same file: {args.campaign}")
    names = (
        *("protocol", "segments", "sample", "max_words", "screens", "judges_per_task", "task_size", "repeats"),
        *("training", "show", "aspect", "weights", "categories", "assignment", "tasks_per_judge", "lease", "name"),
        *("pace", "url", "seed"),
    )
    chosen = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if args.controls is not None:
        chosen["controls"] = args.controls == "yes"
    if args.instructions is not None:
        chosen["instructions"] = _text(args.instructions, args.encoding)
    plan = new(args.campaign, read_inputs(args), **chosen)
    with _showing_links("the campaign is made", f"mtassay judge edit {args.campaign} --new-organiser-link"):
        return finish(args, plan)


def _add_design(parser: argparse.ArgumentParser) -> None:
    design = parser.add_argument_group("what is judged")
    design.add_argument("--protocol", default="rank", help="rank, pair, da, likert, esa or mqm (default: rank)")
    design.add_argument("--segments", type=int, metavar="N", help="number of segments (default: all)")
    design.add_argument(
        "--sample", metavar="HOW", help="how segments are chosen: random, document or length (default: random)"
    )
    design.add_argument(
        "--max-words",
        type=int,
        metavar="N",
        help="words in the longest segment (default: 30 for rank and pair, else any)",
    )
    design.add_argument(
        "--screens", type=int, metavar="N", help="screens of rank and pair, without repeats (default: one per segment)"
    )
    design.add_argument(
        "--show",
        nargs="*",
        metavar="TEXT",
        help="texts to show beside outputs: source, reference (default: by protocol)",
    )
    design.add_argument("--aspect", help="what da judges: adequacy or fluency (default: adequacy)")
    design.add_argument(
        "--weights",
        nargs="+",
        metavar="SEVERITY=W",
        help="weights of errors in mqm (default: minor=1 major=5 critical=25)",
    )
    design.add_argument("--categories", nargs="+", metavar="NAME", help="error categories for mqm")
    work = parser.add_argument_group("who judges it")
    work.add_argument("--judges-per-task", type=int, metavar="K", help="judges who do each task (default: 1)")
    work.add_argument(
        "--task-size", type=int, metavar="N", help="screens in a task (default: rank, pair 20; da, likert 100; else 40)"
    )
    work.add_argument(
        "--assignment",
        metavar="HOW",
        help="pool: the next judge takes the next task; personal: tasks are dealt to invited judges (default: pool)",
    )
    work.add_argument(
        "--tasks-per-judge", type=int, metavar="N", help="maximum number of tasks of one judge (default: any)"
    )
    work.add_argument(
        "--lease", type=float, metavar="MINUTES", help="how long a started task is kept for its judge (default: 30)"
    )
    work.add_argument(
        "--pace", type=float, metavar="S", help="seconds per screen, from a pilot, to estimate the time needed"
    )
    control = parser.add_argument_group("quality control and instructions")
    control.add_argument(
        "--controls",
        choices=("yes", "no"),
        metavar="yes|no",
        help="add degraded outputs, repeats and references to tasks that collect scores (default: yes; no for mqm)",
    )
    control.add_argument(
        "--repeats", type=float, metavar="SHARE", help="share of screens of rank and pair to show twice (default: .1)"
    )
    control.add_argument(
        "--training", type=int, metavar="N", help="training screens before the first task (default: 2)"
    )
    control.add_argument(
        "--instructions", metavar="FILE", help="text file with instructions for judges; blank lines separate paragraphs"
    )
    control.add_argument("--name", help="name of the campaign, shown to judges (default: that of the test set)")
    control.add_argument("--url", help="address of the server as judges see it (default: http://127.0.0.1:8000)")
    control.add_argument("--seed", type=int, help="the same seed gives the same campaign (default: 12345)")


def _invite(argv: list[str]) -> int:
    parser = _parser("invite", "Invite judges and print their personal links. A link is shown only once.", _INVITE)
    parser.add_argument("judges", nargs="*", metavar="NAME", help="names of new judges")
    parser.add_argument("--number", type=int, metavar="N", help="this many new judges: judge-1, judge-2 …")
    parser.add_argument(
        "--renew",
        nargs="+",
        default=[],
        metavar="NAME",
        help="make new links for these judges; the old ones stop working",
    )
    parser.add_argument(
        "--disable", nargs="+", default=[], metavar="NAME", help="make the links of these judges stop working"
    )
    parser.add_argument("--enable", nargs="+", default=[], metavar="NAME", help="make disabled links work again")
    parser.add_argument("--url", help="address of the server as judges see it (default: that of the campaign)")
    args = parser.parse_args(argv)
    if args.judges and args.number is not None:
        raise MtassayError("give names of judges, or --number, not both")
    if not (args.judges or args.number is not None or args.renew or args.disable or args.enable):
        raise MtassayError("nobody to invite: give names, or --number")
    from mtassay.collect.judges import invite

    judges = args.judges if args.number is None else args.number
    given = {name: getattr(args, name) for name in ("renew", "disable", "enable", "url")}
    invitations = invite(args.campaign, judges, **given)
    with _showing_links("the judges are invited", f"mtassay judge invite {args.campaign} --renew NAME"):
        for invitation in invitations:
            print(f"{invitation.judge}\t{invitation.link}")
    return 0


def _serve(argv: list[str]) -> int:
    parser = _parser("serve", "Serve the pages of a campaign until interrupted.", _SERVE)
    add_address(parser)
    args = parser.parse_args(argv)
    from mtassay.collect.serving import serve

    names = ("host", "port", "url", "certificate", "key")
    serve(args.campaign, **{name: getattr(args, name) for name in names})
    return 0


def add_address(
    parser: argparse.ArgumentParser, *, visitors: str = "judges", example: str = "https://example.org/judge"
) -> None:
    """Add the options of a server; `visitors` (who opens its pages) and an `example` URL go into the help text."""
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine)")
    where.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    where.add_argument("--url", help=f"address as {visitors} see it, such as {example}; its path is the proxy's prefix")
    where.add_argument("--certificate", metavar="FILE", help="TLS certificate chain, for HTTPS without a proxy")
    where.add_argument("--key", metavar="FILE", help="private key of the certificate")


def _status(argv: list[str]) -> int:
    parser = _parser(
        "status", "Show progress, pace, control results and agreement so far.", "  mtassay judge status news.db"
    )
    output = add_output(parser)
    output.add_argument("--tasks", action="store_true", help="also show a row per task")
    args = parser.parse_args(argv)
    from mtassay.verbs.judge_status import status

    return finish(args, status(args.campaign), tasks=args.tasks)


def _edit(argv: list[str]) -> int:
    examples = (
        "  mtassay judge edit news.db --judges-per-task 3\n  mtassay judge edit news.db --instructions guide.txt\n"
    )
    parser = _parser(
        "edit", "Change a campaign, even while it runs. Tasks, screens and answers stay as they are.", examples
    )
    parser.add_argument("--name", help="new name")
    parser.add_argument("--instructions", metavar="FILE", help="new instructions")
    parser.add_argument("--judges-per-task", type=int, metavar="K", help="judges who do each task from now on")
    parser.add_argument(
        "--new-organiser-link", action="store_true", help="make a new link for the organiser; the old one stops working"
    )
    parser.add_argument("-e", "--encoding", default="utf-8", help="encoding of the file (default: %(default)s)")
    args = parser.parse_args(argv)
    if args.name is None and args.instructions is None and args.judges_per_task is None and not args.new_organiser_link:
        raise MtassayError("nothing to change: give --name, --instructions, --judges-per-task or --new-organiser-link")
    from mtassay.collect.maintenance import edit

    link = edit(
        args.campaign,
        name=args.name,
        instructions=None if args.instructions is None else _text(args.instructions, args.encoding),
        judges_per_task=args.judges_per_task,
        new_organiser_link=args.new_organiser_link,
    )
    if link is not None:
        print(link)
    changed = {"name": args.name, "instructions": args.instructions, "judges per task": args.judges_per_task}
    names = [name for name, value in changed.items() if value is not None]
    if names:
        print(f"mtassay: {args.campaign}: changed {', '.join(names)}", file=sys.stderr)
    return 0


def _backup(argv: list[str]) -> int:
    parser = _parser("backup", "Copy a campaign while it runs.", "  mtassay judge backup news.db news-monday.db")
    parser.add_argument("copy", metavar="COPY", help="the copy to make")
    args = parser.parse_args(argv)
    from mtassay.collect.maintenance import backup

    print(f"{args.copy}: {backup(args.campaign, args.copy):,} answers, with training and all revisions")
    return 0


def _close(argv: list[str]) -> int:
    parser = _parser("close", "Stop accepting answers. All given answers are kept.", "  mtassay judge close news.db")
    parser.add_argument("--reopen", action="store_true", help="accept answers again")
    args = parser.parse_args(argv)
    from mtassay.collect.maintenance import close

    close(args.campaign, reopen=args.reopen)
    state = (
        "open: answers are accepted again" if args.reopen else "closed: no more answers; --reopen accepts them again"
    )
    print(f"mtassay: {args.campaign} is {state}", file=sys.stderr)
    return 0


def _export(argv: list[str]) -> int:
    examples = "  mtassay judge export news.db -o news\n  mtassay judge export news.db --methods\n"
    parser = _parser("export", "Write the answers as tables and logs, or print a methods paragraph.", examples)
    parser.add_argument("-o", "--output", action=OutputFolder, metavar="FOLDER", help="new folder for the files")
    parser.add_argument(
        "--methods",
        action="store_true",
        help="print a paragraph for a paper that describes how judgements were collected",
    )
    parser.add_argument("--joined", action="store_true", help='keep systems with equal outputs as one system, "a+b"')
    args = parser.parse_args(argv)
    if args.joined and args.output is None:
        raise MtassayError("--joined is for the tables: also give -o FOLDER")
    if args.methods:
        from mtassay.collect.methods_paragraph import methods

        print(methods(args.campaign))
    if args.output is not None:
        from mtassay.collect.exporting import export

        for name in export(args.campaign, args.output, joined=args.joined):
            print(f"{args.output}/{name}", file=sys.stderr)
    elif not args.methods:
        raise MtassayError("nothing to export: give -o FOLDER, or --methods")
    return 0


@contextmanager
def _showing_links(done: str, renewal: str) -> Iterator[None]:
    """If links cannot be written, say what was done and how to get new ones: the campaign has only their hashes."""
    otherwise = f"{done}: for a new link run {renewal}"
    try:
        yield
        sys.stdout.flush()
    except MtassayError as error:
        raise MtassayError(f"{error}; {otherwise}") from None
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; {otherwise}", error.filename) from None


def _text(path: str, encoding: str) -> str:
    from mtassay.io.inputs import read_text

    return read_text(path, encoding=encoding).strip().replace("\r\n", "\n")
