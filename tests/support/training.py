"""Ways of training a learner that several tests share."""

from __future__ import annotations

import numpy as np

import driftline as dl


def learn_until_separated(learner: dl.Learner, X: np.ndarray, y: np.ndarray, passes: int = 300) -> None:
    """Learn the rows again and again until a pass makes no update; fail after that many passes."""
    for _ in range(passes):
        before = learner.updates
        learner.learn_many(X, y)
        if learner.updates == before:
            return
    raise AssertionError("never separated")
