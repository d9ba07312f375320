"""The arguments of sacreBLEU's command line."""

from __future__ import annotations

import argparse
import os

from mtassay.compat.sacrebleu.metrics import BLEU, CHRF, METRICS
from mtassay.compat.sacrebleu.version import __version__

_FORMATS = ("json", "text", "latex")


def parse_args() -> argparse.Namespace:
    """Parse the command line; the variable SACREBLEU_FORMAT overrides ``--format``."""
    args = make_parser().parse_args()
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if wanted in _FORMATS:
        args.format = wanted
    return args


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        usage="python -m mtassay.compat.sacrebleu [options] [refs ...] [-i system ...]",
        description="sacreBLEU's command line, computed by mtassay.\n\nexample:\n"
        "  cat output.detok.de | python -m mtassay.compat.sacrebleu -t wmt14 -l en-de",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_test_sets(parser)
    _add_inputs(parser)
    _add_bleu(parser)
    _add_chrf(parser)
    _add_ter(parser)
    _add_confidence(parser)
    _add_output(parser)
    return parser


def _add_test_sets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--citation", "--cite", action="store_true", help="print the citation of the test set")
    parser.add_argument(
        "--list", action="store_true", help="list test sets, or the language pairs and fields of one (-t)"
    )
    parser.add_argument("--test-set", "-t", help="a test set, or several separated by commas")
    parser.add_argument("--language-pair", "-l", dest="langpair", help="language pair, such as en-de")
    parser.add_argument("--origlang", "-ol", help="use segments with this original language; non-XX for all others")
    parser.add_argument("--subset", help="use documents whose labels match this regular expression")
    parser.add_argument("--download", help="download a test set")
    parser.add_argument(
        "--echo", nargs="+", help="print fields of the test set (src, ref, docid …, or all), separated by tabs"
    )


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--input", "-i", nargs="*", help="system outputs (default: standard input)")
    parser.add_argument("refs", nargs="*", default=[], help="reference files; give them before -i")
    parser.add_argument(
        "--num-refs", "-nr", type=int, default=1, help="split references at tabs into this many (default: 1)"
    )
    parser.add_argument("--encoding", "-e", default="utf-8", help="encoding of files (default: utf-8)")
    names = [name.lower() for name in METRICS]
    parser.add_argument("--metrics", "-m", choices=names, nargs="+", default=["bleu"], help="metrics (default: bleu)")
    parser.add_argument("--sentence-level", "-sl", action="store_true", help="score every segment")


def _add_bleu(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("BLEU")
    group.add_argument(
        "--smooth-method",
        "-s",
        choices=BLEU.SMOOTH_DEFAULTS.keys(),
        default="exp",
        dest="bleu_smooth_method",
        help="smoothing (default: exp)",
    )
    group.add_argument(
        "--smooth-value",
        "-sv",
        type=float,
        dest="bleu_smooth_value",
        help="value for floor (default: 0.1) and add-k (default: 1)",
    )
    group.add_argument(
        "--tokenize",
        "-tok",
        choices=BLEU.TOKENIZERS,
        dest="bleu_tokenize",
        help="tokenizer (default: zh, ja-mecab or ko-mecab for these languages, else 13a)",
    )
    group.add_argument("--lowercase", "-lc", action="store_true", dest="bleu_lowercase", help="ignore case")
    group.add_argument(
        "--force", action="store_true", dest="bleu_force", help="do not warn about texts that look tokenised"
    )


def _add_chrf(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("chrF")
    group.add_argument(
        "--chrf-char-order", "-cc", type=int, default=CHRF.CHAR_ORDER, help="order of character n-grams (default: 6)"
    )
    group.add_argument(
        "--chrf-word-order",
        "-cw",
        type=int,
        default=CHRF.WORD_ORDER,
        help="order of word n-grams; 2 is chrF++ (default: 0)",
    )
    group.add_argument("--chrf-beta", type=int, default=CHRF.BETA, help="weight of recall (default: 2)")
    group.add_argument("--chrf-whitespace", action="store_true", help="keep white space")
    group.add_argument("--chrf-lowercase", action="store_true", help="ignore case")
    group.add_argument("--chrf-eps-smoothing", action="store_true", help="epsilon smoothing")


def _add_ter(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("TER")
    group.add_argument("--ter-case-sensitive", action="store_true", help="keep case")
    group.add_argument("--ter-asian-support", action="store_true", help="split Chinese and Japanese characters")
    group.add_argument("--ter-no-punct", action="store_true", help="remove punctuation")
    group.add_argument("--ter-normalized", action="store_true", help="normalise and tokenise as tercom does")


def _add_confidence(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("intervals and tests")
    group.add_argument("--confidence", "-ci", action="store_true", help="95 %% interval of one system")
    group.add_argument("--confidence-n", "-cin", type=int, default=1000, help="resamples (default: 1000)")
    either = group.add_mutually_exclusive_group()
    either.add_argument("--paired-ar", "-par", action="store_true", help="approximate randomisation")
    either.add_argument("--paired-bs", "-pbs", action="store_true", help="bootstrap test")
    group.add_argument("--paired-ar-n", "-parn", type=int, default=10000, help="resamples (default: 10000)")
    group.add_argument("--paired-bs-n", "-pbsn", type=int, default=1000, help="resamples (default: 1000)")
    group.add_argument(
        "--paired-jobs", "-j", type=int, default=1, help="number of threads; 0: one per system (default: 1)"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--quiet", "-q", action="store_true", help="print no messages")
    group.add_argument("--short", "-sh", action="store_true", help="short signatures")
    group.add_argument("--score-only", "-b", action="store_true", help="print only the score")
    group.add_argument("--width", "-w", type=int, default=1, help="decimals (default: 1)")
    group.add_argument("--detail", "-d", action="store_true", help="also show scores by original language and domain")
    group.add_argument("--no-color", "-nc", action="store_true", help="no colours")
    group.add_argument(
        "--format",
        "-f",
        default="json",
        choices=_FORMATS,
        help="output format; latex only for several systems (default: json)",
    )
    parser.add_argument("--version", "-V", action="version", version=f"%(prog)s {__version__}")
