"""The obvious loop of late labels, with a deque, and a run that records what its observers see."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

import driftline as dl
from driftline.evaluate.arrivals import delay_of
from driftline.evaluate.learner_run import LearnerRun
from driftline.evaluate.run import feed
from driftline.learners.late_rounds import learn_late, record_of


class Watcher:
    """Records every learned block."""

    name = "watcher"

    def __init__(self, wants_probabilities: bool = False) -> None:
        self.wants_probabilities = wants_probabilities
        self.blocks: list[Any] = []

    def add(self, learned: Any, X: Any, learner: dl.Learner) -> None:
        assert len(learned) == (X.shape[0] if hasattr(X, "shape") else len(X))
        self.blocks.append(learned)

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        return {}, {}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        pass

    def all(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(block, name) for block in self.blocks])


def watched(learner: dl.Learner, stream: Any, delay: Any, rows: int = 8192, shares: bool = False) -> tuple[Any, Any]:
    """A run with late labels, and what its observer saw."""
    watcher = Watcher(shares)
    only = LearnerRun(learner.kind, learner, stream, 2000, observers=[watcher], delay=delay_of("run", delay, stream))
    feed([only], stream, rows, False)
    return only.finish(), watcher


def margin(scores: dict[Any, float], y: Any) -> float:
    """The score of y less the highest other score; a new label is at most 0."""
    others = [score for label, score in scores.items() if label != y]
    return scores[y] - max(others, default=0.0) if y in scores else 0.0 - max([0.0, *others])


class Loop:
    """Row t is predicted at its turn, and learned just before row t + n + 1 is predicted."""

    def __init__(self, learner: dl.Learner, n: int) -> None:
        self.learner = learner
        self.n = n
        self.open: deque[Any] = deque()
        self.scores: list[float] = []
        self.margins: list[float] = []
        self.labels: list[Any] = []
        self.shares: list[dict[Any, float]] = []

    def run(self, X: Any, y: Any) -> Loop:
        for x, label in zip(X, y, strict=True):
            if len(self.open) > self.n:
                self.learn(*self.open.popleft())
            self.scores.append(self.learner.score_one(x))
            self.labels.append(self.learner.predict_one(x))
            if not self.learner.rule.regresses:
                self.margins.append(margin(self.learner.scores_one(x), label))
                self.shares.append(self.learner.predict_proba_one(x))
            self.open.append((x, label, record_of(self.learner, x)))
        for one in self.open:
            self.learn(*one)
        return self

    def learn(self, x: Any, label: Any, record: Any) -> None:
        if record is None:
            self.learner.learn_one(x, label)
        else:
            learn_late(self.learner, x, label, record)
