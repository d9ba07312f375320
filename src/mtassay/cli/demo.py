"""``mtassay demo``: the main verbs on the built-in sample, each shown with its command."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser
from mtassay.cli.output import OutputFolder

if TYPE_CHECKING:
    from types import ModuleType

_EXAMPLES = """\
  mtassay demo
  mtassay demo --keep out      keep the sample's files to try things out
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("demo", "A tour on the built-in sample (texts and scores written for illustration).", _EXAMPLES)
    parser.add_argument("--keep", action=OutputFolder, metavar="FOLDER", help="keep the sample's files in this folder")
    args = parser.parse_args(argv)
    # Print only at the end: plots must be written even if the reader closes the pipe after a few lines.
    with redirect_stdout(StringIO()) as printed:
        if args.keep:
            _tour(Path(args.keep), kept=True)
        else:
            with tempfile.TemporaryDirectory() as folder:
                _tour(Path(folder) / "sample", kept=False)
    print(printed.getvalue(), end="")
    return 0


def _tour(folder: Path, *, kept: bool) -> None:
    from importlib.util import find_spec

    from mtassay.cli import agreement, align, compare, humans, metaeval, rank, report, score
    from mtassay.data import load, write_evalset
    from mtassay.sample import human_scores_path, sample_path

    testset = load(sample_path())
    write_evalset(testset, folder, "de-en")
    shutil.copyfile(human_scores_path(), folder / "human.tsv")
    here = Path.cwd()
    os.chdir(folder)
    try:
        print("64 invented segments, six invented systems: for illustration only, not results of real systems.\n")
        refs = [f"references/de-en.{name}.txt" for name in testset.reference_names]
        systems = [f"system-outputs/de-en/{name}.txt" for name in testset.systems]
        _show("How good is each system?", "score", [*refs, "-i", *systems, "-m", "bleu", "chrf", "ter", "RAC1"], score)
        _show("What is BLEU made of?", "score", [refs[0], "-i", *systems[:3], "-v"], score)
        _show("And in each domain?", "score", [".", "-l", "de-en", "--by", "domain", "-m", "bleu", "chrf"], score)
        _show("What went wrong in segment 3?", "align", [refs[0], "-i", systems[3], "--segment", "3"], align)
        scored = [".", "-l", "de-en", "-m", "bleu", "chrf"]
        drawn = {"heatmap": "pairs.svg", "clusters": "clusters.svg", "scatter": "metrics.svg"}
        pictures = [["--plot", kind, file] for kind, file in drawn.items()]
        if find_spec("matplotlib") is None:
            pictures = [[], [], []]
        _show("Which differences are real?", "compare", [*scored, *pictures[0]], compare)
        _show("So what is the ranking?", "rank", [*scored, *pictures[1]], rank)
        _show("What do the human judges say?", "humans", ["human.tsv", "--method", "z", "mean"], humans)
        _show("Do the judges agree with each other?", "agreement", ["human.tsv"], agreement)
        against = [".", "-l", "de-en", "--judgements", "human.tsv", "--gold", "z", "-m", "bleu", "chrf", "ter", "RAC1"]
        _show("Which metric agrees best with the judges?", "metaeval", [*against, *pictures[2]], metaeval)
        everything = [".", "-l", "de-en", "--judgements", "human.tsv", "--gold", "z", "-o", "report.html"]
        _show("Where do the systems differ? All of this on one page, with examples", "report", everything, report)
        if not pictures[0]:
            print("These commands can also draw plots: pip install 'mtassay[plot]'\n")
        elif kept:
            print(f"Plots: {', '.join(str(folder / file) for file in drawn.values())}\n")
        if kept:
            print(f"Report (open it in a browser): {folder / 'report.html'}\n")
        first = f"cd {shlex.quote(str(folder))}" if kept else "mtassay demo --keep sample && cd sample"
        print(f"To try these commands yourself: {first}")
    finally:
        os.chdir(here)


def _show(question: str, verb: str, arguments: list[str], module: ModuleType) -> None:
    print(f"── {question}\n$ mtassay {verb} {' '.join(arguments)}\n")
    module.run([*arguments, "--no-config"])  # the same tour everywhere
    print()
