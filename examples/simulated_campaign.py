"""A simulated campaign: simulated judges, no people, on the built-in sample of invented texts.

    python examples/simulated_campaign.py FOLDER [--protocol da|rank] [--seed N]

Each system has a quality, chosen here. A simulated judge sees the same screens as a person would, and answers with the
quality of what is shown, plus noise, a severity of the judge's own, and the difficulty of the segment; one judge
answers at random. The analysis then recovers the order that was put in, and control items (or repeats) find the judge
who answered at random. It says nothing about real systems or people; it shows what the commands do:

    mtassay humans FOLDER/simulated.db --drop-careless
    mtassay agreement FOLDER/simulated.db
    mtassay judge status FOLDER/simulated.db
"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

import numpy as np

import mtassay
from mtassay.collect.database import connect, transaction
from mtassay.collect.store import NewAnswer, Place, current_place, save_answer, take_task
from mtassay.sample import sample_path

#: Quality of the systems of the sample, as simulated.
QUALITY = {"atlas": 82.0, "borealis": 74.0, "cobalt": 66.0, "dune": 55.0, "ember": 43.0, "fjord": 30.0}
PERFECT, DEGRADED_BY = 95.0, 35.0
CARELESS = "simulated-6"
N_JUDGES = 6


class Simulated:
    """A simulated judge: severity, noise, or only noise."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self.name = name
        self.rng = rng
        self.severity = rng.normal(0, 6)

    def value(self, place: Place, slot: int, difficulty: float) -> float:
        """How good an output seems."""
        if self.name == CARELESS:
            return float(self.rng.uniform(0, 100))
        output = place.outputs[slot]
        quality = max((QUALITY.get(system, PERFECT) for system in output.systems), default=PERFECT)
        quality -= DEGRADED_BY if place.kind == "degraded" else 0
        return float(np.clip(quality - self.severity - difficulty + self.rng.normal(0, 11), 0, 100))

    def answer(self, place: Place, difficulty: float) -> dict[str, object]:
        """The answer to a screen."""
        values = [self.value(place, slot, difficulty) for slot in range(len(place.outputs))]
        if len(values) == 1:
            return {"score": round(values[0])}
        # Outputs within eight points of each other are ties.
        return {"ranks": [1 + sum(other > value + 8 for other in values) for value in values]}


def simulate(folder: Path, *, protocol: str, seed: int) -> Path:
    """Make the campaign, and let the judges work through all of it."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "simulated.db"
    options = {"task_size": 40} if protocol == "da" else {"screens": 150}
    testset = mtassay.load(sample_path(), lp="de-en")
    mtassay.judge.new(
        path, testset, protocol=protocol, judges_per_task=3, training=0, seed=seed, name="Simulated campaign", **options
    )
    names = [f"simulated-{number}" for number in range(1, N_JUDGES + 1)]
    mtassay.judge.invite(path, names)
    difficulty = rng.normal(0, 8, testset.n_segments + 1)
    with closing(connect(path)) as connection, transaction(connection):
        ids = dict(connection.execute("SELECT name, id FROM judge"))
        segments = dict(connection.execute("SELECT id, segment FROM screen"))
        judges = {ids[name]: Simulated(name, rng) for name in names}
        now, busy = 1_800_000_000.0, set(judges)
        while busy:
            for judge in sorted(busy):
                if not take_task(connection, judge, now=now, lease=1800, pool=True, most=None):
                    busy.remove(judge)
                while (place := current_place(connection, judge)) is not None:
                    shown_at, now = now, now + float(rng.uniform(6, 20))
                    payload = judges[judge].answer(place, difficulty[segments[place.screen]])
                    answer = NewAnswer(
                        judge=judge,
                        screen=place.screen,
                        revision=1,
                        payload=payload,
                        shown_at=shown_at,
                        active_ms=None,
                        nonce=str(place.screen),
                    )
                    save_answer(connection, answer, now=now, lease=1800)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="A simulated campaign of human judgement.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--protocol", choices=("da", "rank"), default="da")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    path = simulate(args.folder, protocol=args.protocol, seed=args.seed)
    print("Simulated judges, no people.\n")
    print(mtassay.judge.status(path), "\n")
    judgements = mtassay.load_judgements(path)
    print(mtassay.humans(judgements, drop_careless=args.protocol == "da"), "\n")
    print(mtassay.judge.methods(path))


if __name__ == "__main__":
    main()
