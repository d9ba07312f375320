"""The command ``mtassay``: finds the verb, runs it, and turns errors into one line and exit status 2."""

from __future__ import annotations

import contextlib
import os
import sys
from contextvars import copy_context
from importlib import import_module
from typing import TYPE_CHECKING

from mtassay._version import __version__
from mtassay.errors import MtassayError, unknown_name
from mtassay.io.run_files import start_run

if TYPE_CHECKING:
    from typing import TextIO

#: Verb, the module that has its `run(argv)`, and what it is for. Modules are loaded on use: start-up counts.
VERBS = {
    "score": ("mtassay.cli.score", "score systems against references with any number of metrics"),
    "compare": ("mtassay.cli.compare", "test which differences between systems are real"),
    "rank": ("mtassay.cli.rank", "rank systems in clusters of those that are not told apart"),
    "power": ("mtassay.cli.power", "tell how many segments a test needs, and which differences it can find"),
    "analyse": ("mtassay.cli.analyse", "show where systems differ: words, segments, n-grams, examples"),
    "diff": ("mtassay.cli.diff", "show the segments in which two systems differ most, word by word"),
    "metaeval": ("mtassay.cli.metaeval", "tell which metric agrees best with human judgements"),
    "humans": ("mtassay.cli.humans", "rank systems by human judgements"),
    "agreement": ("mtassay.cli.agreement", "measure how far judges agree with each other and with themselves"),
    "conclusions": ("mtassay.cli.conclusions", "count how often tests on metrics conclude what human judgements do"),
    "annotate": ("mtassay.cli.annotate", "annotate texts: parts of speech, lemmas, trees"),
    "learn": ("mtassay.cli.learn", "train metrics on human scores, and study what that gains"),
    "tune": ("mtassay.cli.tune", "tune weights of a decoder towards any metric"),
    "rerank": ("mtassay.cli.rerank", "apply weights to n-best lists"),
    "align": ("mtassay.cli.align", "show how hypotheses and references correspond, word by word"),
    "convert": ("mtassay.cli.convert", "turn a test set into another file format"),
    "demo": ("mtassay.cli.demo", "a tour on the built-in sample"),
}

_USAGE = """\
mtassay: evaluation of machine translation, with evidence

usage: mtassay VERB ...          mtassay VERB --help shows options and examples

{verbs}

examples:
  mtassay score ref.txt -i online-A.txt online-B.txt -m bleu chrf ter
  cat hyp.txt | mtassay score ref.txt
  mtassay compare ref.txt -i hyp/* -m bleu ter
  mtassay rank ref.txt -i hyp/* -m bleu
  mtassay power ref.txt -i a.txt b.txt -m bleu
  mtassay analyse ref.txt -i hyp/* -m bleu chrf
  mtassay diff ref.txt -i a.txt b.txt --grep '\\bnot\\b'
  mtassay metaeval wmt13/fr-en --judgements pairs.tsv -m bleu chrf ter --level segment
  mtassay align ref.txt -i hyp.txt --segment 17
  mtassay tune --nbest nbest.txt -r ref.txt -m bleu
  mtassay demo
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        if sys.stderr is None:  # closed by the shell: 2>&-; what is said there must not go to standard output instead
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (open to the end)
        if sys.stdout is None:
            _complain("standard output is closed")
            return 2
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a lone surrogate in a text must not stop a table
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        # NumPy's BLAS would start threads of its own that spin for a while and take cores from ours.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # In a context of its own: limits and records of files are those of this run.
        status = copy_context().run(_run, sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except MtassayError as error:
        _complain(str(error))
        return 2
    except BrokenPipeError:
        # The reader went away (mtassay ... | head): not our error, and nothing more can be said on this pipe.
        _silence(sys.stdout)
        return 0
    except OSError as error:
        # Readers and writers report what they meet. What has no name is standard output, full or closed.
        if error.filename is not None:
            _complain(f"{os.fsdecode(error.filename)} cannot be used: {error.strerror}")
            return 2
        _complain(f"cannot write to standard output: {error.strerror}")
        _silence(sys.stdout)
        return 2
    except MemoryError:
        _complain("out of memory; take less at a time: fewer systems, metrics or threads")
        return 2
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    return status


def _complain(message: str) -> None:
    """Say what is wrong; where nobody can be told, the exit status says it alone."""
    try:
        print(f"mtassay: {message}", file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Keep the interpreter from trying again, at exit, to write what could not be written."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str]) -> int:
    start_run()
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(_USAGE.format(verbs="\n".join(f"  {verb:<11} {what}" for verb, (_, what) in VERBS.items())), end="")
        return 0
    if arguments[0] in {"-V", "--version"}:
        from mtassay.kernels import backend

        print(f"mtassay {__version__} ({backend()} kernels)")
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        raise MtassayError(unknown_name("verb", verb, VERBS, see="mtassay --help"))
    status: int = import_module(VERBS[verb][0]).run(rest)
    return status


if __name__ == "__main__":
    sys.exit(main())
