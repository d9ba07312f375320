"""Arguments shared by several verbs, and how to read a test set from them."""

from __future__ import annotations

import argparse
import os
import re
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

from mtassay.cli.output import Store, check_outputs
from mtassay.errors import InputError, MtassayError, did_you_mean, unknown_name
from mtassay.io import FILE_DEFAULT, LINE_DEFAULT, find_configuration, parse_size, set_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data import TestSet
    from mtassay.execution import Execution

#: Options that print something about sacreBLEU's test sets and end the command.
_QUESTIONS = ("list", "cite", "download", "echo")
_MOST_DECIMALS, _MOST_COLUMNS = 17, 10_000
#: METEOR in a specification, alone or as a part of it; not a file of that name.
_METEOR = re.compile(r"(^|[*+:-])meteor($|[*+:-])")
#: Whether a verb is run only to get its parser (`mtassay.cli.parsers`).
only_parsers: ContextVar[bool] = ContextVar("only_parsers", default=False)


class ParserMade(BaseException):
    """Stops a verb once it has made its parser."""

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.parser = parser


#: Options of sacreBLEU that only ``score`` has, and what a specification has in their place. Argparse would take
#: ``-tok`` for ``-t ok`` elsewhere.
_IN_SPECIFICATIONS = {"-tok": "bleu:tok=intl", "--tokenize": "bleu:tok=intl", "-lc": "bleu:case=lower"}
#: The environment variable that names a cluster.
_CLUSTER = "MTASSAY_CLUSTER"


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors as one line, like the rest of the program."""

    _help_width = 78

    def __init__(self, verb: str, description: str, examples: str) -> None:
        super().__init__(
            prog=f"mtassay {verb}",
            description=description,
            epilog=f"examples:\n{examples}",
            allow_abbrev=False,
        )
        #: The command whose help errors name.
        self.help_of = self.prog
        self.register("action", None, Store)
        self.add_argument("--no-config", action="store_true", help="ignore mtassay.toml (docs/shell.md)")
        limits = self.add_argument_group("limits on the size of inputs, after decompression")
        for of, default in (("file", FILE_DEFAULT), ("line", LINE_DEFAULT)):
            limits.add_argument(
                f"--max-{of}-size",
                type=size,
                metavar="BYTES",
                help=f"largest {of} to read, such as 500M or 8G (default: {default})",
            )

    def _get_formatter(self) -> argparse.HelpFormatter:
        # argparse also calls this for each new argument, to check its metavar. The default width would load shutil.
        return argparse.RawDescriptionHelpFormatter(self.prog, width=self._help_width)

    def format_help(self) -> str:
        """The help text, as wide as the terminal; limits on inputs, which few need, stand last, as in the manual."""
        from shutil import get_terminal_size

        self._help_width = get_terminal_size().columns - 2
        groups = self._action_groups
        self._action_groups = [*groups[:2], *groups[3:], groups[2]]
        try:
            return super().format_help()
        finally:
            self._action_groups = groups

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the known arguments, with defaults from a configuration file, and set the limits on inputs."""
        path = None if "--no-config" in (args or ()) else find_configuration()
        defaults = None
        if path is not None:
            from mtassay.cli.configuration import Defaults  # only if there is a file, to start fast

            defaults = Defaults(self, path)
        parsed, unknown = super().parse_known_args(args, namespace)
        if defaults is not None:
            defaults.fill(parsed)
        set_limits(file=parsed.max_file_size, line=parsed.max_line_size)
        return parsed, unknown

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse all arguments; fail on unknown ones and on outputs that cannot be written."""
        if only_parsers.get():
            raise ParserMade(self)
        self._check_specified(args or ())
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._hint(unknown)}")
        if any(getattr(parsed, name, None) for name in _QUESTIONS):
            from mtassay.cli.test_sets import answer

            answer(parsed)
            sys.stdout.flush()  # a closed pipe must raise here, where `main` handles it
            self.exit()
        check_outputs(parsed, self._actions)
        if hasattr(parsed, "cluster"):
            parsed.execution = _execution(parsed)
        return parsed

    def _check_specified(self, args: Sequence[str]) -> None:
        """Reject options of ``score`` that other verbs lack, or write into the specification of a metric."""
        there = self._option_string_actions.keys()
        for given in args:
            flag = "-tok" if given.startswith("-tok") else given.partition("=")[0]
            if flag not in _IN_SPECIFICATIONS or flag in there:
                continue
            has_metrics = bool({"--metrics", "--metric"} & there)
            advice = f": write it into the metric, as in -m {_IN_SPECIFICATIONS[flag]}"
            raise MtassayError(f"{self.prog} has no {flag}{advice if has_metrics else f'  ({self.prog} --help)'}")

    def _hint(self, unknown: list[str]) -> str:
        """Suggest the option closest to the first unknown one, if one is close without the dashes that all share."""
        from difflib import get_close_matches  # imported here to start fast

        shown = [flag for action in self._actions if action.help != argparse.SUPPRESS for flag in action.option_strings]
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), "")
        names = {flag.lstrip("-"): flag for flag in shown}
        close = get_close_matches(option.lstrip("-"), names, n=1)
        return did_you_mean(option, [names[name] for name in close])

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Python's parser takes "--" out of "--option=--", and an empty list would be the value.
        if action.option_strings and arg_strings == ["--"]:
            self.error(f"argument {'/'.join(action.option_strings)}: expected a value, not '--'")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            option = action.option_strings[-1] if action.option_strings else action.dest
            what = action.dest if action.dest == "format" else f"choice of {option}"
            raise MtassayError(unknown_name(what, value, action.choices))

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse's own method ignores errors while help is written.
        print(message, end="", file=file, flush=True)

    def error(self, message: str) -> NoReturn:
        """Raise an error of this package instead of exiting."""
        raise MtassayError(f"{message}  ({self.help_of} --help)")


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name references, systems and labels."""
    inputs = parser.add_argument_group(
        "inputs (text, one segment per line; .gz .bz2 .xz; URLs; NIST .sgm; - is standard input)"
    )
    inputs.add_argument(
        "refs",
        nargs="*",
        metavar="REF",
        help="reference files, none if no metric needs them; or one whole test set: a folder, .jsonl, .tsv or .xml",
    )
    inputs.add_argument("-r", "--refs", dest="more_refs", nargs="+", default=[], metavar="REF", help="reference files")
    inputs.add_argument(
        "-i", "--input", nargs="*", default=None, metavar="SYS", help="system outputs (default: standard input)"
    )
    inputs.add_argument(
        "--names", nargs="+", metavar="NAME", help="names of the systems (default: from the file names)"
    )
    inputs.add_argument("--systems", nargs="+", metavar="NAME", help="use only these systems of a test set")
    inputs.add_argument(
        "--references",
        nargs="+",
        metavar="NAME",
        help="use only these references of a test set, or all (default: all; in an mt-metrics-eval folder, its "
        "standard reference)",
    )
    inputs.add_argument(
        "--include-references",
        action="store_true",
        help="also score the references and synthetic outputs of a test set as systems",
    )
    inputs.add_argument(
        "-nr",
        "--num-refs",
        type=columns,
        default=1,
        metavar="K",
        help="split the reference file into K columns at tabs",
    )
    inputs.add_argument("-e", "--encoding", default="utf-8", help="encoding of the files (default: %(default)s)")
    inputs.add_argument(
        "-l",
        "--language-pair",
        metavar="SRC-TGT",
        help="language pair; chooses the tokenizer for zh, ja and ko, the language for METEOR and ACT, and which pair "
        "of a folder is read (default: the pair at the end of the test set's name)",
    )
    inputs.add_argument("--source", metavar="FILE", help="source texts")
    inputs.add_argument("--documents", metavar="FILE", help="one document label per line")
    inputs.add_argument("--domains", metavar="FILE", help="one domain label per line")
    _add_test_sets(parser)


