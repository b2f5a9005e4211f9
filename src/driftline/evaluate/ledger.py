"""The ledger of a run: what is counted, and a curve that stays short however long the stream is."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners import Trials

COLUMNS = ("examples", "mistakes", "label_errors", "updates", "hinge")


@dataclass
class Curve:
    """Cumulative counts at every ``stride``-th example; the stride doubles when there are too many points."""

    points: int = 2000
    stride: int = 1
    rows: Floats = field(default_factory=lambda: np.empty((0, len(COLUMNS))))

    def extend(self, done: int, cumulative: Floats) -> None:
        """Add a block that comes after ``done`` examples: a row of COLUMNS for each of its own."""
        first = -done % self.stride or self.stride
        self.rows = np.concatenate([self.rows, cumulative[first - 1 :: self.stride]])
        while len(self.rows) > self.points:
            self.stride *= 2
            self.rows = self.rows[1::2].copy()

    def table(self, last: Floats) -> Floats:
        """The whole curve, from the origin to the last example."""
        ends = [last] if last[0] % self.stride else []
        return np.vstack([np.zeros(len(COLUMNS)), self.rows, *ends])


@dataclass
class Ledger:
    """Counts of one learner over one run."""

    margin: float
    points: int = 2000
    examples: int = 0
    mistakes: int = 0
    label_errors: int = 0
    margin_errors: int = 0
    updates: int = 0
    infeasible: int = 0
    asked: int = 0
    hinge: float = 0.0
    seconds: float = 0.0
    curve: Curve = field(init=False)

    def __post_init__(self) -> None:
        self.curve = Curve(self.points)

    @property
    def overflowed(self) -> bool:
        """Whether some score was not finite: then its counts say nothing, and its hinge loss is infinite."""
        return not np.isfinite(self.hinge)

    def last(self) -> Floats:
        """The totals, as a row of COLUMNS."""
        return np.array([self.examples, self.mistakes, self.label_errors, self.updates, self.hinge])

    def add(self, trials: Trials, seconds: float) -> None:
        """Count one block."""
        before = self.last()
        m = trials.y * trials.scores
        each = np.empty((len(m), len(COLUMNS)))
        each[:, 0] = 1.0
        each[:, 1] = trials.mistaken
        each[:, 2] = trials.wrong
        each[:, 3] = trials.updated
        each[:, 4] = np.where(np.isfinite(m), np.maximum(0.0, 1.0 - m), np.inf)
        each[:1] += before
        cumulative = np.cumsum(each, axis=0)
        self.curve.extend(self.examples, cumulative)
        if len(m):
            totals = cumulative[-1]
            self.examples, self.mistakes, self.label_errors, self.updates = (int(t) for t in totals[:4])
            self.hinge = float(totals[4])
        self.margin_errors += int(np.count_nonzero(m <= self.margin))
        self.infeasible += int(np.count_nonzero(trials.infeasible))
        self.asked += int(np.count_nonzero(trials.asked))
        self.seconds += seconds

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """All of it, as what JSON can hold and as an array."""
        counts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "curve"}
        return {**counts, "stride": self.curve.stride}, {"curve": self.curve.rows}

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Ledger:
        """The ledger that gave this ``state``."""
        counts = dict(meta)
        stride, rows = counts.pop("stride"), arrays["curve"]
        ledger = cls(**counts)
        if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != len(COLUMNS):
            raise ValueError(f"Ledger: curve must have {len(COLUMNS)} columns of float64, got shape {rows.shape}")
        ledger.curve = Curve(ledger.points, stride, rows)
        return ledger
