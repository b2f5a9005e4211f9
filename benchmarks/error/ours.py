"""driftline's learners at their defaults, run in one call, and their first rows one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import driftline as dl
from error.measures import Measures, measured
from error.play import Outcome
from error.stored import Stream

TRACKER = "driftline Tracker"
LIGHT = "driftline Tracker, light"
RECIPE = "driftline Tracker, recipe"
AROW = "driftline AROW"
WARM = 64  # rows of the untimed run that compiles
SINGLE = 1000  # rows that are also learned one at a time
FULL = 1000  # the most features of a full matrix

Make = Callable[[Stream], Any]
"""Creates a learner for a stream."""

RULES: dict[str, Make] = {
    "driftline Perceptron": lambda stream: dl.Perceptron(),
    "driftline PA1": lambda stream: dl.PA1(),
    "driftline NORMA": lambda stream: dl.NORMA(),
    "driftline L2PA": lambda stream: dl.L2PA(),
    AROW: lambda stream: dl.AROW(diagonal=stream.X.shape[1] > FULL),
}


@dataclass(frozen=True, eq=False)
class Said:
    """The probability of the positive label before each example, and the labels."""

    probabilities: np.ndarray
    positive: np.ndarray

    def measures(self, rows: int) -> Measures:
        """Return the measures over the first `rows` examples."""
        first = self.probabilities[:rows]
        return measured(first, first, self.positive[:rows])


@dataclass(frozen=True)
class Played:
    """The result of a learner on a stream.

    `outcome` is that of one call, and `single` has the rows learned one at a time and their
    seconds. `said` has the probabilities, None with several classes. `best_expert` is the number
    of mistakes of the best expert, None if there is none.
    """

    outcome: Outcome
    single: tuple[int, float]
    said: Said | None
    best_expert: int | None


def learners() -> dict[str, Make]:
    """Return a factory for each learner, the Tracker with each bank first.

    Rules of two labels are wrapped in `OneVsRest` if there are several classes.
    """
    light = light_bank()
    trackers: dict[str, Make] = {
        TRACKER: lambda stream: dl.Tracker(),
        LIGHT: lambda stream: dl.Tracker(bank=light),
        RECIPE: lambda stream: dl.Tracker(bank="recipe"),
    }
    return trackers | {name: _of_any_classes(make) for name, make in RULES.items()}


def light_bank() -> Any:
    """Return "light", or "extended" if the Tracker has no bank of that name."""
    name: Any = "light"
    try:
        dl.Tracker(bank=name)
    except ValueError:
        return "extended"
    return name


def run(make: Make, stream: Stream) -> Played:
    """Run new learners over the stream, after a run over a few rows that compiles.

    Raises RuntimeError if learning one at a time makes other mistakes than one call.
    """
    _run(make, _few(stream))
    return _run(make, stream)


def _of_any_classes(make: Make) -> Make:
    return lambda stream: dl.OneVsRest(make(stream)) if stream.several else make(stream)


def _few(stream: Stream) -> Stream:
    """Return the first rows of a stream, and the first row of each class."""
    _, first = np.unique(stream.y, return_index=True)
    rows = np.union1d(np.arange(min(WARM, stream.rows)), first)
    return Stream(stream.name, stream.seed, stream.X[rows], stream.y[rows])


def _run(make: Make, stream: Stream) -> Played:
    whole, single, third = (make(stream) for _ in range(3))
    start = time.process_time()
    wrong = whole.learn_block(stream.X, stream.y).wrong
    seconds = time.process_time() - start
    rows = min(SINGLE, stream.rows)
    spent = _one_at_a_time(single, stream, rows)
    if single.label_errors != wrong[:rows].sum():
        raise RuntimeError(
            f"mistakes one at a time must equal those of one call, got {single.label_errors} and {wrong[:rows].sum()}"
        )
    said = None if stream.several else Said(probabilities(third, stream.X, stream.y), stream.y > 0.0)
    outcome = Outcome.of(wrong, seconds, None if said is None else said.measures(stream.rows))
    return Played(outcome, (rows, spent), said, best_expert(whole))


def _one_at_a_time(learner: Any, stream: Stream, rows: int) -> float:
    """Learn the first rows one at a time. Return the seconds."""
    examples, labels = [stream.X[row] for row in range(rows)], stream.y[:rows].tolist()
    start = time.process_time()
    for x, y in zip(examples, labels, strict=True):
        learner.learn_one(x, y)
    return time.process_time() - start


def probabilities(learner: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Return the probability of the label +1 of each row before the learner learns it."""
    learned = learner.learn_block(X, y, keep_probabilities=True)
    labels = list(learner.labels)
    found: np.ndarray = learned.probabilities[:, labels.index(1)] if 1 in labels else np.zeros(len(y))
    return found


def best_expert(learner: Any) -> int | None:
    """Return the mistakes of the best expert of a Tracker.

    With several classes, experts for one label against the others do not count: their mistakes
    are about that label only. None if no expert remains, or the learner is no Tracker.
    """
    if not isinstance(learner, dl.Tracker):
        return None
    labels = learner.labels if learner.rule.several else ()
    of_one_label = tuple(f"{label}: " for label in labels)
    return min((one.mistakes for one in learner.experts() if not one.view.startswith(of_one_label)), default=None)
