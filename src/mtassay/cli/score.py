"""``mtassay score``: systems × metrics in one table. sacreBLEU's options keep their names and letters."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import Parser, add_execution, add_inputs, add_metrics, are_large_inputs, read_inputs, width
from mtassay.cli.output import OutputFile, add_output, finish, writing
from mtassay.errors import MtassayError
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mtassay.execution import Progress
    from mtassay.metrics import Metric
    from mtassay.verbs.sacrebleu_tests import PairedResult
    from mtassay.verbs.score import ScoreResult, SystemScores
    from mtassay.verbs.score_files import StreamedScores

_EXAMPLES = """\
  mtassay score ref.txt -i sysA.txt sysB.txt -m bleu chrf ter
  cat hyp.txt | mtassay score ref.txt -b                   print only the number
  mtassay score refA refB -i hyp/* -m bleu:tok=intl RAC1   two references; metrics with options
  mtassay score ref.txt -i a.txt -m bleu chrf -sl > a.tsv  scores of segments
  mtassay score ref.gz -i a.gz -m bleu -sl -f parquet -o a.parquet  files of any size, read as a stream
  mtassay score ref.txt -i base.txt a.txt b.txt --paired-bs  test against the first system, as sacreBLEU does
  mtassay score ref.txt -i hyp/* --by doc --documents docs.txt
  mtassay score -i A.txt B.txt C.txt -m cross:bleu         metrics that need no references
  mtassay score -i A.txt --source src.txt -m cometkiwi     the same by a neural model (pip install 'mtassay[comet]')
  mtassay score ref.txt -i A.txt --source src.txt -m xcomet --spans errors.jsonl
  mtassay score wmt23 -l en-de -m bleu chrf -f json        a folder in the mt-metrics-eval layout
  mtassay score -t wmt24 -l en-de -i hyp.txt               a test set of sacreBLEU, downloaded on first use
  mtassay score -t wmt24 -l en-de --echo src > src.txt     its source texts, to translate
"""
#: A text with this many lines that end in a separate full stop looks tokenised.
_TOKENISED_LINES = 100


def run(argv: list[str], *, help_of: str = "mtassay score") -> int:
    """Run the verb; errors about arguments name the help of the command `help_of`."""
    parser = _parser()
    parser.help_of = help_of
    args = parser.parse_args(argv)
    if args.version:
        from mtassay.cli.version import version_line

        print(version_line())
        return 0
    if args.list_metrics:
        return _list_metrics(args)
    _check_output(args)
    if not _is_paired(args) and not args.spans and are_large_inputs(args):
        from mtassay.cli.streams import may_stream
        from mtassay.verbs.score_files import can_stream

        if may_stream(args) and all(map(can_stream, metrics := _metrics(args, args.language_pair))):
            return _stream(args, metrics)
    from mtassay.verbs.score import score

    testset = read_inputs(args)
    metrics = _metrics(args, testset.language_pair)
    if args.spans:
        from mtassay.verbs.score import marking_metric

        marking_metric(metrics)  # raises before any work is done
    if not args.quiet:
        from mtassay.verbs.score import count_full_stops

        counts = map(count_full_stops, testset.systems.values())
        _Tokenised(metrics, force=args.force).warn(testset.systems, counts)
    result = score(
        testset, metrics=metrics, by=args.by, threads=args.threads, execution=args.execution, progress=_bar("scoring")
    )
    if not args.quiet:
        _warn_of_gaps(result)
    if args.spans:
        from mtassay.data.formats.judgements.writing import write_judgements

        write_judgements(result.error_spans(), args.spans, format="jsonl")
    if _is_paired(args):
        return finish(args, _paired(result, args), width=args.width, short=args.short)
    if args.sentence_level:
        with _writing_segments(args) as write:
            write(1, result)
        return 0
    return _finish(result, args)


def _warn_of_gaps(result: ScoreResult) -> None:
    """Warn if systems lack external scores of different segments, so that their means are of different segments."""
    external = [
        table
        for table in result.tables
        if table.metric.level == "segment" and any(part.name == "file" for part in table.metric.parts)
    ]
    if not external:
        return
    from mtassay.verbs.comparison_plan import gaps_of

    for table in external:
        gaps = gaps_of(table)
        if (gaps != gaps[:1]).any():
            print(
                f"mtassay: warning: {table.metric.label}: systems lack scores of different segments, so their means "
                "are not comparable; mtassay compare uses the segments that both systems have",
                file=sys.stderr,
            )


def _bar(description: str) -> Progress:
    """A progress bar; its module is imported only on a terminal."""
    if not sys.stderr.isatty():
        return iter
    from mtassay.cli.progress import bar

    return bar(description)


def _stream(args: argparse.Namespace, metrics: list[Metric]) -> int:
    """Score block by block; scores of segments are written after each block."""
    tokenised = _Tokenised(metrics, force=args.force or args.quiet)
    if args.sentence_level:
        with _writing_segments(args) as write_scores:
            result = _score_files(args, metrics, write_scores)
        tokenised.warn(result.systems, result.texts.n_full_stops)
        return 0
    # Only the bar needs the blocks; on a cluster, their texts would have to be read here.
    each_block = None if args.execution else lambda *_: None
    result = _score_files(args, metrics, each_block)
    tokenised.warn(result.systems, result.texts.n_full_stops)
    return _finish(result, args)


@contextmanager
def _writing_segments(args: argparse.Namespace) -> Iterator[Callable[[int, ScoreResult], None]]:
    """A function that writes the segment scores of a block; its first argument is the number of the first segment."""
    if args.format == "parquet":
        from mtassay.report.parquet import writing_segments

        with writing_segments(args.output, width=args.width) as write:
            yield write
        return
    with writing(args.output) as out:

        def write_lines(first: int, scored: ScoreResult) -> None:
            for line in _lines(scored, args, first=first):
                out.line(line)

        yield write_lines


def _finish(result: SystemScores, args: argparse.Namespace) -> int:
    """Write the scores of systems."""
    if args.format == "parquet":
        from mtassay.report.parquet import write_scores

        write_scores(args.output, result, width=args.width)
        return 0
    if args.score_only or (args.format == "tsv" and result.groups):
        with writing(args.output) as out:
            for line in _bare(result, args) if args.score_only else _group_lines(result, args):
                out.line(line)
        return 0
    return finish(args, result, width=args.width, short=args.short, verbose=args.verbose)


def _score_files(
    args: argparse.Namespace, metrics: list[Metric], each_block: Callable[[int, ScoreResult], None] | None
) -> StreamedScores:
    from mtassay.cli.progress import counting
    from mtassay.cli.streams import stream_inputs
    from mtassay.verbs.score_files import score_files

    how: dict[str, Any] = {"threads": args.threads, "execution": args.execution}
    if each_block is None or (args.sentence_level and args.output is None and sys.stdout.isatty()):
        return score_files(**stream_inputs(args), metrics=metrics, by=args.by, each_block=each_block, **how)
    with counting("scoring") as show:

        def watched(first: int, scored: ScoreResult) -> None:
            each_block(first, scored)
            show(first - 1 + scored.testset.n_segments)

        return score_files(**stream_inputs(args), metrics=metrics, by=args.by, each_block=watched, **how)


def _check_output(args: argparse.Namespace) -> None:
    """Reject combinations that the format cannot show."""
    if args.detail:
        raise MtassayError(
            "score has no --detail: use --by domain, or --origlang LANG for a part; python -m mtassay.compat.sacrebleu "
            "prints sacreBLEU's details"
        )
    if args.format == "parquet":
        _check_parquet(args)
    if args.sentence_level and args.format not in {"text", "tsv", "json", "parquet"}:
        raise MtassayError(f"-sl writes TSV (text, tsv), JSON lines (json) or parquet, not {args.format}")
    if args.by and (args.sentence_level or args.score_only):
        raise MtassayError(f"--by cannot be combined with {'-sl' if args.sentence_level else '-b'}")
    if _is_paired(args) and (args.sentence_level or args.by or args.verbose or args.score_only):
        raise MtassayError("-ci and paired tests show a table of systems: leave out -sl, --by, -b and -v")
    for flag, given in (("--signatures", args.signatures), ("-v", args.verbose)):
        if given and (args.sentence_level or args.score_only or args.format in {"tsv", "parquet"}):
            raise MtassayError(
                f"{flag} is for tables of systems (json always has it): leave out -sl, -b, tsv and parquet"
            )


def _check_parquet(args: argparse.Namespace) -> None:
    from mtassay.report.parquet import check_parquet

    for flag, given in (("-b", args.score_only), ("-ci and paired tests", _is_paired(args))):
        if given:
            raise MtassayError(f"{flag} cannot be written as parquet: leave out one of them")
    check_parquet(args.output)


def _parser() -> Parser:
    parser = Parser("score", "Score systems against references.", _EXAMPLES)
    add_inputs(parser)
    what = parser.add_argument_group("what to compute")
    add_metrics(what)
    what.add_argument("-sl", "--sentence-level", action="store_true", help="one row per segment and system")
    what.add_argument(
        "--spans",
        action=OutputFile,
        metavar="FILE",
        help="write the errors that xcomet marks as JSONL, for metaeval --metric-spans",
    )
    what.add_argument("--by", choices=("doc", "domain"), help="also show a score per document or domain")
    add_execution(what, "--paired-jobs")
    what.add_argument("--list-metrics", action="store_true", help="list metrics and their options, and stop")
    _add_bleu(parser)
    _add_chrf_and_ter(parser)
    _add_paired(parser)
    output = add_output(parser, formats=(*FORMATS, "parquet"))
    output.add_argument(
        "-w",
        "--width",
        type=width,
        metavar="N",
        help="decimals (default: chosen per metric in text, all in json and tsv)",
    )
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print only the scores, one line per system in the given order"
    )
    output.add_argument(
        "-v", "--verbose", action="store_true", help="also show the components (precisions, penalties, edits)"
    )
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    output.add_argument("-sh", "--short", action="store_true", help="short signatures")
    output.add_argument("-q", "--quiet", action="store_true", help="print no warnings")
    # sacreBLEU options that are recognised but do nothing here: output has no colours, and --by replaces --detail.
    parser.add_argument("-d", "--detail", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-nc", "--no-color", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-V", "--version", action="store_true", help="show the version, and stop")
    return parser


def _add_bleu(parser: argparse.ArgumentParser) -> None:
    bleu = parser.add_argument_group("the BLEU family (as in sacreBLEU; options in a specification take precedence)")
    bleu.add_argument(
        "-tok",
        "--tokenize",
        metavar="NAME",
        help="tokenizer: none 13a intl zh char ja-mecab ko-mecab moses flores101 flores200 spBLEU-1K spm:MODEL",
    )
    bleu.add_argument("-lc", "--lowercase", action="store_true", help="ignore case")
    bleu.add_argument("-s", "--smooth-method", metavar="RULE", help="smoothing: exp floor add-k none add mteval moses")
    bleu.add_argument("-sv", "--smooth-value", type=float, metavar="K", help="value for floor, add-k and add")
    bleu.add_argument("--force", action="store_true", help="do not warn about text that looks tokenised")


def _add_chrf_and_ter(parser: argparse.ArgumentParser) -> None:
    chrf = parser.add_argument_group("chrF")
    chrf.add_argument("-cc", "--chrf-char-order", type=int, metavar="N", help="order of character n-grams (default: 6)")
    chrf.add_argument(
        "-cw", "--chrf-word-order", type=int, metavar="N", help="order of word n-grams; 2 is chrF++ (default: 0)"
    )
    chrf.add_argument("--chrf-beta", type=float, metavar="B", help="weight of recall (default: 2)")
    chrf.add_argument("--chrf-whitespace", action="store_true", help="keep white space")
    chrf.add_argument("--chrf-lowercase", action="store_true", help="ignore case")
    chrf.add_argument("--chrf-eps-smoothing", action="store_true", help="epsilon smoothing instead of effective order")
    ter = parser.add_argument_group("TER")
    ter.add_argument("--ter-case-sensitive", action="store_true", help="keep case")
    ter.add_argument("--ter-asian-support", action="store_true", help="split Chinese and Japanese characters")
    ter.add_argument("--ter-no-punct", action="store_true", help="remove punctuation")
    ter.add_argument("--ter-normalized", action="store_true", help="normalise and tokenise as tercom does")


def _add_paired(parser: argparse.ArgumentParser) -> None:
    paired = parser.add_argument_group("confidence as in sacreBLEU (mtassay compare does more)")
    paired.add_argument("-ci", "--confidence", action="store_true", help="mean and 95 %% interval over resamples")
    paired.add_argument("-cin", "--confidence-n", type=int, default=1000, metavar="N", help="resamples (default: 1000)")
    either = paired.add_mutually_exclusive_group()
    either.add_argument(
        "-par", "--paired-ar", action="store_true", help="approximate randomisation against the first system"
    )
    either.add_argument("-pbs", "--paired-bs", action="store_true", help="bootstrap test against the first system")
    paired.add_argument(
        "-parn", "--paired-ar-n", type=int, default=10000, metavar="N", help="resamples (default: 10000)"
    )
    paired.add_argument("-pbsn", "--paired-bs-n", type=int, default=1000, metavar="N", help="resamples (default: 1000)")


def _is_paired(args: argparse.Namespace) -> bool:
    return bool(args.confidence or args.paired_ar or args.paired_bs)


def _paired(result: ScoreResult, args: argparse.Namespace) -> PairedResult:
    from mtassay.execution import Execution
    from mtassay.verbs.sacrebleu_tests import paired

    if args.confidence and args.paired_ar:
        raise MtassayError("--paired-ar gives p-values only; -ci or --paired-bs gives intervals")
    test = "ar" if args.paired_ar else "bs" if args.paired_bs else None
    n_resamples = {"ar": args.paired_ar_n, "bs": args.paired_bs_n, None: args.confidence_n}[test]
    execution = Execution.of(args.execution, threads=args.threads, progress=_bar("resampling"))
    return paired(result, test, resamples=n_resamples, seed=_seed(), execution=execution)


def _seed() -> int:
    """The seed, from the environment as in sacreBLEU."""
    seed = os.environ.get("SACREBLEU_SEED", "12345")
    if seed.lower() == "none":
        import secrets

        return secrets.randbits(32)  # the signature shows it
    if not seed.isdecimal():
        raise MtassayError(f"SACREBLEU_SEED is '{seed}': it must be a whole number, or none")
    return int(seed)


def _metrics(args: argparse.Namespace, language_pair: str | None) -> list[Metric]:
    """The requested metrics; sacreBLEU's flags set the options that a specification does not set."""
    from mtassay.metrics.core.spec import parse_all

    flags: dict[str, dict[str, object]] = {
        "bleu": {
            "tok": args.tokenize,
            "case": "lower" if args.lowercase else None,
            "smooth": args.smooth_method,
            "k": args.smooth_value,
        },
        "chrf": {
            "char_order": args.chrf_char_order,
            "word_order": args.chrf_word_order,
            "beta": args.chrf_beta,
            "whitespace": args.chrf_whitespace or None,
            "case": "lower" if args.chrf_lowercase else None,
            "eps": args.chrf_eps_smoothing or None,
        },
        "ter": {
            "case": "mixed" if args.ter_case_sensitive else None,
            "asian": args.ter_asian_support or None,
            "punct": False if args.ter_no_punct else None,
            "norm": args.ter_normalized or None,
        },
    }
    given = {
        name: {option: value for option, value in options.items() if value is not None}
        for name, options in flags.items()
    }
    return parse_all(args.metrics, language_pair, defaults=given)


class _Tokenised:
    """Warns about outputs that look tokenised if BLEU tokenises them again."""

    def __init__(self, metrics: list[Metric], *, force: bool) -> None:
        self._asked = not force and any(m.name == "bleu" and getattr(m, "tok", "") != "none" for m in metrics)

    def warn(self, systems: Iterable[str], n_full_stops: Iterable[int]) -> None:
        """Warn on standard error; `n_full_stops` are the numbers of lines that end in a separate full stop."""
        for name, n_lines in zip(systems, n_full_stops, strict=True) if self._asked else ():
            if n_lines >= _TOKENISED_LINES:
                print(
                    f"mtassay: warning: {name} looks tokenised ({_TOKENISED_LINES} lines or more end in ' .'), and "
                    "BLEU tokenises it again; detokenise it, or give -tok none, or --force",
                    file=sys.stderr,
                )


def _lines(result: ScoreResult, args: argparse.Namespace, *, first: int = 1) -> Iterator[str]:
    """The lines with scores of segments; the first segment has the number `first`."""
    from mtassay.report.documents import score as report

    if not args.score_only:
        return report.segment_lines(result, width=args.width, as_json=args.format == "json", first=first)
    of_segments = result.segment_scores().transpose(1, 0, 2).reshape(-1, len(result.metrics))
    return report.bare_lines(of_segments, result.metrics, width=args.width)


def _bare(result: SystemScores, args: argparse.Namespace) -> Iterator[str]:
    """The lines of -b: scores of systems without names."""
    from mtassay.report.documents import score as report

    return report.bare_lines(result.scores, result.metrics, width=args.width)


def _group_lines(result: SystemScores, args: argparse.Namespace) -> Iterator[str]:
    """The TSV lines with scores of documents or domains, made without the rest of the report."""
    from mtassay.report.documents.score import score_records
    from mtassay.report.render.tsv import record_lines

    return record_lines(score_records(result, args.width))


def _list_metrics(args: argparse.Namespace) -> int:
    from mtassay.verbs.list_metrics import list_metrics

    if args.format == "parquet":
        raise MtassayError("--list-metrics cannot be written as parquet: choose another format")

    return finish(argparse.Namespace(format=args.format, output=args.output), list_metrics())
