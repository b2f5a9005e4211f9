"""Compute errors and microseconds per example from outcomes, for the table and the JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from error.play import Outcome

if TYPE_CHECKING:
    from error.ours import Played


MEASURES = ("log_loss", "auc", "calibration")


@dataclass(frozen=True)
class Result:
    """The result of one learner on all draws of one stream, of `length` examples in all.

    For driftline's learners, `played` has more about each draw.
    """

    learner: str
    stream: str
    length: int
    outcomes: Sequence[Outcome]
    played: Sequence[Played] = ()

    @property
    def ours(self) -> bool:
        """Whether the learner is one of driftline's."""
        return len(self.played) > 0

    @property
    def rows(self) -> int:
        """Number of examples seen in all draws."""
        return sum(outcome.rows for outcome in self.outcomes)

    @property
    def mistakes(self) -> int:
        """Number of wrong predictions in all draws."""
        return sum(outcome.mistakes for outcome in self.outcomes)

    @property
    def cut(self) -> bool:
        """Whether the time limit ended the run before the end of the stream."""
        return self.rows < self.length

    @property
    def error(self) -> float:
        """Mistakes divided by examples."""
        return self.mistakes / self.rows

    @property
    def microseconds(self) -> float | None:
        """Processor time per example in microseconds, one example at a time.

        None for baselines.
        """
        if self.ours:
            return 1e6 * sum(one.single[1] for one in self.played) / sum(one.single[0] for one in self.played)
        return 1e6 * sum(outcome.seconds for outcome in self.outcomes) / self.rows or None

    @property
    def microseconds_in_one_call(self) -> float | None:
        """Processor time per example in microseconds, all rows in one call.

        None for peers, which cannot predict before they learn in one call.
        """
        return 1e6 * sum(outcome.seconds for outcome in self.outcomes) / self.rows if self.ours else None

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean error over draws. None for one draw or a run cut short."""
        if len(self.outcomes) < 2 or self.cut:
            return None
        errors = [outcome.mistakes / outcome.rows for outcome in self.outcomes]
        return float(np.std(errors, ddof=1) / math.sqrt(len(errors)))

    @property
    def best_expert(self) -> int | None:
        """The mistakes of the best expert of each draw, added up; None if there is none."""
        known = [one.best_expert for one in self.played if one.best_expert is not None]
        return sum(known) if known and len(known) == len(self.played) else None

    def lead(self, other: Result) -> tuple[int, float]:
        """Return by how many mistakes this result is better than the other one, over the examples
        that the other learner has seen, and the standard deviation of this difference if both are
        equally good: the root of the number of examples on which only one of them is wrong.
        """
        pairs = list(zip(self.outcomes, other.outcomes, strict=True))
        only_other = sum(int((theirs.wrong & ~mine.wrong[: theirs.rows]).sum()) for mine, theirs in pairs)
        only_mine = sum(int((mine.wrong[: theirs.rows] & ~theirs.wrong).sum()) for mine, theirs in pairs)
        return only_other - only_mine, math.sqrt(only_other + only_mine)

    def error_over(self, outcomes: Sequence[Outcome]) -> float:
        """Return the error of a driftline learner over the examples that another learner has
        seen.
        """
        pairs = list(zip(self.outcomes, outcomes, strict=True))
        return sum(int(mine.wrong[: other.rows].sum()) for mine, other in pairs) / sum(other.rows for _, other in pairs)

    def measure(self, name: str) -> float | None:
        """Return the mean of a measure over draws, weighed by their rows; None if one lacks it."""
        return _mean([getattr(outcome, name) for outcome in self._seen(self.outcomes)], self._seen(self.outcomes))

    def measure_over(self, name: str, outcomes: Sequence[Outcome]) -> float | None:
        """Return a measure of a driftline learner over the examples that another learner has
        seen.
        """
        pairs = list(zip(self.played, outcomes, strict=True))
        values = [getattr(one.said.measures(other.rows), name) for one, other in pairs if one.said and other.rows]
        return _mean(values, self._seen(outcomes))

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
            "best_expert": self.best_expert,
            "runs": [{name: value for name, value in vars(run).items() if name != "marks"} for run in self.outcomes],
        }

    @staticmethod
    def _seen(outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return the outcomes of draws that were reached before the time limit."""
        return [outcome for outcome in outcomes if outcome.rows]


def _mean(values: Sequence[float | None], outcomes: Sequence[Outcome]) -> float | None:
    """Return the mean weighed by the rows of the outcomes; None if a value is missing."""
    known = [value for value in values if value is not None]
    if not outcomes or len(known) < len(outcomes):
        return None
    return float(np.average(known, weights=[outcome.rows for outcome in outcomes]))
