"""The parts of the tutorial. Each is a subpackage and is imported when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict

PARTS = ("spectrum", "norms", "shares", "labels", "batch")
"""In the order of the tutorial."""
SEEDS, QUICK_SEEDS = 24, 4
APART = 1000
"""Distance between the learner seeds of consecutive settings, more than the number of seeds."""


class Part(Protocol):
    """The interface of a part. The answers passed to it are only those of its own tasks."""

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return the tasks of the part."""

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Solve one task."""

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts on the claims of the part."""

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the figures of the part."""

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes on choices made here."""


def part_named(name: str) -> Part:
    """Return the part with this name."""
    return cast(Part, import_module(f"driftline.reproduce.gentile2005.{name}"))


def answers_of(part: str, answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """Return the answers of a part, sorted by task key.

    The keys begin with the name of the part.
    """
    return {key: answers[key] for key in sorted(answers) if key.startswith(f"{part}-")}


def tasks_over_seeds(part: str, stream: str, seeds: int, at_once: int) -> list[Task]:
    """Return tasks that together cover all seeds of a stream, ``at_once`` seeds per task."""
    return [
        Task(
            f"{part}-{stream}-{first:03d}",
            {"part": part, "stream": stream, "seeds": list(range(first, min(first + at_once, seeds)))},
        )
        for first in range(0, seeds, at_once)
    ]


def generator(setting: Setting, part: str, seed: int) -> np.random.Generator:
    """Return the random generator of one seed of a part."""
    return np.random.default_rng([setting.seed, *part.encode(), seed])


def learner_seed(setting: Setting, seed: int) -> int:
    """Return the seed for a randomised learner. It differs between settings."""
    return seed + APART * setting.seed
