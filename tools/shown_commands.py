"""Commands that pages show, with what they print there: found, run, compared and refreshed.

A block of commands is fenced (```console, ```bash) or indented by four spaces. Lines after "$ " are commands, and the
lines up to the next one are what it prints; in a block without "$" every line is a command that shows nothing. A line
"…" in an output stands for any number of lines, and "…" in a line for any text. A fenced block of TOML whose first
line is a comment with a file name is that file.

All commands of a page run in one folder, in their order. The folder has the files that pages speak of (``ref.txt``,
``hyp/*``, ``sample`` …), all of them from the built-in sample, and the folders of the data, where there are any.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from real_data import data_folder

import mtassay
from mtassay.data import write_evalset
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from mtassay import TestSet

ROOT = Path(__file__).resolve().parents[1]
DATA = data_folder()
ANY_LINES = "…"
_FENCE = re.compile(r"^( *)```(\S*)\s*$")
#: What the first line of an indented block of commands begins with.
_PROGRAM = re.compile(r"(\$ |# \w|(cat|eval|make|man|mtassay|pip|printf|python|sacrebleu|zcat)\b|[A-Z_]+=)")
_SHELLS = {"console", "bash", "sh"}
#: A folder of data: at the beginning of a path, or a test set with its language pair.
_DATA_PATH = re.compile(r"(?<![\w./-])(wmt\d\d[\w-]*)(?=/| -l )")
#: Files of the data that pages name without their folder.
FROM_DATA = {
    "rankings.csv": "wmt13/fr-en/rankings5way.train.csv",
    "wmt07.judgements.csv": "wmt07-11/wmt07.judgements.csv",
    "wmt12.RNK_results.csv": "wmt12/wmt12.RNK_results.csv",
    "DA.ad-seg-scores-cs-en.csv": "wmt21/cs-en/DA.ad-seg-scores-cs-en.csv",
    "ad-csen-good-stnd.csv": "wmt22-da/ad-csen-good-stnd.csv",
    "en-de.mqm.merged.seg.rating": "wmt23/human-scores/en-de.mqm.merged.seg.rating",
    "en-de.mqm.seg.score": "wmt23/human-scores/en-de.mqm.seg.score",
    "FEATSTAT.txt": "nbest/regtest/mert.basic/data/FEATSTAT.txt",
    "SCORESTAT.txt": "nbest/regtest/mert.basic/data/SCORESTAT.txt",
}
#: Names that pages give to files of the sample.
FROM_SAMPLE = {
    "references/de-en.ref1.txt": ("ref.txt", "refA", "news.en", "guide.txt"),
    "references/de-en.ref2.txt": ("refB",),
    "sources/de-en.txt": ("src.txt",),
    "documents/de-en.docs": ("docs.txt",),
    "human.tsv": ("human.tsv", "da.tsv", "scores.tsv", "adequacy.tsv"),
    "system-outputs/de-en/atlas.txt": ("hyp.txt", "a.txt", "A.txt", "hyp/a.txt", "online-A.txt"),
    "system-outputs/de-en/cobalt.txt": ("b.txt", "B.txt", "hyp/b.txt", "online-B.txt"),
    "system-outputs/de-en/dune.txt": ("C.txt",),
}
#: A command that takes longer is stopped.
_SECONDS = 300
_TOML_FILE = re.compile(r"^```toml\n# (\S+\.toml)\n.*?^```$", re.DOTALL | re.MULTILINE)
#: Commands that make trees, or read those that pages have made.
_TREES = re.compile(r"link-grammar|file:trees")
_SERVER = re.compile(r"\bmtassay ((?:judge )?serve)\b")
_MAKE_CERTIFICATE = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=my-machine -keyout key.pem -out chain.pem"
#: Runs a server until it is ready, then interrupts it.
_UNTIL_READY = """\
import signal, subprocess, sys
server = subprocess.Popen(["mtassay", *sys.argv[1:]], stderr=subprocess.PIPE, text=True)
for line in server.stderr:
    print(line, end="", file=sys.stderr)
    if "Ctrl-C ends" in line:
        server.send_signal(signal.SIGINT)
sys.exit(server.wait())
"""


@dataclass(frozen=True)
class Shown:
    """A command of a page.

    Attributes:
        line: number of its line, counted from 1.
        command: the command, without its prompt; several lines if they end in a backslash.
        output: the lines below it; None if the page shows none.
        first: index of the first of these lines in the page.
        indent: what stands before every line of the block.
        in_session: whether it has a prompt. Such commands start where the one before has ended.
    """

    line: int
    command: str
    output: tuple[str, ...] | None
    first: int
    indent: str
    in_session: bool

    @property
    def missing(self) -> str | None:
        """What it needs and is not there, with the command that gets it."""
        absent = [name for name in self.data_sets if not (DATA / name).is_dir()]
        if absent:
            return f"no data: make data SETS='{' '.join(absent)}'"
        if _TREES.search(self.command) and shutil.which("link-parser") is None:
            return "no link-parser: apt-get install link-grammar link-grammar-dictionaries-en"
        return None

    @property
    def status(self) -> int:
        """The exit status that its output promises: 2 if it ends in an error."""
        ends_in_error = self.output is not None and self.output[-1].startswith("mtassay: ")
        return 2 if ends_in_error and "Ctrl-C ends" not in (self.output or ("",))[-1] else 0

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Folders of data that it reads."""
        words = self.command.split()
        named = [path.split("/")[0] for name, path in FROM_DATA.items() if name in words]
        return tuple(dict.fromkeys([*_DATA_PATH.findall(self.command), *named]))


