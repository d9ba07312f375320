"""The loop with the example's decoder: what it keeps, how it goes on after being killed, and decoders that go wrong."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mtassay.data import load
from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.data.formats.weights import listed, read_weights
from mtassay.errors import InputError
from mtassay.metrics.core.spec import parse
from mtassay.sample import sample_path
from mtassay.tuning.candidates import candidates_of
from mtassay.tuning.decoder import Decoder
from mtassay.tuning.loop import LoopResult
from mtassay.tuning.rerank import rerank
from mtassay.verbs.tune_decoder import tune_decoder

EXAMPLE = Path(__file__).parents[3] / "examples" / "lattice_decoder.py"
NAMES = ["Votes_0", "LM_0", "Words_0", *(f"Sys_{number}" for number in range(3))]
START = dict.fromkeys(NAMES, 0.1)
OPTIONS = {"restarts": 2, "random_directions": 1}
posix = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


def group_of(pid_file: Path) -> list[str]:
    """Processes of a group that still run; ended ones may wait for whoever should take note of it."""
    group, found = pid_file.read_text(encoding="utf-8").strip(), []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, process_group = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
            if process_group == group and state != "Z":
                found.append(stat.parent.name)
    return found


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The first segments of the sample: files of three systems, and both references."""
    folder = tmp_path_factory.mktemp("outputs")
    testset = load(sample_path())
    for name in ("atlas", "cobalt", "fjord"):
        lines = [f"{text}\n" for text in testset.systems[name][:16]]
        (folder / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    outputs = " ".join(shlex.quote(str(path)) for path in sorted(folder.iterdir()))
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(EXAMPLE))} {outputs}"
    return {
        "command": f"{command} --size 20 --weights {{weights}} --nbest {{nbest}}",
        "references": [stream[:16] for stream in testset.references],
    }


def tuned(inputs: dict[str, Any], folder: Path, **changes: Any) -> LoopResult:
    arguments: dict[str, Any] = {"start": START, "options": OPTIONS, "iterations": 4} | changes
    command = arguments.pop("command", inputs["command"])
    return tune_decoder(
        Decoder(command, arguments.pop("timeout", 60.0)), inputs["references"], "bleu", folder=folder, **arguments
    )


