"""The same bytes from one thread, four threads, a local cluster, workers started by hand, and if one of them dies."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.execution import Execution
from mtassay.sample import human_scores_path, sample_path

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

#: Segments of the test set: more than two chunks of three systems.
_N_SEGMENTS = 6000
_METRICS = ["bleu", "chrf", "ter", "nist", "ribes"]


@pytest.fixture(scope="module")
def testset() -> mtassay.TestSet:
    """The sample many times over, its words in another order each time."""
    sample = mtassay.load(sample_path())
    shuffle = random.Random(1).sample

    def again(texts: Iterable[str | None]) -> list[str]:
        given = [text or "" for text in texts]
        found = [given[n % len(given)].split() for n in range(_N_SEGMENTS)]
        return [" ".join(shuffle(words, len(words))) for words in found]

    systems = {name: again(texts) for name, texts in list(sample.systems.items())[:3]}
    return mtassay.TestSet([again(sample.references[0])], systems)


@pytest.fixture(scope="module")
def candidates() -> list[list[str]]:
    """Lists of candidates for MBR."""
    words, choose = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree"], random.Random(2).choices
    return [[" ".join(choose(words, k=8)) for _ in range(12)] for _ in range(60)]


def _rendered(result: Any) -> str:
    return str(result.render("json")) + str(result.render("tsv"))


def _chosen(candidates: list[list[str]], *, progress: Callable[[Any], Any] = iter, **how: Any) -> str:
    return _rendered(mtassay.mbr(progress(candidates), metric="chrf", confidence=0.9, **how))


def _annotations(testset: mtassay.TestSet, folder: Path, how: dict[str, Any]) -> str:
    name, texts = next(iter(testset.systems.items()))
    some = mtassay.TestSet([testset.references[0][:500]], {name: texts[:500]})
    written = mtassay.annotate(some, output=folder, annotator="simplemma:en", **how)
    files = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))
    return json.dumps(written.to_dict()) + files


Job = Callable[[mtassay.TestSet, list[list[str]], Path, dict[str, Any]], str]
JOBS: dict[str, Job] = {
    "score": lambda s, c, f, how: _rendered(mtassay.score(s, metrics=_METRICS, **how)),
    "randomisation": lambda s, c, f, how: _rendered(
        mtassay.compare(s, metrics=["bleu", "chrf"], test="ar", resamples=2000, **how)
    ),
    "bootstrap": lambda s, c, f, how: _rendered(
        mtassay.compare(s, metrics=["bleu", "ribes"], test="bs", resamples=2000, **how)
    ),
    "annotate": lambda s, c, f, how: _annotations(s, f, how),
    "mbr": lambda s, c, f, how: _chosen(c, **how),
}
#: Further work that leaves the process, on the sample.
OTHERS: dict[str, Callable[[mtassay.TestSet, Any, dict[str, Any]], Any]] = {
    "rank": lambda s, judged, how: mtassay.rank(s, metrics=["bleu"], resamples=500, **how),
    "power": lambda s, judged, how: mtassay.power(s, metrics=["bleu"], trials=12, sizes=[50, 100], **how),
    "analyse": lambda s, judged, how: mtassay.analyse(s, metrics=["chrf"], resamples=200, **how),
    "metaeval": lambda s, judged, how: mtassay.metaeval(s, judgements=judged, metrics=["bleu", "cross:chrf"], **how),
    "train": lambda s, judged, how: mtassay.learn.train(s, judged, model="ridge", features=["bleu", "wer"], **how),
}


@pytest.fixture
def run(
    testset: mtassay.TestSet, candidates: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """A function that runs a job; nothing is found in caches."""
    numbers = iter(range(100))

    def work(job: str, **how: Any) -> str:
        folder = tmp_path / str(next(numbers))
        monkeypatch.setenv("MTASSAY_CACHE", str(folder / "cache"))
        return JOBS[job](testset, candidates, folder / "annotations", how)

    return work


@pytest.fixture(scope="module")
def local() -> Iterator[mtassay.Cluster]:
    """Two processes."""
    with mtassay.Cluster("local:2") as cluster:
        yield cluster


@pytest.mark.parametrize("job", JOBS)
def test_the_same_bytes(job: str, run: Callable[..., str], local: mtassay.Cluster, tmp_path: Path) -> None:
    expected = run(job)
    assert run(job, threads=4) == expected
    assert run(job, execution=local) == expected
    kept = tmp_path / "kept"
    assert run(job, execution=Execution(2, resume=kept)) == expected
    assert run(job, execution=Execution(1, resume=kept)) == expected  # from files


@pytest.mark.parametrize("verb", OTHERS)
def test_the_same_bytes_of_other_verbs(verb: str, local: mtassay.Cluster, tmp_path: Path) -> None:
    sample = mtassay.load(sample_path())
    judged = mtassay.load_judgements(human_scores_path(), testset=sample)
    expected = OTHERS[verb](sample, judged, {}).to_dict()
    kept = Execution(resume=tmp_path / "kept")
    for execution in (local, kept):
        assert repr(OTHERS[verb](sample, judged, {"execution": execution}).to_dict()) == repr(expected)
    assert list((tmp_path / "kept").glob("*.chunk"))


def test_pairwise_scores(local: mtassay.Cluster, candidates: list[list[str]]) -> None:
    metric, texts = mtassay.metric("chrf"), [text for some in candidates for text in some][:400]
    expected = metric.pairwise(texts, texts[:100])
    assert (metric.pairwise(texts, texts[:100], execution=local) == expected).all()


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_the_same_bytes_by_workers_of_which_one_is_killed(job: str, run: Callable[..., str], processes: Any) -> None:
    expected = run(job)
    workers = [processes.worker(), processes.worker()]
    with mtassay.Cluster(str(processes.file)) as cluster:
        cluster.connection.client.wait_for_workers(2, timeout=30)
        assert run(job, execution=cluster) == expected

        def kill_a_worker(items: Iterable[Any]) -> Iterator[Any]:
            for number, item in enumerate(items):
                if number == 1:
                    workers[0].kill()
                yield item

        assert run(job, execution=cluster, progress=kill_a_worker) == expected
        assert workers[0].poll() is not None
        assert run(job, execution=cluster) == expected


def _lines(path: Path, texts: Iterable[str | None]) -> str:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(testset: mtassay.TestSet, tmp_path: Path) -> list[str]:
    """Three times the test set as line files, which are streamed."""
    refs = _lines(tmp_path / "ref.txt", [*testset.references[0]] * 3)
    return [refs, "-i", *(_lines(tmp_path / f"{name}.txt", texts * 3) for name, texts in testset.systems.items())]


@pytest.mark.parametrize("options", [[], ["-sl"], ["-q"]])
def test_tokenised_text_is_noticed_in_streams(
    options: list[str],
    local: mtassay.Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No block has enough lines to be noticed alone."""
    refs = _lines(tmp_path / "ref.txt", ["a b."] * 150)
    systems = [_lines(tmp_path / "tokens.txt", ["a b ."] * 150), _lines(tmp_path / "plain.txt", ["a b."] * 150)]
    monkeypatch.setattr("mtassay.io.inputs._LARGE", 1)
    monkeypatch.setattr("mtassay.execution.blocks.BLOCK", 64)
    command = ["score", refs, "-i", *systems, *options]

    def said(*more: str) -> str:
        assert main([*command, *more]) == 0
        return capsys.readouterr().err

    alone = said()
    assert said("--cluster", local.connection.client.scheduler.address) == alone
    assert alone.count("looks tokenised") == ("-q" not in options)