def find(text: str) -> list[Shown]:
    """The commands of a page, in their order."""
    lines = text.split("\n")
    return [shown for first, last, indent in _blocks(lines) for shown in _commands(lines, first, last, indent)]


def _blocks(lines: list[str]) -> list[tuple[int, int, str]]:
    """Blocks of commands: the first line, the line after the last, and the indent."""
    found, number = [], 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        begin = number + 1 if fence else number
        number = begin
        if fence:
            while lines[number].strip() != "```":
                number += 1
            if fence[2] in _SHELLS:
                found.append((begin, number, fence[1]))
            number += 1
        elif lines[number].startswith("    ") and (not number or not lines[number - 1].strip()):
            while number < len(lines) and (lines[number].startswith("    ") or not lines[number].strip()):
                number += 1
            end = number
            while not lines[end - 1].strip():
                end -= 1
            if _PROGRAM.match(lines[begin][4:]):
                found.append((begin, end, "    "))
        else:
            number += 1
    return found


def _commands(lines: list[str], first: int, last: int, indent: str) -> list[Shown]:
    block = [line.removeprefix(indent) for line in lines[first:last]]
    in_session = any(line.startswith("$ ") for line in block)
    starts = [n for n, line in enumerate(block) if _starts(line, block[n - 1] if n else "", in_session=in_session)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        below = start + 1
        while block[below - 1].endswith("\\"):
            below += 1
        command = "\n".join(block[start:below]).removeprefix("$ ")
        while end > below and not block[end - 1].strip():
            end -= 1
        output = tuple(block[below:end]) if in_session and end > below else None
        found.append(Shown(first + start + 1, command, output, first + below, indent, in_session))
    return found


def _starts(line: str, before: str, *, in_session: bool) -> bool:
    if in_session:
        return line.startswith("$ ")
    return bool(line.strip()) and not line.startswith("#") and not before.endswith("\\")


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether a command printed what the page shows; a line "…" stands for any lines, "…" in a line for any text.

    >>> matches(("a", "…", "d"), ["a", "b", "c", "d"]), matches(("a", "…"), ["b", "a"]), matches(("a …",), ["a b"])
    (True, False, True)
    """
    pattern = "".join(r"(?:.*\n)*" if line == ANY_LINES else f"{_pattern(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.rstrip().split(ANY_LINES)))


def refreshed(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """What the page should show: the printed lines, with "…" where the page left lines out.

    >>> refreshed(("x 1", "…", "z 3"), ["x 4", "y 5", "z 6"])
    ['x 4', '…', 'z 6']
    """
    if ANY_LINES not in shown:
        return printed
    parts: list[list[str]] = [[]]
    for line in shown:
        if line == ANY_LINES:
            parts.append([])
        else:
            parts[-1].append(line)
    found, at = [], 0
    for number, part in enumerate(parts):
        if number == len(parts) - 1:
            at = max(at, len(printed) - len(part))
        elif number:
            at = max(range(at, len(printed) + 1), key=lambda start: _alike(part, printed[start:]))
        found += ([ANY_LINES] if number else []) + printed[at : at + len(part)]
        at += len(part)
    return found


def _alike(part: list[str], lines: list[str]) -> int:
    """How many lines are the same but for digits and white space."""
    return sum(_skeleton(a) == _skeleton(b) for a, b in zip(part, lines, strict=False))


def _skeleton(line: str) -> str:
    return re.sub(r"[\d.\s]+", " ", line)


class Place:
    """A folder in which the commands of a page run."""

    def __init__(self, folder: Path, text: str = "") -> None:
        """Make the folder for a page with this text."""
        self.home = folder / "home"
        self._where = folder / "where"
        self._tools = folder / "bin"
        for made in (self.home, self._tools):
            made.mkdir(parents=True)
        for name, arguments in (("python", ""), ("mtassay", "-m mtassay")):
            tool = self._tools / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
            tool.chmod(0o755)
        self._until_ready = folder / "until_ready.py"
        self._until_ready.write_text(_UNTIL_READY, encoding="utf-8")
        self._furnish()
        for block in _TOML_FILE.finditer(text):
            (self.home / block[1]).write_text("\n".join(block[0].split("\n")[1:-1]), encoding="utf-8")
        if "chain.pem" in text:
            self._shell(_MAKE_CERTIFICATE, self.home)
        if any("demo --keep sample" in shown.command for shown in find(text)):  # the page makes it
            shutil.rmtree(self.home / "sample")

    def _furnish(self) -> None:
        """Put the files there that pages name."""
        home, sample = self.home, self.home / "sample"
        testset = mtassay.load(sample_path())
        write_evalset(testset, sample, "de-en")
        shutil.copyfile(human_scores_path(), sample / "human.tsv")
        shutil.copyfile(sample_path(), home / "sample.jsonl")
        shutil.copytree(sample / "system-outputs/de-en", home / "hyp")
        shutil.copytree(home / "hyp", home, dirs_exist_ok=True)
        for source, names in FROM_SAMPLE.items():
            for name in names:
                shutil.copyfile(sample / source, home / name)
        (home / "pairs.tsv").write_text(_preferences(sample / "human.tsv"), encoding="utf-8")
        # Another aspect of the same outputs: what the first two judges said.
        scores = (sample / "human.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        (home / "fluency.tsv").write_text("".join(row for row in scores if "\tJ3\t" not in row), encoding="utf-8")
        for name, text in _lists(testset).items():
            (home / name).write_text(text, encoding="utf-8")
        for name, zipped in (("ref.txt", "ref.txt.gz"), ("hyp.txt", "hyp.txt.gz"), ("nbest.txt", "run1.nbest.gz")):
            (home / zipped).write_bytes(gzip.compress((home / name).read_bytes()))
        (home / "examples").symlink_to(ROOT / "examples")
        if DATA.is_dir():
            for folder in DATA.resolve().iterdir():
                if folder.is_dir():
                    (home / folder.name).symlink_to(folder)
            for name, path in FROM_DATA.items():
                (home / name).symlink_to(DATA.resolve() / path)

    def run(self, shown: Shown) -> tuple[int, list[str]]:
        """Exit status and printed lines of a command; one with a prompt starts where the last one ended."""
        where = Path(self._where.read_text().strip()) if shown.in_session and self._where.exists() else self.home
        command = _SERVER.sub(rf"python '{self._until_ready}' \1 --port 0", shown.command)
        return self._shell(f"{command}\nstatus=$?\npwd > '{self._where}'\nexit $status", where)

    def _shell(self, script: str, where: Path) -> tuple[int, list[str]]:
        configured = self.home / "mtassay.toml"
        environment = os.environ | {
            "PATH": f"{self._tools}{os.pathsep}{os.environ.get('PATH', '')}",
            # The mtassay that runs this, also where it is not installed.
            "PYTHONPATH": str(Path(mtassay.__file__).parents[1]),
            # What somebody configured must not change what commands print; what the page configures does.
            "MTASSAY_CONFIG": str(configured) if configured.exists() else "none",
            "COLUMNS": "120",
            "NO_COLOR": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", script],
            cwd=where,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
        return done.returncode, [line.rstrip() for line in done.stdout.strip("\n").split("\n")]


def _preferences(scores: Path) -> str:
    """Preferences (segment, better, worse) of the first judge, from the scores of the sample."""
    rows = [line.split("\t") for line in scores.read_text(encoding="utf-8").splitlines()[1:]]
    of_segment: dict[str, dict[str, int]] = {}
    for segment, system, judge, score in rows:
        if judge == rows[0][2]:
            of_segment.setdefault(segment, {})[system] = int(score)
    lines = []
    for segment, of_system in of_segment.items():
        for pair in combinations(of_system, 2):
            better, worse = sorted(pair, key=of_system.__getitem__, reverse=True)
            if of_system[better] > of_system[worse]:
                lines.append(f"{segment}\t{better}\t{worse}\n")
    return "".join(lines)


def _lists(testset: TestSet) -> dict[str, str]:
    """Lists of candidates (the outputs of all systems) in three formats, and weights of their features."""
    segments = list(zip(*testset.systems.values(), strict=True))
    nbest = [
        f"{number} ||| {text} ||| LM0= {-1 - place} WordPenalty0= {-len(text.split())} ||| {-1 - place}\n"
        for number, texts in enumerate(segments)
        for place, text in enumerate(texts)
    ]
    samples = "".join(f"{text}\n" for texts in segments for text in texts)
    as_json = "".join(json.dumps({"candidates": texts}, ensure_ascii=False) + "\n" for texts in segments)
    return {
        "nbest.txt": "".join(nbest),
        "new.txt": "LM0_0 1\nWordPenalty0_0 -0.5\n",
        "old.txt": "LM0_0 0.5\nWordPenalty0_0 0\n",
        "samples.txt": samples,
        "beam.txt": samples,
        "samples.jsonl": as_json,
    }
