"""Random rounds: learned blocks with labels, scores, predictions and probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.evaluate.metrics import Metrics, MetricsObserver
from driftline.learners import LearnedBlock


class Drawn(NamedTuple):
    """A random stream of one to six classes."""

    labels: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    probabilities: np.ndarray
    two: bool

    def blocks(self, sizes: int, measured: bool) -> list[LearnedBlock]:
        """The stream in blocks of this size."""
        found = []
        for start in range(0, len(self.labels), sizes):
            part = slice(start, start + sizes)
            shares = self.probabilities[part] if measured else None
            events = np.zeros(len(self.labels[part]), np.uint8)
            if self.two:
                y = np.where(self.labels[part] == 1, 1.0, -1.0)
                found.append(LearnedBlock(y, self.scores[part], events, probabilities=shares))
            else:
                classes, predicted = self.labels[part].astype(float), self.predicted[part].astype(float)
                found.append(
                    LearnedBlock(
                        np.ones(len(events)),
                        self.scores[part],
                        events,
                        True,
                        classes=classes,
                        predicted=predicted,
                        probabilities=shares,
                    )
                )
        return found


class Named:
    """A learner of which only the labels are known."""

    def __init__(self, labels: tuple[Any, ...]) -> None:
        self.labels = labels


def drawn(seed: int) -> Drawn:
    rng = np.random.default_rng(seed)
    classes, size = int(rng.integers(2, 7)), int(rng.integers(2, 700))
    two = classes == 2
    labels = rng.choice(classes, size, p=rng.dirichlet(np.full(classes, 0.7)))
    logits = rng.normal(size=(size, classes)) * rng.choice([0.1, 1.0, 4.0]) + np.eye(classes)[labels] * rng.normal()
    if rng.random() < 0.3:
        logits = np.round(logits)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    scores = logits[:, 1] - logits[:, 0]
    predicted = (scores >= 0.0).astype(int) if two else shares.argmax(1)
    return Drawn(labels, predicted, scores, shares, two)


def measured(stream: Drawn, sizes: int = 97, probabilities: bool = True, window: int = 100) -> Metrics:
    """The metrics of the stream, fed in blocks of this size."""
    observer = MetricsObserver(window, probabilities)
    learner: Any = Named(tuple(range(stream.probabilities.shape[1])))
    for block in stream.blocks(sizes, probabilities):
        observer.add(block, None, learner)
    observer.name_classes(learner)
    return observer.metrics