def _add_test_sets(parser: argparse.ArgumentParser) -> None:
    sets = parser.add_argument_group("test sets of sacreBLEU (pip install 'mtassay[testsets]')")
    sets.add_argument(
        "-t",
        "--test-set",
        action="append",
        metavar="SET",
        help="use the references and sources of this set (needs -l); repeat -t to join several sets. Systems come "
        "from -i, from standard input, or, with --systems NAME... (or all), from the release",
    )
    sets.add_argument(
        "-ol",
        "--origlang",
        metavar="LANG",
        help="use only segments originally written in this language; non-LANG: only the other segments",
    )
    sets.add_argument("--subset", metavar="REGEX", help="use only documents whose labels match this regular expression")
    sets.add_argument("--echo", nargs="+", metavar="FIELD", help="print fields (src ref docid … or all), and stop")
    sets.add_argument(
        "--list", action="store_true", help="list the test sets, or with -t the language pairs of the set, and stop"
    )
    sets.add_argument("--cite", "--citation", action="store_true", help="print the citation of -t, and stop")
    sets.add_argument("--download", metavar="SET", help="download a test set into the folder $SACREBLEU, and stop")


def are_large_inputs(args: argparse.Namespace) -> bool:
    """Whether to stream the inputs: the files are large in total, or some are URLs."""
    from mtassay.io.inputs import are_large

    about = (args.source, args.documents, args.domains)
    paths = [*args.refs, *args.more_refs, *(args.input or []), *(path for path in about if path is not None)]
    return are_large(paths)


