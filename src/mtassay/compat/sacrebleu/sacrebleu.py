"""sacreBLEU's command line: the same standard output and exit status; messages are in our own words."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.error import URLError

from mtassay.compat.sacrebleu.arguments import parse_args
from mtassay.compat.sacrebleu.metrics import METRICS
from mtassay.compat.sacrebleu.utils import (
    Color,
    args_to_dict,
    download_test_set,
    filter_subset,
    get_available_testsets,
    get_available_testsets_for_langpair,
    get_langpairs_for_testset,
    get_reference_files,
    print_results_table,
    print_single_results,
    print_subset_results,
    print_test_set,
    sacrelogger,
    sanity_check_lengths,
    smart_open,
)
from mtassay.data.sacrebleu_sets import package
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from mtassay.compat.sacrebleu.metrics.base import Metric

    Texts = list[str]

#: Exit status for lines with a wrong number of columns.
_COLUMNS = 17


def main() -> None:
    """Run the command."""
    args = parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
    Color.ENABLE_COLORS = not (os.environ.get("NO_COLOR") or args.no_color)
    if not args.quiet:
        logging.basicConfig(level=logging.INFO, format="sacreBLEU: %(message)s")
    try:
        _run(args)
    except MtassayError as error:
        _fail(str(error))
    except URLError as error:
        _fail(f"The test set cannot be downloaded: {error.reason}. Use --download on a machine with a network.")


def _fail(message: str, status: int = 1) -> NoReturn:
    sacrelogger.error("%s", message)
    sys.exit(status)


def _run(args: Namespace) -> None:
    if args.download:
        download_test_set(args.download, args.langpair)
    elif args.list:
        _list(args)
    elif args.citation:
        _cite(args)
    else:
        _check(args)
        if args.echo:
            for test_set in args.test_set.split(","):
                print_test_set(test_set, args.langpair, args.echo, args.origlang, args.subset)
        else:
            _score(args)


# Test sets


def _datasets() -> Any:
    from mtassay.compat.sacrebleu.dataset import DATASETS

    return DATASETS


def _list(args: Namespace) -> None:
    if args.test_set:
        for pair in [args.langpair] if args.langpair else get_langpairs_for_testset(args.test_set):
            print(f"{pair}: {', '.join(_datasets()[args.test_set].fieldnames(pair))}")
        return
    if args.langpair:
        print(f"The available test sets for {args.langpair} are:")
        names = get_available_testsets_for_langpair(args.langpair)
    else:
        print("The available test sets are:")
        names = get_available_testsets()
    for name in sorted(names):
        print(f"{name:<30}: {_datasets()[name].description.strip()}")


def _cite(args: Namespace) -> None:
    if args.sentence_level and len(args.metrics) > 1:
        _fail("Segments are scored by one metric only.")
    if not args.test_set:
        _fail("Name a test set (-t).")
    for name in args.test_set.split(","):
        if name not in _datasets():
            _fail(f"No test set is named {name!r}; --list shows them.")
        print(_datasets()[name].citation)


def _check(args: Namespace) -> None:
    """Reject arguments that cannot be combined."""
    if args.sentence_level and len(args.metrics) > 1:
        _fail("Segments are scored by one metric only.")
    if args.num_refs != 1 and (args.test_set is not None or len(args.refs) > 1):
        _fail("--num-refs splits the columns of one reference file: give neither -t nor further references.")
    if args.test_set is None:
        if args.echo:
            _fail("--echo needs a test set (-t) and a language pair (-l).")
        if not args.refs:
            _fail("No references: give files before -i, or a test set (-t; --list shows them).")
        return
    if args.refs:
        _fail("Give either references or a test set (-t), not both.")
    for name in args.test_set.split(","):
        if name not in _datasets():
            _fail(f"No test set is named {name!r}; --list shows them.")
        if args.langpair is None:
            _fail("A test set needs a language pair (-l); --list shows them.")
        pairs = get_langpairs_for_testset(name)
        if args.langpair not in pairs:
            _fail(f"{name!r} has no language pair {args.langpair!r}; it has {', '.join(pairs)}.")


# Texts


def _read_references(args: Namespace) -> list[Texts]:
    if args.test_set is None:
        files = [args.refs]
    else:
        files = [get_reference_files(name, args.langpair) for name in args.test_set.split(",")]
    streams: list[Texts] = [[] for _ in range(max(len(files[0]), args.num_refs))]
    for of_set in files:
        for number, file in enumerate(of_set):
            _read_reference(file, streams[number:], args)
    return streams


def _read_reference(file: str, streams: list[Texts], args: Namespace) -> None:
    """Append the lines of a file to the first of the streams, or its columns to as many."""
    with _opened(file, args.encoding) as lines:
        for number, line in enumerate(lines, 1):
            columns = [line.rstrip()] if args.num_refs == 1 else line.rstrip().split("\t", args.num_refs - 1)
            if len(columns) != args.num_refs:
                _fail(f"{file}, line {number}: {len(columns)} columns, not {args.num_refs}.", _COLUMNS)
            for stream, text in zip(streams, columns, strict=False):
                stream.append(text)


def _read_systems(args: Namespace, *, paired: bool) -> dict[str, Texts]:
    """The systems by name; in a paired test, the first is the baseline."""
    if args.input is None:
        columns = _read_stdin(args.encoding)
        first = ["Baseline"] if paired else []
        names = [*first, *(f"System {number}" for number in range(1, len(columns) + 1))]
        return dict(zip(names, columns, strict=False))
    systems: dict[str, Texts] = {}
    for name in args.input:
        if name in systems:
            if paired and name == args.input[0]:
                sacrelogger.info("%r is the baseline, and is not tested against itself.", name)
                continue
            _fail(f"Two systems are named {name!r}.")
        with _opened(name, args.encoding) as lines:
            systems[name] = [line.rstrip() for line in lines]
    if paired:
        return {f"Baseline: {name}" if s == 0 else name: texts for s, (name, texts) in enumerate(systems.items())}
    return systems


@contextlib.contextmanager
def _opened(file: str, encoding: str) -> Iterator[Iterator[str]]:
    """The lines of a file; if it cannot be read, exit with its name."""
    try:
        with smart_open(file, encoding=encoding) as lines:
            yield _decoded(lines, file, encoding)
    except (OSError, EOFError, LookupError, zlib.error) as error:
        _fail(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _decoded(lines: Iterable[str], name: str, encoding: str) -> Iterator[str]:
    """The lines; a line in another encoding ends the command with a message that has its number."""
    n_read = 0
    try:
        for line in lines:
            yield line
            n_read += 1
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):  # such as UTF-16 without a byte order mark
            _fail(f"{name} cannot be read: {error}.")
        # Lines are decoded in blocks; all lines of earlier blocks have been read.
        number = n_read + error.object[: error.start].count(b"\n") + 1
        byte = error.object[error.start]
        _fail(f"{name}, line {number}: byte 0x{byte:02x} is not {encoding}; convert the file, or give --encoding.")


def _read_stdin(encoding: str) -> list[Texts]:
    """The columns of standard input, one per system; the first line determines their number."""
    lines = _decoded(io.TextIOWrapper(sys.stdin.buffer, encoding=encoding), "standard input", encoding)
    columns = [[text] for text in next(lines, "").rstrip().split("\t")]
    for line in lines:
        texts = line.rstrip().split("\t")
        if len(texts) != len(columns):
            _fail("Lines of standard input differ in their number of columns.", _COLUMNS)
        for column, text in zip(columns, texts, strict=True):
            column.append(text.rstrip())
    return columns


# Scores


def _score(args: Namespace) -> None:
    paired = args.paired_bs or args.paired_ar
    if args.langpair:
        if "-" not in args.langpair:
            _fail(f"-l {args.langpair}: a language pair is written SRC-TGT, such as en-de.")
        args.bleu_trg_lang = args.langpair.split("-")[1]
    if args.test_set is not None and args.bleu_tokenize == "none":
        sacrelogger.warning("Without BLEU's tokenizer the score is not comparable with published ones.")
    full_refs = _read_references(args)
    full_systems = _read_systems(args, paired=paired)
    _check_systems(args, len(full_systems), paired=paired)
    texts = [*full_systems.values(), *full_refs]
    if args.origlang is not None or args.subset is not None:
        texts = filter_subset(texts, args.test_set, args.langpair, args.origlang, args.subset)
    systems = dict(zip(full_systems, texts, strict=False))
    refs = texts[len(systems) :]
    for system in systems.values():
        if not system:
            chosen = args.origlang is not None or args.subset is not None
            _fail("The test set has no such segments." if chosen else "There are no segments to score.")
        sanity_check_lengths(system, refs, test_set=args.test_set)
    metrics = {
        name.upper(): METRICS[name.upper()](**args_to_dict(args, name, strip_prefix=True), references=refs)
        for name in args.metrics
    }
    if args.sentence_level:
        _print_segments(next(iter(metrics.values())), next(iter(systems.values())), refs, args)
    elif len(systems) == 1:
        if args.detail and args.format == "json":
            args.format = "text"
        print_single_results(_scores_of_one(next(iter(systems.values())), metrics, args), args)
        if args.detail:
            package("utils").Color.ENABLE_COLORS = Color.ENABLE_COLORS and sys.stdout.isatty()
            print_subset_results(metrics, next(iter(full_systems.values())), full_refs, args)
    else:
        if args.detail and args.format == "json":
            args.format = "text"
        sacrelogger.info("Found %d systems.", len(systems))
        _print_several(systems, metrics, args, paired=paired)


def _check_systems(args: Namespace, n_systems: int, *, paired: bool) -> None:
    """Check that the number of systems suits the output, and make segments use the effective order."""
    if args.sentence_level:
        if n_systems > 1:
            _fail("With --sentence-level, only one system can be scored.")
        if args.confidence or paired:
            _fail("There are no tests of single segments.")
        args.bleu_effective_order = True
    if paired and n_systems == 1:
        _fail("A paired test needs several systems (-i).")
    if n_systems > 1 and args.confidence:
        _fail("Intervals are for one system; for several, use a paired test.")


def _print_segments(metric: Metric[Any], system: Texts, refs: list[Texts], args: Namespace) -> None:
    for hypothesis, *references in zip(system, *refs, strict=True):
        score = metric.sentence_score(hypothesis, references)
        print(score.format(args.width, args.score_only, metric.get_signature().format(args.short)))


def _scores_of_one(system: Texts, metrics: dict[str, Metric[Any]], args: Namespace) -> list[str]:
    """The scores of one system as text or JSON."""
    is_json = args.format == "json"
    results = []
    for name in sorted(metrics):
        score = metrics[name].corpus_score(system, None, n_bootstrap=args.confidence_n if args.confidence else 1)
        signature = metrics[name].get_signature().format(args.short and not is_json)
        results.append(score.format(args.width, args.score_only, signature, is_json))
    return results


def _print_several(
    systems: dict[str, Texts], metrics: dict[str, Metric[Any]], args: Namespace, *, paired: bool
) -> None:
    signatures: dict[str, str] = {}
    if paired:
        from mtassay.compat.sacrebleu.significance import PairedTest

        test = PairedTest(
            list(systems.items()),
            metrics,
            references=None,
            test_type="bs" if args.paired_bs else "ar",
            n_samples=args.paired_bs_n if args.paired_bs else args.paired_ar_n,
            n_jobs=args.paired_jobs,
        )
        found, table = test()
        signatures = {name: signature.format(args.short) for name, signature in found.items()}
    else:
        table = defaultdict(list, {"System": list(systems)})
        for system in systems.values():
            for name in sorted(metrics):
                score = metrics[name].corpus_score(system, None)
                signatures[score.name] = metrics[name].get_signature().format(args.short)
                table[score.name].append(score.format(args.width, True))
    print_results_table(table, signatures, args)
