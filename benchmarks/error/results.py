"""Compute errors and microseconds per example from outcomes, for the table and the JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from error.play import Outcome

if TYPE_CHECKING:
    from error.ours import Said


MEASURES = ("log_loss", "auc", "calibration")


@dataclass(frozen=True)
class Result:
    """The result of one learner on all draws of one stream, of `length` examples each.

    For driftline's learners, `wrong` marks the wrong predictions of each draw, and `one_call` has
    the seconds of one call over all rows, `said` the probabilities of each draw.
    """

    learner: str
    stream: str
    length: int
    outcomes: Sequence[Outcome]
    wrong: Sequence[np.ndarray] = ()
    one_call: Sequence[float] = field(default=())
    said: Sequence[Said] = field(default=())

    @property
    def ours(self) -> bool:
        """Whether the learner is one of driftline's."""
        return len(self.wrong) > 0

    @property
    def rows(self) -> int:
        """Number of examples seen in all draws."""
        return sum(outcome.rows for outcome in self.outcomes)

    @property
    def cut(self) -> bool:
        """Whether the time limit ended the run before the end of the stream."""
        return self.rows < self.length * len(self.outcomes)

    @property
    def error(self) -> float:
        """Mistakes divided by examples."""
        return sum(outcome.mistakes for outcome in self.outcomes) / self.rows

    @property
    def microseconds(self) -> float:
        """Processor time per example in microseconds, one example at a time."""
        return 1e6 * sum(outcome.seconds for outcome in self.outcomes) / self.rows

    @property
    def microseconds_in_one_call(self) -> float | None:
        """Processor time per example in microseconds, all rows in one call.

        None for peers, which cannot predict before they learn in one call.
        """
        return 1e6 * sum(self.one_call) / self.rows if self.one_call else None

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean error over draws. None for one draw or a run cut short."""
        if len(self.outcomes) < 2 or self.cut:
            return None
        errors = [outcome.mistakes / outcome.rows for outcome in self.outcomes]
        return float(np.std(errors, ddof=1) / math.sqrt(len(errors)))

    def error_over(self, outcomes: Sequence[Outcome]) -> float:
        """Return the error of a driftline learner over the examples that another learner has
        seen.
        """
        pairs = list(zip(self.wrong, outcomes, strict=True))
        return sum(int(wrong[: other.rows].sum()) for wrong, other in pairs) / sum(other.rows for _, other in pairs)

    def measure(self, name: str) -> float | None:
        """Return the mean of a measure over draws, weighed by their rows; None if one lacks it."""
        return _mean([getattr(outcome, name) for outcome in self.outcomes], self.outcomes)

    def measure_over(self, name: str, outcomes: Sequence[Outcome]) -> float | None:
        """Return a measure of a driftline learner over the examples that another learner has
        seen.
        """
        pairs = zip(self.said, outcomes, strict=True)
        return _mean([getattr(said.measures(other.rows), name) for said, other in pairs], outcomes)

    def told(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "learner": self.learner,
            "error": self.error,
            "standard_error": self.standard_error,
            **{name: self.measure(name) for name in MEASURES},
            "rows": self.rows,
            "cut": self.cut,
            "microseconds": self.microseconds,
            "microseconds_in_one_call": self.microseconds_in_one_call,
            "runs": [vars(outcome) for outcome in self.outcomes],
        }


def _mean(values: Sequence[float | None], outcomes: Sequence[Outcome]) -> float | None:
    """Return the mean weighed by the rows of the outcomes; None if a value is missing."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return float(np.average(known, weights=[outcome.rows for outcome in outcomes]))
