"""One measurement in a process of its own: ``python benchmarks/workers.py TASK SIDE`` prints JSON.

The clock runs from Python strings to scores. Modules are imported before it starts (importing has its own
line), and one metric object is made and thrown away so that nothing is loaded lazily while it runs; tokenising,
reading references and making the metric that is used are timed. Sides: ``ours``, ``peer`` (one sacreBLEU metric
object, one call per system), ``cached`` (sacreBLEU with its references cached, the caching timed), ``ours2``
(ours with two threads), ``beside`` (ours, begun when a line comes on standard input).
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inputs as data

if TYPE_CHECKING:
    from collections.abc import Callable

#: Peers that take minutes for all segments are timed, like our side, on one segment in this many.
PEER_STRIDE = 30
#: mbrs needs minutes for all segments.
MBRS_STRIDE = 40
#: sacreBLEU's TER needs minutes for all segments: both sides are timed on one segment in this many.
TER_STRIDE = 10


def timed(run: Callable[[], list[float]], what: data.Inputs | str) -> dict[str, Any]:
    """CPU and wall seconds of `run`, its scores, and what it ran on."""
    gc.collect()  # or what was imported before would settle whether the collector has its turn inside the run
    wall, cpu = time.perf_counter(), time.process_time()
    scores = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "cpu": cpu,
        "wall": wall,
        "scores": scores,
        "input": what if isinstance(what, str) else what.shape,
    }


def peer_metric(spec: str, **options: Any) -> Any:
    """The peer's metric of the same meaning."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if spec == "bleu":
        return BLEU(**options)
    return TER(**options) if spec == "ter" else CHRF(word_order=spec.count("+"), **options)


# Corpus scores of all systems


def corpus(spec: str, side: str, *, stride: int = 1) -> dict[str, Any]:
    texts = data.load().every(stride)
    return timed(_corpus_run(spec, side, texts), texts)


def threads(spec: str, side: str) -> dict[str, Any]:
    texts = data.load()
    run = _corpus_run(spec, "ours" if side == "beside" else side, texts)
    if side == "beside":
        print("ready", flush=True)
        sys.stdin.readline()
    return timed(run, texts)


def clusters(side: str) -> dict[str, Any]:
    """A stream on a cluster of one worker or two; they are started before the clock."""
    import cluster

    with tempfile.TemporaryDirectory() as folder:
        files = cluster.make_files(Path(folder), cluster.SEGMENTS, cluster.TIMES)
        found = cluster.run_job(files, 2 if side == "ours2" else 1)
    return {"wall": found["wall"], "cpu": found["workers"], "input": f"{cluster.SEGMENTS * cluster.TIMES:,}"}


def _corpus_run(spec: str, side: str, texts: data.Inputs) -> Callable[[], list[float]]:
    if side in {"ours", "ours2"}:
        import mtassay
        import mtassay.verbs.score

        mtassay.metric(spec)
        n_threads = 2 if side == "ours2" else 1

        def ours() -> list[float]:
            result = mtassay.score([texts.reference], texts.systems, metrics=[spec], threads=n_threads)
            return [float(value) for value in result.scores[:, 0]]

        return ours
    peer_metric(spec)

    def peer() -> list[float]:
        metric = peer_metric(spec)
        return [metric.corpus_score(hyps, [texts.reference]).score for hyps in texts.systems.values()]

    def cached() -> list[float]:
        metric = peer_metric(spec, references=[texts.reference])
        return [metric.corpus_score(hyps, None).score for hyps in texts.systems.values()]

    return {"peer": peer, "cached": cached}[side]


def drop_in(function: str, side: str, *, stride: int = 1) -> dict[str, Any]:
    """Call one function of sacreBLEU once per system, from sacreBLEU and from the module that takes its place."""
    module = import_module("mtassay.compat.sacrebleu" if side == "ours" else "sacrebleu")
    score = getattr(module, function)
    score(["not a text of the set"], [["no text of the set"]])
    texts = data.load().every(stride)
    return timed(lambda: [score(hyps, [texts.reference]).score for hyps in texts.systems.values()], texts)


# Segments per second


