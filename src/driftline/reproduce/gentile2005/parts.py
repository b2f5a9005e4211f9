"""The parts of the tutorial: each a folder here, imported when it is needed."""

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
"""More than any part has seeds."""


class Part(Protocol):
    """What the folder of a part has; answers are those of the part."""

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Its pieces of work."""

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Do one of them."""

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """What holds of its claims."""

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Its figures."""

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """What was chosen here."""


def part_named(name: str) -> Part:
    """The part in the folder of this name."""
    return cast(Part, import_module(f"driftline.reproduce.gentile2005.{name}"))


def answers_of(part: str, answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """The answers to the tasks of a part, in the order of their keys, which begin with its name."""
    return {key: answers[key] for key in sorted(answers) if key.startswith(f"{part}-")}


def tasks_over_seeds(part: str, stream: str, seeds: int, at_once: int) -> list[Task]:
    """One task for so many seeds of a stream at once."""
    return [
        Task(
            f"{part}-{stream}-{first:03d}",
            {"part": part, "stream": stream, "seeds": list(range(first, min(first + at_once, seeds)))},
        )
        for first in range(0, seeds, at_once)
    ]


def generator(setting: Setting, part: str, seed: int) -> np.random.Generator:
    """The random numbers of one seed of a part."""
    return np.random.default_rng([setting.seed, *part.encode(), seed])


def coins(setting: Setting, seed: int) -> int:
    """The seed of a learner that draws numbers itself: another one for another setting."""
    return seed + APART * setting.seed