def read_inputs(args: argparse.Namespace, *, whole: bool = False) -> TestSet:
    """Read the test set that the arguments name.

    Args:
        args: the arguments that ``add_inputs`` defines.
        whole: keep everything in the test set, including white space; it may have references and no systems.
    """
    testset = _read_test_set(args, whole=whole)
    note_english(args, testset.language_pair)
    if args.include_references and not whole:
        _note_references(testset)
    return testset


def _note_references(testset: TestSet) -> None:
    """Tell the user which systems are references, too, so that metrics compare them with themselves."""
    for name in testset.systems:
        if name in testset.reference_names:
            print(
                f"mtassay: note: {name} is a system and a reference: metrics with references compare it with itself",
                file=sys.stderr,
            )


def note_english(args: argparse.Namespace, language_pair: str | None) -> None:
    """Tell the user that METEOR takes texts for English if nothing says what their language is."""
    given = getattr(args, "metrics", None) or []
    specs = [given] if isinstance(given, str) else given
    is_unknown = any(_METEOR.search(spec) and "lang=" not in spec for spec in specs)
    if language_pair is None and is_unknown and not getattr(args, "quiet", False):
        print(
            "mtassay: note: METEOR takes the texts for English; for others give -l SRC-TGT or meteor:lang=LANGUAGE",
            file=sys.stderr,
        )


def _read_test_set(args: argparse.Namespace, *, whole: bool) -> TestSet:
    from mtassay.data import is_test_set

    if args.test_set:
        from mtassay.cli.test_sets import read

        return read(args, whole=whole)
    if args.origlang or args.subset:
        raise MtassayError("--origlang and --subset choose from a test set of sacreBLEU: give -t SET")
    refs = [*args.refs, *args.more_refs]
    if not refs and args.input is None:
        raise MtassayError(
            "no references given: write REF... -i SYS..., or -t SET -l SRC-TGT -i SYS..., or -i SYS... alone for "
            "metrics that need none"
        )
    if len(refs) != 1 or not is_test_set(refs[0], n_ref_columns=args.num_refs):
        return _read_files(args, refs, keep_whitespace=whole)
    flag = first_given({"-i": args.input is not None, "--names": args.names}, args)
    if flag is not None:
        raise MtassayError(
            f"{refs[0]} is a whole test set; {flag} is for separate files (use --systems to choose systems)"
        )
    from mtassay.data import load  # not for separate files, to start fast

    testset = load(
        refs[0],
        lp=args.language_pair,
        references=_references(args.references) or ("all" if whole else None),
        include_references=args.include_references or whole,
        keep_whitespace=whole,
        encoding=args.encoding,
    )
    if args.systems:
        testset = testset.select(systems=args.systems)
    if not testset.systems and not whole:
        raise MtassayError(f"{refs[0]} has references but no systems: there is nothing to score")
    return testset