def rate(spec: str, side: str) -> dict[str, Any]:
    """Segments scored per second of CPU, from strings to segment scores, once everything is loaded."""
    del side
    import mtassay

    texts = data.load()
    mtassay.metric(spec).segment_scores(["not a text of the set"], [["no text of the set"]])

    def run() -> list[float]:
        result = mtassay.score([texts.reference], texts.systems, metrics=[spec])
        return [float(value) for value in result.segment_scores().sum(axis=1)[:, 0]]

    measured = timed(run, texts)
    return measured | {"rate": len(texts.systems) * len(texts.reference) / measured["cpu"]}


# Annotations


def tags_and_lemmas(side: str) -> dict[str, Any]:
    """HanTa's annotations of the reference, model loaded, nothing kept on disk."""
    del side
    from mtassay.text.annotate import get_annotator

    texts = data.load().reference
    annotator = get_annotator("hanta:en")
    return timed(lambda: [float(len(found.words)) for found in annotator.annotate(texts)], f"{len(texts)} texts")


def annotated_rate(spec: str, side: str) -> dict[str, Any]:
    """Segments scored per second of CPU, from annotations to segment scores."""
    del side
    from mtassay.metrics import References, parse
    from mtassay.metrics.core.references import Texts
    from mtassay.text.annotate import get_annotator

    texts = data.load()
    metric = parse(spec)
    references = References([texts.reference])
    scorer = metric.prepare(references)
    outputs = [Texts(lines) for lines in texts.systems.values()]
    for lines in (references.texts, *outputs):
        references.annotate(lines, get_annotator(metric.annotator))

    def run() -> list[float]:
        return [float(metric.segment_score(scorer.statistics(lines)).sum()) for lines in outputs]

    measured = timed(run, texts)
    return measured | {"rate": len(texts.systems) * len(texts.reference) / measured["cpu"]}


SUFFIX_TAGS = {"s": "NNS", "g": "VBG", "d": "VBD", "y": "RB", "e": "DT", "f": "IN", "r": "JJ", "o": "TO", ".": "SENT"}


class Suffixes:
    """An annotator that costs nothing to install: tags, lemmas and the predicates of frames by the endings of words."""

    name = "suffixes"
    version = "1"
    is_parallel = True
    is_kept = False
    provides = frozenset({"lemmas", "xpos", "frames"})

    def annotate(self, texts: Any) -> list[Any]:
        """Annotations of each text; the two words before a predicate are its A0, the three behind it its A1."""
        from mtassay.data.annotations import Annotations
        from mtassay.data.frames import Frame, Role, Span

        found = []
        for text in texts:
            words = tuple(text.split())
            tags = tuple(SUFFIX_TAGS.get(word[-1], "NN") for word in words)
            lemmas = tuple(word.lower().removesuffix("s") or word for word in words)
            frames = []
            for place in [i for i, tag in enumerate(tags) if tag in {"VBD", "VBG"}]:
                spans = (("A0", max(place - 2, 0), place), ("A1", place + 1, min(place + 4, len(words))))
                roles = tuple(Role(label, Span(start, end)) for label, start, end in spans if start < end)
                frames.append(Frame(Span(place, place + 1), "", roles))
            of_words = {"words": words, "lemmas": lemmas, "xpos": tags, "frames": tuple(frames)}
            found.append(Annotations(**of_words, layers=self.provides))
        return found


def annotated(make: str, side: str) -> dict[str, Any]:
    """Segments scored per second of CPU, from annotations to statistics."""
    del side
    from mtassay.metrics.core.references import References, Texts
    from mtassay.text import annotate

    annotate.ANNOTATORS = {Suffixes.name: f"{Suffixes.__module__}:Suffixes"}
    module, _, name = make.partition(":")
    metric = getattr(import_module(f"mtassay.metrics.linguistic.{module}"), name)(annotator=Suffixes.name)
    metric.prepare(References([["a b"]])).statistics(["b a"])
    inputs = data.load()
    references, annotator = References([inputs.reference]), annotate.get_annotator(Suffixes.name)
    systems = [Texts(texts) for texts in inputs.systems.values()]
    for texts in (references.texts, *systems):
        references.annotate(texts, annotator)

    def run() -> list[float]:
        scorer = metric.prepare(references)
        return [float(scorer.statistics(texts).sum()) for texts in systems]

    measured = timed(run, inputs)
    return measured | {"rate": len(inputs.systems) * len(inputs.reference) / measured["cpu"]}