@pytest.fixture(scope="module")
def whole(inputs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an unbroken run."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    tuned(inputs, folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_the_loop_ends_when_the_weights_stay(inputs: dict[str, Any], tmp_path: Path) -> None:
    """The decoder finds the reference first, and always something new that is worse: no other weights are better."""
    script = tmp_path / "decoder.py"
    script.write_text(
        "import secrets, sys\n"
        "with open(sys.argv[1], 'w', encoding='utf-8') as file:\n"
        "    for number, text in enumerate(sys.argv[2:]):\n"
        "        file.write(f'{number} ||| {text} ||| x= 1 ||| 0\\n')\n"
        "        file.write(f'{number} ||| {secrets.token_hex(8)} ||| x= 0 ||| 0\\n')\n",
        encoding="utf-8",
    )
    texts = " ".join(shlex.quote(text) for text in inputs["references"][0])
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {{nbest}} {texts} # {{weights}}"
    result = tuned(inputs, tmp_path / "run", command=command, start={"x_0": 2.0})
    assert (result.reason, len(result.iterations)) == ("weights", 1)
    assert result.iterations[0].n_new == 32
    assert result.best.score == pytest.approx(100)


def test_every_iteration_is_kept_and_scored_by_what_the_decoder_made(inputs: dict[str, Any], whole: Path) -> None:
    result = json.loads((whole / "result.json").read_text(encoding="utf-8"))
    iterations = result["iterations"]
    assert [iteration["number"] for iteration in iterations] == list(range(1, len(iterations) + 1))
    assert iterations[0]["weights"] == START
    bleu = parse("bleu")
    for iteration in iterations:
        folder = whole / f"iteration-{iteration['number']:02d}"
        assert sorted(path.name for path in folder.iterdir()) == [
            *("decoder.log", "iteration.json", "nbest.txt", "weights.txt")
        ]
        assert read_weights(folder / "weights.txt") == iteration["weights"]
        nbest = read_nbest(folder / "nbest.txt")
        # The decoder sorts its list: what it puts first is its translation.
        first = [nbest.texts[row] for row in nbest.offsets[:-1].tolist()]
        assert iteration["score"] == pytest.approx(bleu.corpus_score(first, inputs["references"]))
        assert iteration["n_misplaced"] == 0
    for one, following in pairwise(iterations):
        assert following["weights"] == one["tuned"]
        assert following["n_known"] == one["n_known"] + following["n_new"]
    assert result["after"] == max(iteration["score"] for iteration in iterations) > result["before"]
    assert read_weights(whole / "weights.txt") == result["weights"]


def test_the_optimiser_sees_all_lists_so_far(inputs: dict[str, Any], whole: Path) -> None:
    second = json.loads((whole / "iteration-02" / "iteration.json").read_text(encoding="utf-8"))
    texts = [(whole / f"iteration-0{number}" / "nbest.txt").read_text(encoding="utf-8") for number in (1, 2)]
    lines = {line.rpartition("|||")[0] for text in texts for line in text.splitlines()}
    assert second["n_known"] == len(lines)


def test_a_broken_run_goes_on_and_ends_as_an_unbroken_one(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tuned(inputs, folder, iterations=2)
    # As after a kill in the third iteration: a list half written, and no record.
    (folder / "iteration-03").mkdir()
    (folder / "iteration-03" / "nbest.txt").write_text("0 ||| half a li", encoding="utf-8")
    (folder / "result.json").unlink()
    reported: list[int] = []
    tuned(inputs, folder, threads=2, report=lambda iteration: reported.append(iteration.number))
    assert contents(folder) == contents(whole)
    assert reported == list(range(1, len(reported) + 1))


def test_complete_iterations_are_not_decoded_again(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    log = folder / "iteration-01" / "decoder.log"
    before = log.stat().st_mtime_ns
    tuned(inputs, folder)
    assert log.stat().st_mtime_ns == before
    assert contents(folder) == contents(whole)


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_a_run_that_is_killed_leaves_no_decoder_and_goes_on(
    inputs: dict[str, Any], tmp_path: Path, number: signal.Signals
) -> None:
    marker, folder = tmp_path / "decoding", tmp_path / "run"
    refs = [tmp_path / f"ref{number}" for number in (1, 2)]
    for path, stream in zip(refs, inputs["references"], strict=True):
        path.write_text("".join(f"{text}\n" for text in stream), encoding="utf-8")
    start = tmp_path / "start.txt"
    start.write_text(listed(START), encoding="utf-8")
    # The second call waits until it is told to go on, in a process of its own.
    waiting = f"if [ -e {marker}.1 ]; then echo $$ > {marker}.2; (while [ ! -e {marker}.go ]; do sleep 0.02; done); fi"
    command = f"{waiting}; touch {marker}.1; {inputs['command']}"
    arguments = [sys.executable, "-m", "mtassay.cli.main", "tune", "--decoder", command, "-r", *map(str, refs)]
    arguments += ["--start", str(start), "--run-folder", str(folder), "--restarts", "2", "--iterations", "4"]
    # Where the tests run under nohup or in the background, these signals are ignored, and children inherit that.
    process = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not Path(f"{marker}.2").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "mtassay: interrupted\n")
    assert group_of(Path(f"{marker}.2")) == []
    assert (folder / "iteration-01" / "iteration.json").exists()
    assert not (folder / "iteration-02" / "iteration.json").exists()
    Path(f"{marker}.go").touch()
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    unbroken = tmp_path / "unbroken"
    tuned(inputs, unbroken, options={"restarts": 2}, command=command)
    assert result == json.loads((unbroken / "result.json").read_text(encoding="utf-8"))


@pytest.fixture
def _interrupts() -> Iterator[None]:
    """SIGINT interrupts, also where tests run in the background or under nohup, which ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupts")
def test_a_signal_while_the_decoder_starts_leaves_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[int] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.getsignal(signal.SIGINT)
    weights, nbest, log = (tmp_path / name for name in ("weights", "nbest", "log"))
    with pytest.raises(KeyboardInterrupt):
        Decoder("sleep 60; echo {weights} {nbest}").run(weights, nbest, log=log, what="iteration 1")
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
    assert signal.getsignal(signal.SIGINT) is before


@posix
def test_a_second_signal_while_the_decoder_is_ended_leaves_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ask = os.killpg

    def ask_and_interrupt(group: int, number: int) -> None:
        ask(group, number)
        if number == signal.SIGTERM:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "killpg", ask_and_interrupt)
    command = f"trap '' TERM; echo $$ > {tmp_path}/pid; sleep 60; : {{weights}} {{nbest}}"
    with pytest.raises(KeyboardInterrupt):
        Decoder(command, 1.0).run(*(tmp_path / name for name in ("weights", "nbest")), log=tmp_path / "log", what="it")
    deadline = time.monotonic() + 10  # what is killed needs a moment to go
    while group_of(tmp_path / "pid") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert group_of(tmp_path / "pid") == []


@posix
def test_what_nohup_ignores_is_ignored_by_the_decoder_too(tmp_path: Path) -> None:
    command = "kill -HUP $$; echo {weights} > {nbest}"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        Decoder(command).run(tmp_path / "weights", tmp_path / "nbest", log=tmp_path / "log", what="iteration 1")
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("folder", ["{nbest};touch PWNED;", "{weights}", "a'$(touch PWNED)'", "-n", "--", "two words"])
def test_paths_are_single_words_of_the_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(folder).mkdir()
    weights, nbest = (Path(folder) / name for name in ("weights.txt", "nbest.txt"))
    weights.write_text("LM_0 1\n", encoding="utf-8")
    Decoder("cat {weights} > {nbest}; cat {nbest}").run(weights, nbest, log=tmp_path / "log", what="iteration 1")
    assert (tmp_path / "log").read_text(encoding="utf-8") == nbest.read_text(encoding="utf-8") == "LM_0 1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([folder, "log"])


def test_other_options_are_refused(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    changes: list[tuple[dict[str, Any], str]] = [
        ({"seed": 7}, r"seed: 12345, now 7"),
        ({"start": START | {"LM_0": 0.5}}, r'start: …[^…]*"LM_0": 0\.1, [^…]*…, now …[^…]*"LM_0": 0\.5, '),
        ({"command": inputs["command"] + " "}, r"decoder: "),
        ({"options": {"restarts": 3}}, r"options: \{"),
    ]
    for change, told in changes:
        with pytest.raises(InputError, match=rf"run\.json: the run was made with other options \({told}"):
            tuned(inputs, whole, **change)
    others = {"command": inputs["command"], "references": [inputs["references"][0]]}
    with pytest.raises(InputError, match=r"other options \(references"):
        tuned(others, whole)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"has other files \(notes\.txt\) and no run\.json: choose a new run folder"):
        tuned(inputs, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    for path in ("notes.txt", "notes.txt/run"):
        with pytest.raises(InputError, match=rf"{path} cannot be the run folder: there is a file in its place"):
            tuned(inputs, tmp_path / path)


def test_further_starts_are_tried_in_every_iteration(inputs: dict[str, Any], tmp_path: Path) -> None:
    ini = tmp_path / "moses.ini"
    weights = "".join(f"{name[:-2]}= 0.1\n" for name in NAMES if not name.startswith("Sys")) + "Sys= 0.1 0.1 0.1\n"
    ini.write_text(f"[weight]\nUnknown0= 1\n{weights}", encoding="utf-8")
    start = {"Unknown0_0": 1.0, **START}
    further = start | {"Votes_0": 1.0, "Sys_0": 1.0}
    options = OPTIONS | {"restarts": 0, "starts": [further]}
    command = inputs["command"].replace("--weights {weights}", f"--weights {tmp_path}/only.txt") + " # {weights}"
    (tmp_path / "only.txt").write_text(listed(START), encoding="utf-8")
    result = tuned(inputs, tmp_path / "run", start=start, ini=ini, options=options, command=command, iterations=1)
    nbest = read_nbest(tmp_path / "run" / "iteration-01" / "nbest.txt")
    candidates = candidates_of(nbest, inputs["references"], parse("bleu"))
    (iteration,) = result.iterations
    assert iteration.predicted is not None
    assert iteration.predicted >= candidates.score({name: further[name] for name in NAMES})
    for wrong in (
        {"starts": [{"LM_0": 1.0}]},
        {"ranges": {"x": (0, 1)}},
        {"starts": [further], "bounds": {"LM_0": (0.2, 1)}},
    ):
        with pytest.raises(InputError):
            tuned(inputs, tmp_path / "other", start=start, ini=ini, options=OPTIONS | wrong)
    assert not (tmp_path / "other").exists()


@posix
def test_a_folder_belongs_to_one_run_at_a_time(inputs: dict[str, Any], tmp_path: Path) -> None:
    def again(_: object) -> None:
        with pytest.raises(InputError, match="in use by another run"):
            tuned(inputs, tmp_path / "run")

    tuned(inputs, tmp_path / "run", iterations=1, report=again)


def test_a_failing_decoder_is_reported_with_its_last_lines(inputs: dict[str, Any], tmp_path: Path) -> None:
    command = "echo loading; echo no model 1>&2; exit 3; {weights} {nbest}"
    with pytest.raises(InputError) as failed:
        tuned(inputs, tmp_path / "run", command=command)
    log = tmp_path / "run" / "iteration-01" / "decoder.log"
    assert str(failed.value) == (
        f"the decoder failed with exit status 3 in iteration 1; its last lines ({log}): loading | no model"
    )
    with pytest.raises(InputError, match=r"wrote no list to \{nbest\} in iteration 1; it printed nothing$"):
        tuned(inputs, tmp_path / "other", command="true {weights} {nbest}")


@posix
def test_a_stuck_decoder_is_ended_with_all_that_it_started(inputs: dict[str, Any], tmp_path: Path) -> None:
    # Asking is not enough to end this one.
    command = f"trap '' TERM; echo $$ > {tmp_path}/pid; echo searching; (sleep 60) & sleep 60; : {{weights}} {{nbest}}"
    before = time.monotonic()
    with pytest.raises(
        InputError, match=r"was stopped in iteration 1 after 0.3 seconds; its last lines .*: searching$"
    ):
        tuned(inputs, tmp_path / "run", command=command, timeout=0.3)
    assert time.monotonic() - before < 30
    time.sleep(0.1)
    assert group_of(tmp_path / "pid") == []


def test_a_list_that_cannot_be_used_is_named(inputs: dict[str, Any], tmp_path: Path) -> None:
    first = "0 ||| a ||| Votes= 1 LM= 1 Words= 1 Sys= 1 1 1 ||| 1"
    for number, (lines, told) in enumerate(
        [
            ([first], r"nbest\.txt, line 1: sentence 0 is the last one, but the references have 16 segments"),
            ([first.replace("LM= 1", "LM= nan")], r"nbest\.txt, line 1: feature 'LM_0' is nan"),
            ([first.replace("LM= 1 ", "")], r"nbest\.txt, line 1: the features are not those of the weights.*'LM_0'"),
            ([], r"nbest\.txt is empty"),
        ]
    ):
        source = tmp_path / f"list{number}"
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = f"cp {shlex.quote(str(source))} {{nbest}}; : {{weights}}"
        folder = tmp_path / f"run{number}"
        with pytest.raises(InputError, match=told):
            tuned(inputs, folder, command=command)
        assert (folder / "iteration-01" / "nbest.txt").exists()


def test_a_decoder_without_news_ends_the_loop(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    nbest = whole / "iteration-01" / "nbest.txt"
    command = f"cp {shlex.quote(str(nbest))} {{nbest}}; : {{weights}}"
    result = tuned(inputs, tmp_path / "run", command=command)
    assert result.reason in {"candidates", "weights"}
    if result.reason == "candidates":
        assert result.iterations[-1].n_new == 0
        assert result.iterations[-1].tuned is None
    # This decoder does not read its weights, and that shows.
    assert result.iterations[-1].n_misplaced > 0


def test_moses_ini_is_read_and_written(inputs: dict[str, Any], tmp_path: Path) -> None:
    ini = tmp_path / "moses.ini"
    ini.write_text(
        "[input-factors]\n0\n\n[weight]\nUnknown0= 1\nVotes= 0.1\nLM= 0.1\nWords= 0.1\nSys= 0.1 0.1 0.1\n",
        encoding="utf-8",
    )
    labels = {"Votes": 1, "LM": 1, "Words": 1, "Sys": 3}
    script = tmp_path / "plain.py"
    script.write_text(
        "import sys\n"
        "rows = [line.split('= ') for line in open(sys.argv[1]) if '= ' in line]\n"
        f"known = {labels!r}\n"
        "for label, values in rows:\n"
        "    for place, value in enumerate(values.split() if label in known else []):\n"
        "        print(f'{label}_{place}', value)\n",
        encoding="utf-8",
    )
    convert = f"{shlex.quote(sys.executable)} {script} {{weights}} > {tmp_path}/plain"
    command = f"{convert}; {inputs['command'].replace('{weights}', f'{tmp_path}/plain')}"
    result = tuned(inputs, tmp_path / "run", command=command, start=read_weights(ini), ini=ini, iterations=2)
    assert list(result.weights) == NAMES
    written = tmp_path / "run" / "moses.ini"
    assert read_weights(written) == {"Unknown0_0": 1.0, **result.weights}
    assert written.read_text(encoding="utf-8").startswith("[input-factors]\n0\n\n[weight]\nUnknown0= 1\n")


def test_what_is_expected_is_the_score_of_the_new_weights_on_known_lists(inputs: dict[str, Any], whole: Path) -> None:
    first = json.loads((whole / "iteration-01" / "iteration.json").read_text(encoding="utf-8"))
    nbest = read_nbest(whole / "iteration-01" / "nbest.txt")
    candidates = candidates_of(nbest, inputs["references"], parse("bleu"))
    assert candidates.score(first["tuned"]) == first["predicted"]
    texts = rerank(nbest, first["tuned"]).texts
    assert parse("bleu").corpus_score(texts, inputs["references"]) == pytest.approx(first["predicted"])


def test_wrong_arguments(inputs: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \{weights\}"):
        Decoder("decode > {nbest}")
    with pytest.raises(InputError, match="timeout must be"):
        Decoder("{weights} {nbest}", 0)
    with pytest.raises(InputError, match="iterations must be"):
        tuned(inputs, tmp_path, iterations=0)
    with pytest.raises(InputError, match="no optimiser named 'mart'; did you mean 'mert'"):
        tuned(inputs, tmp_path, optimiser="mart")
    with pytest.raises(InputError, match="all weights are 0"):
        tuned(inputs, tmp_path, start=dict.fromkeys(NAMES, 0.0))
    assert not list(tmp_path.iterdir())


def test_printing_and_plotting(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = tuned(inputs, whole)
    lines = str(result).splitlines()
    assert lines[2].split() == ["iteration", "BLEU", "candidates", "new", "expected", "next"]
    marked = [line.split()[0] for line in lines if "*" in line]
    assert marked == [str(result.best.number), "*"]
    assert lines[-1] == "* best"
    assert result.to_pandas()["score"].tolist() == [iteration.score for iteration in result.iterations]
    result.plot(tmp_path / "scores.svg")
    svg = (tmp_path / "scores.svg").read_text(encoding="utf-8")
    assert "iteration" in svg
    assert "decoder's output" in svg
    assert repr(result) == f"LoopResult(bleu; {len(result.iterations)} iterations)"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"options": {"restarts": -1}}, "restarts must be a whole number from 0 to 1,000,000, not -1"),
        ({"options": {"bounds": {"foo": (0, 1)}}}, "bounds: no feature named 'foo'"),
        ({"options": {"bounds": {"LM_0": (1, 2)}}}, "'LM_0' is 0.1 at the start, outside its bounds"),
        ({"optimiser": "pro", "options": {"interpolation": 7}}, "interpolation must be above 0"),
        ({"optimiser": "mira", "options": {"decay": 1}}, "decay from 0 to below 1"),
        ({"threads": -3}, "threads must be"),
        ({"seed": -1}, "not negative, not -1"),
        ({"seed": -2}, "not negative, not -2"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_decoded(
    inputs: dict[str, Any], tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        tuned(inputs, tmp_path / "run", **changes)
    assert not list(tmp_path.iterdir())


def test_options_that_are_given_as_they_are_by_default_are_the_same(
    inputs: dict[str, Any], whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    again = tuned(inputs, folder, options=OPTIONS | {"bounds": None, "starts": []})
    whole_options: dict[str, Any] = {
        "restarts": 2,
        "random_directions": 1,
        "bounds": None,
        "ranges": None,
        "starts": [],
        "seed": 12345,
    }
    assert again.options == whole_options


def test_fewer_iterations_leave_the_result_of_all_complete_ones(
    inputs: dict[str, Any], whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    tuned(inputs, folder, iterations=1)
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize(
    "change",
    [
        {"score": "x"},
        {"score": None},
        {"weights": {"LM_0": "x"}},
        {"weights": []},
        {"tuned": None},
        {"tuned": 1},
        {"ended": "x"},
        {"n_new": 1.5},
        {"number": 2},
        {"predicted": []},
        {"more": 1},
    ],
    ids=str,
)
def test_a_changed_iteration_is_refused(
    inputs: dict[str, Any], whole: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    file = folder / "iteration-01" / "iteration.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(InputError, match=r"iteration-01 has an iteration\.json that was changed"):
        tuned(inputs, folder)


def test_long_options_are_shown_where_they_differ(inputs: dict[str, Any], whole: Path) -> None:
    command = inputs["command"].replace("--size 20", "--size 21")
    with pytest.raises(InputError, match=r"decoder: ….*--size 20 .*, now ….*--size 21 "):
        tuned(inputs, whole, command=command)


def test_a_broken_run_folder_is_named_with_what_to_do(inputs: dict[str, Any], whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    (folder / "iteration-02" / "nbest.txt").unlink()
    with pytest.raises(InputError, match=r"nbest\.txt is missing; remove .*iteration-02 to make the iteration again"):
        tuned(inputs, folder)
    shutil.rmtree(folder / "iteration-02")
    tuned(inputs, folder)
    assert contents(folder) == contents(whole)
    (folder / "iteration-02" / "iteration.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"iteration\.json cannot be read .*; remove it to make the iteration again"):
        tuned(inputs, folder)
    (folder / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json cannot be read .*; choose a new run folder"):
        tuned(inputs, folder)


def test_a_decoder_that_takes_its_folder_away(inputs: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"wrote no list .*iteration-01/decoder\.log\) cannot be read: No such file"):
        tuned(inputs, tmp_path / "run", command=": {weights}; rm -r $(dirname {nbest})")


def test_files_that_the_system_refuses_are_named(
    inputs: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if target.name == "nbest.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"iteration-01/nbest.* cannot be used: Permission denied"):
        tuned(inputs, tmp_path / "run")
