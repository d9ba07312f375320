"""Numbers of random inputs."""

from __future__ import annotations

from hypothesis import settings


def examples(times: int) -> settings:
    """So many times as many as the profile of the run has: for tests whose inputs cost little."""
    return settings(max_examples=times * settings().max_examples)