def first_given(others: Mapping[str, object], args: argparse.Namespace) -> str | None:
    """The first given option, among `others` and those that describe separate files; None if there is none."""
    of_files = {
        "-nr": args.num_refs != 1,
        "--source": args.source,
        "--documents": args.documents,
        "--domains": args.domains,
    }
    return next((flag for flag, given in {**others, **of_files}.items() if given), None)


def _references(names: list[str] | None) -> list[str] | str | None:
    if names is not None and len(names) > 1 and "all" in names:
        raise MtassayError("--references all takes every reference: leave out the other names, or leave out all")
    return "all" if names == ["all"] else names


def _read_files(args: argparse.Namespace, refs: list[str], *, keep_whitespace: bool) -> TestSet:
    if args.systems or args.references or args.include_references:
        raise MtassayError(
            "--systems, --references and --include-references choose from a whole test set; they do not apply to "
            "separate files"
        )
    if args.input == []:
        raise MtassayError("-i needs at least one file; without -i hypotheses come from standard input")
    # Users who write REF HYP mean HYP as a system.
    last = refs[-1] if refs else ""
    hint = f"nothing was given with -i, so {last} was taken as a reference; to score it, write -i {last}"
    may_be_meant = args.input is None and len(refs) > 1
    if args.input is None:
        tell_of_terminal(hint if may_be_meant else "to score files, give them with -i")
    try:
        return _load_files(args, refs, keep_whitespace=keep_whitespace)
    except InputError as error:
        if not may_be_meant:
            raise
        raise InputError(f"{error} ({hint})") from None


def tell_of_terminal(advice: str) -> None:
    """If standard input is a terminal, say that hypotheses are read from it; else the command would seem to hang."""
    if sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty():
        print(f"mtassay: reading hypotheses from the terminal (end with Ctrl-D); {advice}", file=sys.stderr)


def _load_files(args: argparse.Namespace, refs: list[str], *, keep_whitespace: bool) -> TestSet:
    from mtassay.data import load_files

    return load_files(
        refs,
        args.input or ["-"],
        source=args.source,
        documents=args.documents,
        domains=args.domains,
        names=args.names,
        lp=args.language_pair,
        encoding=args.encoding,
        n_ref_columns=args.num_refs,
        keep_whitespace=keep_whitespace,
    )


def add_tests(parser: argparse.ArgumentParser, *, several: bool = False) -> argparse._ArgumentGroup:
    """Add the options for metrics, tests and intervals; with `several`, --test takes several tests."""
    tests = add_procedure(
        parser,
        several=several,
        resamples="resamples for the test and the intervals (default: 10000; sacrebleu-bs: 1000)",
    )
    tests.add_argument(
        "--adjust",
        default="none",
        metavar="RULE",
        help="adjust p-values for the number of comparisons: none, holm, bh (default: none)",
    )
    tests.add_argument(
        "--interval",
        default="percentile",
        metavar="KIND",
        help="kind of confidence intervals: percentile or bca (default: percentile)",
    )
    tests.add_argument(
        "--runs",
        metavar="PATTERN",
        help="systems whose names differ only where this regular expression matches are runs of one system",
    )
    return tests