def encoded(side: str) -> dict[str, Any]:
    """Hjerson of one system whose words and bases are numbers already, as its original has them read."""
    del side
    import numpy as np

    from mtassay.kernels import Pairs, Vocabulary
    from mtassay.kernels.hjerson import hjerson_errors
    from mtassay.metrics.core.references import encode

    inputs = data.load()
    vocabulary, texts = Vocabulary(), [inputs.reference, next(iter(inputs.systems.values()))]
    references, hypotheses = (encode(lines, "13a", case="mixed", vocabulary=vocabulary) for lines in texts)
    every = np.arange(len(inputs.reference))
    pairs = Pairs(hypotheses, references, every, every)

    def run() -> list[float]:
        counts, _, _ = hjerson_errors(pairs, hypothesis_bases=hypotheses.ids, reference_bases=references.ids)
        return [float(counts.sum())]

    return timed(run, f"1 × {len(every)}")


def parsed_rate(name: str, side: str) -> dict[str, Any]:
    """Segments per second where references have trees in a file: any trees, as parsing is the annotator's time."""
    from tempfile import TemporaryDirectory

    from mtassay.data.annotations import DEPENDENCIES, Annotations
    from mtassay.data.formats.conllu import format_conllu

    segments = []
    for text in dict.fromkeys([*data.load().reference, "no text of the set"]):
        words = tuple(text.split())
        heads = tuple((i + 1) // 2 for i in range(len(words)))
        annotations = Annotations(words=words, heads=heads, layers=frozenset({DEPENDENCIES}))
        segments.append(format_conllu(annotations, text=text))
    with TemporaryDirectory() as folder:
        (Path(folder) / "trees.conllu").write_text("".join(segments), encoding="utf-8")
        return rate(f"{name}:annotator=file:{folder}", side)


# Peers of single metrics: the same segments on both sides


def against(spec: str, side: str, peer: Callable[[data.Inputs], Callable[[], list[float]]]) -> dict[str, Any]:
    texts = data.load().every(PEER_STRIDE)
    if side == "peer":
        return timed(peer(texts), texts)
    import mtassay

    metric = mtassay.metric(spec)
    metric.segment_scores(["not a text of the set"], [["no text of the set"]])

    def ours() -> list[float]:
        result = mtassay.score([texts.reference], texts.systems, metrics=[metric])
        return [float(value) for value in result.segment_scores().sum(axis=1)[:, 0]]

    return timed(ours, texts)


def rouge_score(kind: str) -> Callable[[data.Inputs], Callable[[], list[float]]]:
    def prepare(texts: data.Inputs) -> Callable[[], list[float]]:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer([kind])
        return lambda: [
            sum(scorer.score(ref, hyp)[kind].fmeasure for hyp, ref in zip(hyps, texts.reference, strict=True))
            for hyps in texts.systems.values()
        ]

    return prepare


def jiwer(texts: data.Inputs) -> Callable[[], list[float]]:
    import jiwer as peer

    return lambda: [
        sum(peer.wer(ref, hyp) for hyp, ref in zip(hyps, texts.reference, strict=True))
        for hyps in texts.systems.values()
    ]


def meteor_jar(texts: data.Inputs) -> Callable[[], list[float]]:
    """METEOR's own program, fed through its pipe; it is loaded before the clock starts."""
    import subprocess
    from importlib.util import find_spec

    found = find_spec("pycocoevalcap")
    folder = Path(next(iter(found.submodule_search_locations or []))) / "meteor" if found else Path("meteor")
    command = ["java", "-Xmx2G", "-jar", str(folder / "meteor-1.5.jar"), "-", "-", "-stdio", "-l", "en", "-norm"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(line: str, n_lines: int) -> str:
        """Write a line, read `n_lines`, return the first."""
        if process.stdin is None or process.stdout is None:
            raise OSError("METEOR has no pipe")
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        first, *_ = [process.stdout.readline().strip() for _ in range(n_lines)]
        return first

    def segment(hyp: str, ref: str) -> float:
        # Scores of the segments, one here, and then that of all.
        return float(ask(f"EVAL ||| {ask(f'SCORE ||| {ref} ||| {hyp}', 1)}", 2))

    segment("not a text of the set", "no text of the set")
    return lambda: [
        sum(segment(hyp, ref) for hyp, ref in zip(hyps, texts.reference, strict=True))
        for hyps in texts.systems.values()
    ]


# Where systems differ


def analysis(side: str) -> dict[str, Any]:
    """The whole analysis of all systems in two threads, and its report as JSON."""
    del side
    import mtassay

    texts = data.load()
    mtassay.analyse([["not a text"] * 3], {"x": ["a text"] * 3, "y": ["no text"] * 3})

    def run() -> list[float]:
        metrics = ["bleu", "chrf", "ter"]
        result = mtassay.analyse([texts.reference], texts.systems, metrics=metrics, resamples=1000, threads=2)
        return [float(len(result.render("json")))]

    return timed(run, texts)


def analysis_of_pair(side: str) -> dict[str, Any]:
    """The report of compare-mt on two systems, and the same tables of ours, all of which have intervals."""
    import subprocess

    import mtassay

    whole = data.load()
    plain = {name: [" ".join(text.split()) for text in texts] for name, texts in list(whole.systems.items())[:2]}
    texts = data.Inputs(whole.origin, [" ".join(text.split()) for text in whole.reference], plain)
    if side == "peer":
        given = json.dumps({"ref": texts.reference, "outs": list(texts.systems.values())})
        command = [str(data.python_with_compare_mt()), str(Path(__file__).with_name("compare_mt_job.py"))]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, encoding="utf-8")
        return json.loads(done.stdout) | {"input": texts.shape}
    views = ["frequency", "case", "length", "difference", "score", "ngrams", "examples"]
    options: dict[str, Any] = {"metrics": ["bleu:tok=none"], "tok": "none", "by": views, "top": 50}
    mtassay.analyse([["not a text"] * 3], {"x": ["a text"] * 3, "y": ["no text"] * 3}, **options)

    def run() -> list[float]:
        result = mtassay.analyse([texts.reference], texts.systems, **options)
        return [float(f1) for view in result.words for system in view.f1.T for f1 in system]

    return timed(run, texts)


# Scores of single segments


def sentences(spec: str, side: str) -> dict[str, Any]:
    texts = data.load()
    options = {"effective_order": True} if spec == "bleu" else {}
    if side == "ours":
        import mtassay
        import mtassay.verbs.score

        mtassay.metric(spec)

        def ours() -> list[float]:
            result = mtassay.score([texts.reference], texts.systems, metrics=[spec])
            return [float(value) for value in result.segment_scores().sum(axis=1)[:, 0]]

        return timed(ours, texts)
    peer_metric(spec, **options)

    def peer() -> list[float]:
        metric = peer_metric(spec, **options)
        return [
            sum(metric.sentence_score(hyp, [ref]).score for hyp, ref in zip(hyps, texts.reference, strict=True))
            for hyps in texts.systems.values()
        ]

    return timed(peer, texts)


# Every hypothesis against every reference


def pairwise(spec: str, side: str) -> dict[str, Any]:
    texts = data.load()
    hyps = next(iter(texts.systems.values()))[: data.N_PAIRWISE]
    refs = texts.reference[: data.N_PAIRWISE]
    shape = f"{len(hyps)} × {len(refs)} texts"
    options = {"effective_order": True} if spec == "bleu" else {}
    if side == "ours":
        import mtassay

        mtassay.metric(spec)
        return timed(lambda: mtassay.metric(spec).pairwise(hyps, refs).ravel().tolist(), shape)
    peer_metric(spec, **options)

    def peer() -> list[float]:
        metric = peer_metric(spec, **options)
        return [metric.sentence_score(hyp, [ref]).score for hyp in hyps for ref in refs]

    def cached() -> list[float]:
        # The public way that reads a reference once: a metric per reference, and corpora of one segment.
        metrics = [peer_metric(spec, references=[[ref]], **options) for ref in refs]
        return [metric.corpus_score([hyp], None).score for hyp in hyps for metric in metrics]

    return timed({"peer": peer, "cached": cached}[side], shape)


# Significance


def tables(specs: list[str], n_systems: int, n_segments: int = data.N_SEGMENTS) -> tuple[data.Inputs, Any]:
    """Statistics of made and real systems."""
    from mtassay.metrics import References, build_tables, parse
    from mtassay.stats.sample import Sample

    texts = data.many(data.load(), n_systems).every(1)
    texts = data.Inputs(
        texts.origin, texts.reference[:n_segments], {k: v[:n_segments] for k, v in texts.systems.items()}
    )
    found = build_tables(References([texts.reference]), texts.systems, [parse(spec) for spec in specs])
    return texts, [Sample(table.statistics, table.metric.score, table.metric.sign) for table in found]


def significance(test: str, side: str) -> dict[str, Any]:
    """All pairs against sacreBLEU's comparisons with a baseline, from texts to p-values."""
    texts = data.many(data.load(), data.N_TESTED_SYSTEMS)
    if side == "ours":
        from mtassay.metrics import References, build_tables, parse
        from mtassay.stats.procedures import Procedure, p_values
        from mtassay.stats.sample import Sample

        def ours() -> list[float]:
            [table] = build_tables(References([texts.reference]), texts.systems, [parse("bleu")])
            sample = Sample(table.statistics, table.metric.score)
            [p] = p_values([sample], Procedure(test, resamples=data.N_RESAMPLES))
            return [float(p[0, 1])]

        return timed(ours, f"{data.N_TESTED_SYSTEMS} systems") | {"scores": []}
    from sacrebleu.significance import PairedTest

    metric = peer_metric("bleu", references=[texts.reference])

    def peer() -> list[float]:
        PairedTest(list(texts.systems.items()), {"bleu": metric}, None, test_type=test, n_samples=data.N_RESAMPLES)()
        return []

    return timed(peer, f"{data.N_TESTED_SYSTEMS} systems")


def one_pair(spec: str, side: str) -> dict[str, Any]:
    """One pair, 500 segments, 1000 resamples, from statistics to the p-value, after a first call."""
    del side
    from mtassay.stats.procedures import Procedure, p_values

    _, samples = tables([spec], 2, 500)
    procedure = Procedure("ar", resamples=1000)
    p_values(samples, procedure)
    runs = [timed(lambda: [float(p_values(samples, procedure)[0][0, 1])], "1 pair × 500") for _ in range(21)]
    return sorted(runs, key=lambda run: run["wall"])[10]


def test_memory(side: str) -> dict[str, Any]:
    del side
    from mtassay.stats.procedures import Procedure, p_values

    _, samples = tables(["bleu"], data.N_TESTED_SYSTEMS)
    return timed(lambda: [float(p_values(samples, Procedure("ar", resamples=100_000))[0][0, 1])], "R = 100,000") | {
        "peak_mb": peak_mb()
    }


def most_systems(side: str) -> dict[str, Any]:
    del side
    from mtassay.execution import Execution
    from mtassay.stats.procedures import Procedure, p_values

    texts, samples = tables(["bleu", "chrf", "ter", "nist", "wer", "RAC1"], data.N_MOST_SYSTEMS)
    return timed(
        lambda: [
            float(p_values(samples, Procedure("ar", resamples=data.N_RESAMPLES), execution=Execution(2))[0][0, 1])
        ],
        f"{texts.shape} × 6",
    ) | {"peak_mb": peak_mb()}


def power(spec: str, side: str) -> dict[str, Any]:
    """Power of the usual test for one pair of a pilot, at the sizes that are usual, with scoring."""
    del side
    import mtassay

    texts = data.load()
    systems = dict(list(texts.systems.items())[:2])
    mtassay.metric(spec)

    def run() -> list[float]:
        [pair] = mtassay.power([texts.reference], systems, metrics=[spec]).pairs
        return [float(share) for share in pair.curve.power]

    return timed(run, f"1 pair × {len(texts.reference)}, 8 sizes") | {"peak_mb": peak_mb()}


# Meta-evaluation, from arrays to figures


def meta(task: str, side: str) -> dict[str, Any]:
    """On scores of WMT23 en-de what mt-metrics-eval does: one metric, a pair of metrics, or all of them."""
    del side
    import numpy as np

    from mtassay.stats import correlations, permutation
    from mtassay.stats import metric_significance as significance
    from mtassay.stats import tie_calibration as ties

    _, gold, metrics = data.human_and_metric_scores()
    of_systems = np.nanmean(gold, axis=1), metrics.mean(axis=2)

    def clusters() -> list[float]:
        """At both levels."""
        human, scores = of_systems
        levels = [
            (correlations.system_correlation(human, scores), permutation.pearson_p(human, scores)),
            (correlations.averaged(gold, metrics).values, permutation.segment_pearson_p(gold, metrics, resamples=1000)),
        ]
        found = []
        for r, p in levels:
            best_first = np.argsort(-r)
            found += significance.metric_clusters(p[np.ix_(best_first, best_first)]).tolist()
        return found

    run, what = {
        "acc-eq": (lambda: ties.acc_eq(gold, metrics[:1]).accuracy.tolist(), "1 metric"),
        "perm-segment": (
            lambda: permutation.segment_pearson_p(gold, metrics[:2], resamples=1000)[0].tolist(),
            "k = 1000",
        ),
        "perm-system": (
            lambda: permutation.pearson_p(of_systems[0], of_systems[1][:2], resamples=10_000)[0].tolist(),
            "k = 10,000",
        ),
        "metric-clusters": (clusters, f"{len(metrics)} metrics"),
    }[task]
    run()
    return timed(run, what)


def tau(side: str) -> dict[str, Any]:
    """Segment τ of many metrics over the preferences of a large task."""
    del side
    import numpy as np

    from mtassay.stats.kendall import preference_counts

    draw = np.random.default_rng(14)
    scores = draw.normal(size=(data.N_TAU_METRICS, data.N_SYSTEMS, data.N_SEGMENTS)).round(2)
    segment = draw.integers(0, data.N_SEGMENTS, data.N_PREFERENCES)
    better = draw.integers(0, data.N_SYSTEMS, data.N_PREFERENCES)
    worse = (better + draw.integers(1, data.N_SYSTEMS, data.N_PREFERENCES)) % data.N_SYSTEMS
    return timed(
        lambda: preference_counts((segment, better, worse), scores).tau("wmt13").tolist(),
        f"{data.N_TAU_METRICS} × {data.N_PREFERENCES:,}",
    )


def resampled_judgements(side: str) -> dict[str, Any]:
    """Expected wins and rank ranges from 1000 resamples of whole screens."""
    del side
    from mtassay.judging.rank_ranges import rank_ranges

    preferences = data.judgements()
    return timed(lambda: rank_ranges(preferences, resamples=1000).low.tolist(), f"{len(preferences):,} × 1000")


# Tuning


def tuning(side: str, *, n_sentences: int = 2000, n_best: int = 100, restarts: int = 20) -> dict[str, Any]:
    """From an n-best list on disk to tuned weights, two threads."""
    del side
    import tempfile

    from mtassay.data import read_nbest
    from mtassay.execution import Execution
    from mtassay.metrics import parse
    from mtassay.tuning.candidates import candidates_of
    from mtassay.tuning.mert import mert

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nbest"
        references = data.write_nbest(path, n_sentences, n_best)

        def run() -> list[float]:
            candidates = candidates_of(read_nbest(path), [references], parse("bleu:tok=none"), execution=Execution(2))
            return [mert(candidates, restarts=restarts, execution=Execution(2)).after]

        return timed(run, f"{n_sentences} × {n_best} × 15") | {"peak_mb": peak_mb()}


# Minimum Bayes risk


def mbr(job: str, side: str, *, stride: int = 1, **options: Any) -> dict[str, Any]:
    """Expected chrF of the best candidate of every segment; the peer does the job of this name in mbr_job.py."""
    lists = data.candidates(data.load(), stride=stride)
    shape = f"{len(lists)} × {data.N_MBR_CANDIDATES}"
    if side == "peer":
        import subprocess

        command = [str(data.python_with_mbr()), str(Path(__file__).with_name("mbr_job.py")), job]
        done = subprocess.run(command, input=json.dumps(lists), capture_output=True, text=True, check=True)
        measured: dict[str, Any] = json.loads(done.stdout) | {"input": shape}
        # mbrs computes in single precision; exact and aggregated utilities are different values.
        if job == "mbrs" or (job == "linear" and not options):
            del measured["scores"]
        return measured
    import mtassay

    mtassay.mbr([["a", "b"]], metric="chrf", **options)
    return timed(lambda: [one.best[0].utility for one in mtassay.mbr(lists, metric="chrf", **options).segments], shape)


# Memory


def memory(side: str) -> dict[str, Any]:
    del side
    import mtassay

    texts = data.many(data.load(), data.N_MANY_SYSTEMS)

    def run() -> list[float]:
        result = mtassay.score([texts.reference], texts.systems, metrics=["bleu", "chrf", "ter"])
        return [float(value) for value in result.scores.ravel()]

    return timed(run, texts) | {"peak_mb": peak_mb()}


def peak_mb() -> float:
    """Largest resident memory of this process in megabytes."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike ru_maxrss, VmHWM knows nothing of the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def versions(side: str) -> dict[str, Any]:
    del side
    import numpy
    import sacrebleu

    import mtassay
    from mtassay import kernels

    return {
        "mtassay": mtassay.__version__,
        "kernels": kernels.backend(),
        "sacrebleu": sacrebleu.__version__,
        "numpy": numpy.__version__,
        "input": data.load().origin,
    }


WORK: dict[str, Callable[[str], dict[str, Any]]] = {
    "bleu": lambda side: corpus("bleu", side),
    "chrf": lambda side: corpus("chrf", side),
    "chrf++": lambda side: corpus("chrf++", side),
    "ter": lambda side: corpus("ter", side, stride=TER_STRIDE),
    "ter-all": lambda side: corpus("ter", side),
    "drop-in-bleu": partial(drop_in, "corpus_bleu"),
    "drop-in-chrf": partial(drop_in, "corpus_chrf"),
    "drop-in-ter": partial(drop_in, "corpus_ter", stride=TER_STRIDE),
    "sentence-bleu": lambda side: sentences("bleu", side),
    "sentence-chrf": lambda side: sentences("chrf", side),
    "pairwise-chrf": lambda side: pairwise("chrf", side),
    "pairwise-bleu": lambda side: pairwise("bleu", side),
    "threads-chrf": lambda side: threads("chrf", side),
    "cluster-score": clusters,
    "threads-ter": lambda side: threads("ter", side),
    "memory": memory,
    "analysis": analysis,
    "analysis-pair": analysis_of_pair,
    "ar": partial(significance, "ar"),
    "bs": partial(significance, "bs"),
    "pair-bleu": partial(one_pair, "bleu"),
    "pair-nist": partial(one_pair, "nist"),
    "power-bleu": partial(power, "bleu"),
    "power-ter": partial(power, "ter"),
    "ar-memory": test_memory,
    "ar-most": most_systems,
    **{task: partial(meta, task) for task in ("acc-eq", "perm-segment", "perm-system", "metric-clusters")},
    "tau": tau,
    "resampled-judgements": resampled_judgements,
    "mert": tuning,
    "mbr-exact": partial(mbr, "exact"),
    "mbr-exact-linear": partial(mbr, "linear"),
    "mbr-linear": partial(mbr, "linear", aggregate=True),
    "mbr-mbrs": partial(mbr, "mbrs", stride=MBRS_STRIDE),
    "mert-memory": partial(tuning, n_sentences=10_000, restarts=0),
    **{f"segments-{spec}": partial(rate, spec) for spec in (*data.CLASSIC, *data.FURTHER)},
    "annotate-hanta": tags_and_lemmas,
    "segments-sempos": partial(annotated_rate, "sempos"),
    "hjerson-encoded": encoded,
    "annotated-hjerson": partial(annotated, "hjerson:Hjerson"),
    "annotated-umeant": partial(annotated, "meant:Umeant"),
    "annotated-addicter": partial(annotated, "addicter:Addicter"),
    "annotated-terrorcat": partial(annotated, "terrorcat_features:TerrorCatFeatures"),
    "segments-depref-exact": partial(parsed_rate, "depref-exact"),
    "segments-depref-align": partial(parsed_rate, "depref-align"),
    "rouge1": lambda side: against("rouge1", side, rouge_score("rouge1")),
    "rougeL": lambda side: against("rougeL", side, rouge_score("rougeL")),
    "wer": lambda side: against("wer:tok=none", side, jiwer),
    "meteor": lambda side: against("meteor", side, meteor_jar),
    "versions": versions,
}

if __name__ == "__main__":
    print(json.dumps(WORK[sys.argv[1]](sys.argv[2])))
