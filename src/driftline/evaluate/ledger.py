"""The ledger of a run: its counts, and a curve of bounded length over the stream."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from driftline.engines.running_totals import HINGE, add_rounds
from driftline.evaluate.baselines import Baselines
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock

COLUMNS = ("examples", "mistakes", "label_errors", "updates", "hinge")


@dataclass
class Curve:
    """The totals after every ``stride``-th example.

    The stride doubles whenever there are more than ``points`` rows.
    """

    points: int = 2000
    columns: int = len(COLUMNS)
    stride: int = 1
    rows: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.rows = np.empty((0, self.columns))

    def first(self, done: int) -> int:
        """The index of the next point within the next block, which follows ``done`` examples."""
        return (-done % self.stride or self.stride) - 1

    def room(self, done: int, size: int) -> Floats:
        """An empty table for the points of the next block of ``size`` examples."""
        return np.empty((len(range(self.first(done), size, self.stride)), self.columns))

    def extend(self, rows: Floats) -> None:
        """Add points of a block."""
        self.rows = np.concatenate([self.rows, rows])
        while len(self.rows) > self.points:
            self.stride *= 2
            self.rows = self.rows[1::2].copy()

    def table(self, last: Floats) -> Floats:
        """The whole curve, from 0 examples to the last one."""
        ends = [last] if last[0] % self.stride else []
        return np.vstack([np.zeros(self.columns), self.rows, *ends])


@dataclass
class Ledger:
    """The counts of one learner over one run, as in ``Run``.

    Parameters
    ----------
    margin
        The margin of the rule, at or below which a round is a margin error.
    points
        The most points of the curve.
    baselines
        The mistakes of the baselines; None if they are not known, because the run was resumed from
        a checkpoint of an earlier version.
    """

    columns: ClassVar[tuple[str, ...]] = COLUMNS
    """The columns of the curve."""
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
    baselines: Baselines | None = field(default_factory=Baselines)
    curve: Curve = field(init=False)

    def __post_init__(self) -> None:
        self.curve = Curve(self.points, len(self.columns))

    @property
    def rank(self) -> float:
        """What runs are ranked by, the smallest first: the mistakes."""
        return float(self.mistakes)

    @property
    def overflowed(self) -> bool:
        """Whether a score was not finite.

        The hinge loss is then infinite, and the other counts are meaningless.
        """
        return not np.isfinite(self.hinge)

    def last(self) -> Floats:
        """The totals, as a row of the curve."""
        return np.array([self.examples, self.mistakes, self.label_errors, self.updates, self.hinge])

    def add(self, learned: LearnedBlock, seconds: float, *, count_labels: bool = True) -> None:
        """Count the rounds of a learned block.

        Parameters
        ----------
        learned
            The record of the block.
        seconds
            The time that it took.
        count_labels
            Whether the baselines count the labels of the block. False if another ledger with the
            same baselines does it.
        """
        totals, curve = self.last(), self.curve
        points = curve.room(self.examples, len(learned))
        margin_errors, infeasible, asked = add_rounds(
            totals,
            learned.y,
            learned.scores,
            learned.events,
            learned.several,
            float(self.margin),
            curve.first(self.examples),
            curve.stride,
            points,
        )
        curve.extend(points)
        self.examples, self.mistakes, self.label_errors, self.updates = (int(total) for total in totals[:HINGE])
        self.hinge = float(totals[HINGE])
        self.margin_errors += margin_errors
        self.infeasible += infeasible
        self.asked += asked
        self.seconds += seconds
        if count_labels and self.baselines is not None:
            self.baselines.add(learned)

    @classmethod
    def counts(cls) -> tuple[str, ...]:
        """The fields that are numbers."""
        return tuple(one.name for one in fields(cls) if one.name not in ("baselines", "curve", "sums"))

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The ledger as plain values for JSON, and arrays."""
        counts = {name: getattr(self, name) for name in self.counts()}
        baselines = {} if self.baselines is None else {"baselines": self.baselines.state()}
        return {**counts, "stride": self.curve.stride, **baselines}, {"curve": self.curve.rows}

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Ledger:
        """Rebuild a ledger from its ``state``: ``meta`` and ``arrays``."""
        counts = dict(meta)
        stride, rows = counts.pop("stride"), arrays["curve"]
        baselines = counts.pop("baselines", None)
        ledger = cls(**counts, baselines=None if baselines is None else Baselines.from_state(baselines))
        if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != len(cls.columns):
            raise ValueError(f"Ledger: curve must have {len(cls.columns)} columns of float64, got shape {rows.shape}")
        ledger.curve.stride, ledger.curve.rows = stride, rows
        return ledger