@pytest.mark.parametrize(
    "verb",
    [
        ["score", "-f", "json"],
        ["score", "-sl"],
        ["compare", "--resamples", "500", "-f", "json"],
        ["rank", "--test", "bs", "--resamples", "500", "-f", "tsv"],
    ],
)
def test_the_same_bytes_of_streams(
    verb: list[str],
    files: list[str],
    local: mtassay.Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("mtassay.io.inputs._LARGE", 1)
    command = [verb[0], *files, "-m", "bleu", "chrf", *verb[1:]]

    def printed(*more: str) -> str:
        assert main([*command, *more]) == 0
        return capsys.readouterr().out

    expected = printed()
    address = local.connection.client.scheduler.address
    kept = str(tmp_path / "kept")
    assert printed("--cluster", address, "--resume", kept) == expected
    assert list(Path(kept).glob("*.chunk"))
    assert printed("--resume", kept) == expected
    # Files that cannot be split, and those that workers do not see, are sent.
    monkeypatch.setattr("mtassay.verbs.stream_blocks.is_divisible", lambda *_, **__: False)
    assert printed("--cluster", address) == expected
    monkeypatch.undo()
    monkeypatch.setattr("mtassay.io.inputs._LARGE", 1)
    monkeypatch.setattr("mtassay.verbs.stream_blocks._absolute", lambda path: Path(path).name)
    monkeypatch.chdir(tmp_path)
    assert printed("--cluster", address) == expected
