"""``python -m mtassay.compat.sacrebleu`` prints what sacreBLEU prints, byte for byte but for the backend."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu as original

import mtassay.compat.sacrebleu

WORDS = ["The", "the", "cat", "Dog", "sat", "on", "a", "mat", ",", ".", "3.5", "Über", "said", "(hi)", "100%", "x-y"]

#: Arguments, and the file that is standard input.
COMMANDS = [
    (command.split(), stdin)
    for command, stdin in [
        # The command lines of sacreBLEU's own test.sh that need no download.
        ("-w 2 -b buggy.txt", "okay.txt"),
        ("-w 2 -b okay.txt", "okay.txt"),
        ("-w 4 -b -l cs-en ref1 -i sys1", "empty"),
        ("-lc -w 4 -b -l cs-en ref1 -i sys1", "empty"),
        ("--tokenize 13a -w 4 -b -l cs-en ref1 -i sys1", "empty"),
        ("--tokenize none -w 4 -b -l cs-en ref1 -i sys1", "empty"),
        ("-w 4 -b -l cs-en ref1 ref2 -i sys1", "empty"),
        ("-m chrf --chrf-eps-smoothing -w 4 -b -l cs-en ref1 ref2 -i sys1", "empty"),
        ("-m chrf -w 4 -b -l cs-en ref1 ref2 -i sys1", "empty"),
        ("-m chrf -cw 2 -w 4 -b -l cs-en ref1 ref2 -i sys1", "empty"),
        ("-w 4 -b -l cs-en --num-refs 2 refs.tsv -i sys1", "empty"),
        ("-f text -l cs-en ref1 ref2 -i sys1", "empty"),
        ("-f text -l cs-en --num-refs 2 refs.tsv -i sys1", "empty"),
        ("-w 2 -l en-ja -b ref1", "sys1"),
        ("-w 3 -b --metrics ter ref1", "sys1"),
        ("-w 2 -b --tokenize intl ref1", "sys1"),
        # Everything else.
        ("ref1 -i sys1", "empty"),
        ("ref1", "sys1"),
        ("ref1", "empty"),
        ("one.txt", "empty"),
        ("ref1 -f text -m bleu chrf ter", "sys1"),
        ("ref1 -f text -m ter bleu chrf -b -w 3", "sys1"),
        ("ref1 -m bleu chrf ter -w 3", "sys1"),
        ("ref1 -f text -sh --lowercase -s floor -sv 0.2", "sys1"),
        ("ref1 -sl -f text", "sys1"),
        ("ref1 ref2 -sl -b -w 4 -m chrf", "sys1"),
        ("ref1 -sl -m ter -sh", "sys1"),
        ("ref1 -ci -w 4", "sys1"),
        ("ref1 -ci -cin 200 -f text -m bleu chrf -sh", "sys1"),
        ("ref1 -i sys1 sys2 sys3 -m bleu chrf ter", "empty"),
        ("ref1 -i sys1 sys2 -f text -m chrf bleu -w 3", "empty"),
        ("ref1 -i sys1 sys2 sys3 -f latex -m bleu ter -sh", "empty"),
        ("ref1 -f text", "systems.tsv"),
        ("ref1 -i sys1 sys2 sys3 --paired-bs -w 4", "empty"),
        ("ref1 -i sys1 sys2 sys3 --paired-bs -f text -pbsn 200", "empty"),
        ("ref1 -i sys1 sys2 sys1 --paired-ar -parn 500 -m bleu chrf ter", "empty"),
        ("ref1 ref2 -i sys1 sys2 --paired-ar -parn 300 -f text -m bleu ter", "empty"),
        ("ref1 -i sys1 sys2 --paired-ar -parn 300 -f latex -j 2", "empty"),
        ("ref1 --paired-bs -pbsn 100 -f text", "systems.tsv"),
        ("ref1.gz -i sys1 -b", "empty"),
        ("latin1 -i latin1 -e latin-1 -b", "empty"),
        ("--version", "empty"),
        # Errors.
        ("", "empty"),
        ("ref1 -i short", "empty"),
        ("ref1 -i sys1 sys1", "empty"),
        ("ref1 -i sys1 sys2 -ci", "empty"),
        ("ref1 -i sys1 --paired-bs", "empty"),
        ("ref1 -i sys1 sys2 -sl", "empty"),
        ("ref1 -i sys1 -sl -ci", "empty"),
        ("ref1 -i sys1 -sl -m bleu ter", "empty"),
        ("ref1 ref2 -nr 2 -i sys1", "empty"),
        ("ref1 -nr 2 -i sys1", "empty"),
        ("ref1", "ragged.tsv"),
        ("ref1 -t wmt17 -l en-de -i sys1", "empty"),
        ("-t wmt05 -l en-de -i sys1", "empty"),
        ("-t wmt17 -i sys1", "empty"),
        ("-t wmt17 -l en-xx -i sys1", "empty"),
        ("--echo src", "empty"),
        ("--cite", "empty"),
        ("ref1 -i sys1 -tok other", "empty"),
        # Test sets: what is known without a download.
        ("--list", "empty"),
        ("--list -l en-it", "empty"),
        ("--list -t wmt17", "empty"),
        ("--list -t wmt17/ms -l zh-en", "empty"),
        # Test sets: from the cache.
        ("-t wmt17/ms -l zh-en --echo src", "empty"),
        ("-t wmt17/ms -l zh-en --echo ref:2 src", "empty"),
        ("-t wmt17/ms -l zh-en --echo all", "empty"),
        ("-t wmt17/ms -l zh-en --echo other", "empty"),
        ("-t wmt17/ms -l zh-en -i cached", "empty"),
        ("-t wmt17/ms -l zh-en -f text -tok none", "cached"),
        ("-t wmt17/ms,wmt17/ms -l zh-en -b -w 4", "cached-twice"),
        ("-t wmt17/ms -l zh-en -i sys1", "empty"),
        ("-t wmt17 -l de-en -b -w 4 --origlang de", "cached"),
        ("-t wmt17 -l de-en -b -w 4 --origlang non-de", "cached"),
        ("-t wmt17 -l de-en -b -w 4 --origlang fr", "cached"),
        ("-t wmt17 -l de-en -b --detail", "cached"),
        ("-t wmt17 -l de-en --echo ref --origlang de", "empty"),
    ]
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts, and a cache with two test sets."""
    path = tmp_path_factory.mktemp("commands")
    draw = random.Random(5)
    refs = [[" ".join(draw.choices(WORDS, k=draw.randint(1, 14))) for _ in range(30)] for _ in range(2)]
    systems = [[_changed(text, draw, share) for text in refs[0]] for share in (0.1, 0.2, 0.6)]
    files = {f"ref{r}": texts for r, texts in enumerate(refs, 1)} | {f"sys{s}": t for s, t in enumerate(systems, 1)}
    files |= {
        "refs.tsv": list(map("\t".join, zip(*refs, strict=True))),
        "systems.tsv": list(map("\t".join, zip(*systems, strict=True))),
        "ragged.tsv": ["a\tb", "c"],
        "short": systems[0][:5],
        "one.txt": [""],
        "okay.txt": ["Hello! How are you doing today?"],
        "cached": systems[0][:6],
        "cached-twice": systems[0][:6] * 2,
    }
    for name, lines in files.items():
        (path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (path / "empty").write_bytes(b"")
    (path / "buggy.txt").write_bytes(b"Hello! How are you \r doing today?")
    (path / "latin1").write_bytes("Über\nstraße x y z\n".encode("latin-1"))
    import gzip

    (path / "ref1.gz").write_bytes(gzip.compress((path / "ref1").read_bytes()))
    _fill_cache(path / "cache", refs)
    return path


def _changed(text: str, draw: random.Random, share: float) -> str:
    return " ".join(draw.choice(WORDS) if draw.random() < share else word for word in text.split())


def _fill_cache(cache: Path, refs: list[list[str]]) -> None:
    """Files as sacreBLEU leaves them after a download: texts, and raw SGML for original languages."""
    for name, pair in (("wmt17/ms", "zh-en"), ("wmt17", "de-en")):
        outdir = cache / name
        outdir.mkdir(parents=True, exist_ok=True)
        for number, field in enumerate(original.DATASETS[name].fieldnames(pair)):
            lines = refs[number % 2][:6]
            text = "".join(f"{line}\n" for line in lines)
            file = f"{name.replace('/', '_')}.{pair}.{field.replace(':', '-')}"
            (outdir / file).write_text(text, encoding="utf-8")
    documents = "".join(
        f'<doc sysid="ref" docid="d{d}" genre="news" origlang="{lang}">\n'
        + "".join(f'<seg id="{s}">x</seg>\n' for s in range(1, 4))
        + "</doc>\n"
        for d, lang in enumerate(("de", "en"))
    )
    raw = cache / "wmt17" / "raw" / Path(original.DATASETS["wmt17"].langpairs["de-en"][0])
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(documents, encoding="utf-8")


def _outputs(module: str, folder: Path) -> list[tuple[int, str]]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SACREBLEU")}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("sacrebleu_commands.py")), module, str(folder)],
        input=json.dumps(COMMANDS),
        capture_output=True,
        text=True,
        check=True,
        env=environment | {"SACREBLEU": str(folder / "cache")},
    )
    return [(status, text) for status, text in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def outputs(folder: Path) -> list[tuple[tuple[int, str], tuple[int, str]]]:
    ours, theirs = (
        _outputs(module, folder) for module in ("mtassay.compat.sacrebleu.sacrebleu", "sacrebleu.sacrebleu")
    )
    return list(zip(ours, theirs, strict=True))


def _without_backend(text: str) -> str:
    """Our output without the one difference: in signatures, and as a field of JSON."""
    return re.sub(r',\n "backend": "mtassay"', "", text.replace("|backend:mtassay", ""))


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=lambda number: " ".join(COMMANDS[number][0]) or "nothing")
def test_same_output(number: int, outputs: list[tuple[tuple[int, str], tuple[int, str]]]) -> None:
    (our_status, ours), (their_status, theirs) = outputs[number]
    assert 70 not in (our_status, their_status), "raises an exception"
    assert (our_status, _without_backend(ours)) == (their_status, theirs)


def test_signatures_name_the_backend(outputs: list[tuple[tuple[int, str], tuple[int, str]]]) -> None:
    with_signature = [ours for (_, ours), (_, theirs) in outputs if "version:" in theirs]
    assert len(with_signature) > 10
    assert all("|backend:mtassay" in ours for ours in with_signature)


def test_as_a_module(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mtassay.compat.sacrebleu", "ref1", "-i", "sys1", "-f", "text"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    version = mtassay.compat.sacrebleu.__version__
    assert re.match(rf"BLEU\|nrefs:1\|.*\|version:{version}\|backend:mtassay = \d", done.stdout)


def test_cite(folder: Path) -> None:
    """SacreBLEU 2.6.0 has the option, but fails."""
    done = subprocess.run(
        [sys.executable, "-m", "mtassay.compat.sacrebleu", "--cite", "-t", "wmt17,wmt18"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    assert done.stdout == "".join(f"{original.DATASETS[name].citation}\n" for name in ("wmt17", "wmt18"))