def add_procedure(
    parser: argparse.ArgumentParser, *, resamples: str, several: bool = False, metrics: str = "bleu"
) -> argparse._ArgumentGroup:
    """Add the options for metrics and for the significance test.

    Args:
        parser: gets the options.
        resamples: help text of --resamples.
        several: whether --test takes several tests.
        metrics: the default metrics, separated by spaces.
    """
    tests = parser.add_argument_group("what to test")
    add_metrics(tests, metrics)
    either = "; give several, or all, to compare their results" if several else ""
    tests.add_argument(
        "--test",
        nargs="+" if several else 1,
        default=["ar"],
        metavar="TEST",
        help="ar (approximate randomisation), bs (bootstrap), pbs (paired bootstrap), riezler-maxwell; ar1 ar2 bs1 "
        "bs2 are "
        f"one- or two-sided; sacrebleu-ar sacrebleu-bs multeval work as in those tools{either} (default: ar)",
    )
    tests.add_argument("--sides", type=int, choices=(1, 2), help="one- or two-sided test, for ar and bs (default: 2)")
    tests.add_argument("--resamples", type=int, default=0, metavar="R", help=resamples)
    tests.add_argument("--alpha", type=float, default=0.05, metavar="P", help="significance level α (default: .05)")
    tests.add_argument(
        "--unit", default="segment", metavar="UNIT", help="unit to resample: segment or doc (default: segment)"
    )
    tests.add_argument("--seed", type=int, default=12345, help="seed of the resamples (default: 12345)")
    add_execution(tests)
    return tests


def add_metrics(group: argparse._ActionsContainer, default: str = "bleu") -> None:
    """Add the option for metrics; `default` are the default metrics, separated by spaces."""
    group.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        default=default.split(),
        metavar="METRIC",
        help=f"metric specifications (default: {default})",
    )


def add_execution(
    group: argparse._ActionsContainer,
    *also: str,
    default: int = 1,
    help: str = "number of threads; 0: all cores (default: 1)",
) -> None:
    """Add the options for threads and clusters; `also` are further names of ``--threads``."""
    group.add_argument("-j", "--threads", *also, type=int, default=default, metavar="N", help=help)
    group.add_argument(
        "--cluster",
        metavar="WHERE",
        help="run on a Dask cluster: local[:N] (N processes here), tcp://HOST:PORT, a scheduler file, or none "
        f"(default: ${_CLUSTER})",
    )
    group.add_argument(
        "--resume", metavar="DIR", help="store finished chunks in this folder, and reuse those already there"
    )


def _execution(args: argparse.Namespace) -> Execution | None:
    """The execution for --cluster or --resume, None without them; a cluster is disconnected when the command ends."""
    cluster = args.cluster or os.environ.get(_CLUSTER, "")
    if cluster and cluster != "none":
        from mtassay.cli.main import close_at_end
        from mtassay.execution.cluster import Cluster

        return close_at_end(Cluster(cluster, threads=args.threads, resume=args.resume))
    if args.resume is None:
        return None
    from mtassay.execution import Execution

    return Execution(args.threads, resume=args.resume)


def options_of_tests(args: argparse.Namespace) -> dict[str, Any]:
    """The options of ``add_tests``, under the parameter names of ``mtassay.compare``."""
    from mtassay.cli.progress import bar

    names = ("sides", "resamples", "alpha", "adjust", "unit", "interval", "runs", "seed", "threads", "execution")
    return {name: getattr(args, name) for name in names} | {"test": args.test[0], "progress": bar("comparing")}


def size(value: str) -> str:
    """Check a size in bytes, with or without a unit, such as 32M, and return it as given."""
    try:
        parse_size(value, "the size")
    except MtassayError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return value


def columns(value: str) -> int:
    """The argument of -nr: a number of columns."""
    if not value.isdecimal() or not 1 <= int(value) <= _MOST_COLUMNS:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number of references")
    return int(value)


def width(value: str) -> int:
    """The argument of -w: a number of decimals."""
    if not value.isdecimal() or int(value) > _MOST_DECIMALS:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number of decimals from 0 to {_MOST_DECIMALS}")
    return int(value)
