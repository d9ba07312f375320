"""The command ``mtassay``: finds the verb, runs it, and turns errors into one line and exit status 2."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from contextvars import ContextVar, copy_context
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay.errors import MtassayError, unknown_name
from mtassay.io import start_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn, TextIO

_Resource = TypeVar("_Resource", bound="contextlib.AbstractContextManager[Any]")
#: Resources to close when the verb ends.
_resources: ContextVar[contextlib.ExitStack] = ContextVar("_resources")

#: Signals that end the command as Ctrl-C does.
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")
#: Each verb with the module of its `run(argv)` and a description. Modules are imported on use, to start fast.
VERBS = {
    "score": ("mtassay.cli.score", "score systems against references with any number of metrics"),
    "compare": ("mtassay.cli.compare", "test which differences between systems are significant"),
    "rank": ("mtassay.cli.rank", "rank systems in clusters by significance tests"),
    "power": ("mtassay.cli.power", "estimate how many segments a test needs, and which differences it can find"),
    "analyse": ("mtassay.cli.analyse", "show where systems differ: words, segments, n-grams, examples"),
    "diff": ("mtassay.cli.diff", "show the segments in which two systems differ most, word by word"),
    "report": ("mtassay.cli.report", "write one HTML page: scores, tests, where systems differ, examples"),
    "serve": ("mtassay.cli.serve", "serve a web page that makes this report from uploaded files"),
    "metaeval": ("mtassay.cli.metaeval", "find the metric that agrees best with human judgements"),
    "humans": ("mtassay.cli.humans", "rank systems by human judgements"),
    "agreement": ("mtassay.cli.agreement", "measure how far judges agree with each other and with themselves"),
    "judge": ("mtassay.cli.judge", "collect human judgements in a browser"),
    "conclusions": ("mtassay.cli.conclusions", "count how often tests on metrics and on human judgements agree"),
    "annotate": ("mtassay.cli.annotate", "annotate texts: parts of speech, lemmas, trees"),
    "learn": ("mtassay.cli.learn", "train metrics on human scores, and measure what that gains"),
    "tune": ("mtassay.cli.tune", "tune the weights of a decoder towards any metric"),
    "rerank": ("mtassay.cli.rerank", "apply weights to n-best lists"),
    "mbr": ("mtassay.cli.mbr", "choose candidates by minimum Bayes risk under any metric"),
    "align": ("mtassay.cli.align", "align hypotheses with references, word by word"),
    "convert": ("mtassay.cli.convert", "turn a test set into another file format"),
    "demo": ("mtassay.cli.demo", "show the main verbs on the built-in sample"),
}

#: Commands about the command line itself.
HELPERS = {
    "completion": ("mtassay.cli.completion", "print the script that completes mtassay in bash, zsh or fish"),
    "man": ("mtassay.cli.manual", "show the manual page of a verb"),
}

USAGE_EXAMPLES = """\
  mtassay score ref.txt -i online-A.txt online-B.txt -m bleu chrf ter
  cat hyp.txt | mtassay score ref.txt
  mtassay compare ref.txt -i hyp/* -m bleu ter
  mtassay rank ref.txt -i hyp/* -m bleu
  mtassay power ref.txt -i a.txt b.txt -m bleu
  mtassay analyse ref.txt -i hyp/* -m bleu chrf
  mtassay diff ref.txt -i a.txt b.txt --grep '\\bnot\\b'
  mtassay report ref.txt -i hyp/* -o report.html
  mtassay metaeval wmt13/fr-en --judgements pairs.tsv -m bleu chrf ter --level segment
  mtassay align ref.txt -i hyp.txt --segment 17
  mtassay tune --nbest nbest.txt -r ref.txt -m bleu
  mtassay demo
"""
_USAGE = """\
mtassay: evaluation of machine translation, with evidence

usage: mtassay VERB ...          mtassay VERB --help shows options and examples

{verbs}

{helpers}

examples:
{examples}"""


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        if sys.stderr is None:  # closed (2>&-): messages must not reach standard output
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (open to the end)
        if sys.stdout is None:
            _complain("standard output is closed")
            return 2
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # lone surrogates in texts must be printable
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        # NumPy's BLAS would start its own threads, which spin for a while and take cores from ours.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Run in a fresh context, so that limits and records of files belong to this run only.
        status = copy_context().run(_run, sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except MtassayError as error:
        _complain(str(error))
        return 2
    except BrokenPipeError:
        # The reader closed the pipe (mtassay ... | head). This is not an error, but nothing more can be written.
        _silence(sys.stdout)
        return 0
    except OSError as error:
        # Readers and writers raise their own errors. An error without a file name is about standard output.
        if error.filename is not None:
            _complain(f"{os.fsdecode(error.filename)} cannot be used: {error.strerror}")
            return 2
        _complain(f"cannot write to standard output: {error.strerror}")
        _silence(sys.stdout)
        return 2
    except MemoryError:
        _complain("out of memory; use fewer systems, metrics or threads at a time")
        return 2
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    return status


def _complain(message: str) -> None:
    """Print a message on standard error; if that fails, only the exit status reports an error."""
    try:
        print(f"mtassay: {message}", file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Keep the interpreter from writing the rest of the buffer at exit, which would fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def close_at_end(resource: _Resource) -> _Resource:
    """Close a resource when the running verb ends; returns the resource."""
    entered: _Resource = _resources.get().enter_context(resource)
    return entered


def _run(arguments: list[str]) -> int:
    start_run()
    with _interruptible(), contextlib.ExitStack() as resources:
        _resources.set(resources)
        return _run_verb(arguments)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that unfinished files are removed and other processes end, too.

    A signal ignored by nohup stays ignored.
    """

    def stop(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    known = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
    ours = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    with contextlib.suppress(ValueError):  # only the main thread may set handlers
        for number in ours:
            signal.signal(number, stop)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            for number in ours:
                signal.signal(number, signal.SIG_DFL)


def _run_verb(arguments: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        from mtassay.cli.completion import answer

        answer()
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(_USAGE.format(verbs=_listed(VERBS), helpers=_listed(HELPERS), examples=USAGE_EXAMPLES), end="")
        return 0
    if arguments[0] in {"-V", "--version"}:
        from mtassay.cli.version import version_line

        print(version_line())
        return 0
    verb, *rest = arguments
    if verb in HELPERS:
        return _start(HELPERS[verb][0], rest)
    if verb not in VERBS:
        raise MtassayError(unknown_name("verb", verb, [*VERBS, *HELPERS], see="mtassay --help"))
    from mtassay.cli.output import defaults_of_file  # every verb imports this module

    try:
        status = _start(VERBS[verb][0], rest)
    except MtassayError as error:
        defaults = defaults_of_file()
        if defaults is None:
            raise
        raise MtassayError(f"{error} ({defaults.line(defaults.taken)})") from error
    defaults = defaults_of_file()
    if defaults is not None and defaults.of_numbers and not defaults.reported:
        _complain(defaults.line(defaults.of_numbers))
    return status


def _start(module: str, arguments: list[str]) -> int:
    status: int = import_module(module).run(arguments)
    return status


def _listed(commands: dict[str, tuple[str, str]]) -> str:
    return "\n".join(f"  {name:<11} {what}" for name, (_, what) in commands.items())


if __name__ == "__main__":
    sys.exit(main())
