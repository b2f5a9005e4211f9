"""The L1PA steps by driftline: the public call with one row, on a copy of the learner before that
step.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

from contest import L1_HEAT, Attempt, Task
from data import Data
from l1_problems import STEPS, dense_weights, draw


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the task."""
    steps = draw()

    def prepare() -> Attempt:
        ready = [(copy.deepcopy(step.learner), step.x, [step.y]) for step in steps]

        def run() -> None:
            for learner, x, y in ready:
                learner.learn_many(x, y)

        return Attempt(run, lambda: sum(float(dense_weights(one) @ dense_weights(one)) for one, _, _ in ready))

    yield Task(L1_HEAT, "ours L1PA", STEPS, prepare)
