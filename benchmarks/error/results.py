"""From outcomes to errors and microseconds an example: the numbers that the table prints and the JSON keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from error.play import Outcome


@dataclass(frozen=True)
class Result:
    """One learner over all draws of one stream of `length` examples each.

    Of ours there is more: for each draw which guesses were `wrong`, and the seconds of `one_call` over all rows.
    """

    learner: str
    stream: str
    length: int
    outcomes: Sequence[Outcome]
    wrong: Sequence[np.ndarray] = ()
    one_call: Sequence[float] = field(default=())

    @property
    def ours(self) -> bool:
        """Whether it is one of driftline's."""
        return len(self.wrong) > 0

    @property
    def rows(self) -> int:
        """Examples seen, over all draws."""
        return sum(outcome.rows for outcome in self.outcomes)

    @property
    def cut(self) -> bool:
        """Whether its time was up before the stream was."""
        return self.rows < self.length * len(self.outcomes)

    @property
    def error(self) -> float:
        """Mistakes an example."""
        return sum(outcome.mistakes for outcome in self.outcomes) / self.rows

    @property
    def microseconds(self) -> float:
        """Processor time an example, one at a time."""
        return 1e6 * sum(outcome.seconds for outcome in self.outcomes) / self.rows

    @property
    def microseconds_in_one_call(self) -> float | None:
        """Processor time an example where all rows are in one call; None for peers, which cannot guess first then."""
        return 1e6 * sum(self.one_call) / self.rows if self.one_call else None

    @property
    def standard_error(self) -> float | None:
        """How far off the mean error of the draws may be; None for one draw, or where time was up."""
        if len(self.outcomes) < 2 or self.cut:
            return None
        errors = [outcome.mistakes / outcome.rows for outcome in self.outcomes]
        return float(np.std(errors, ddof=1) / math.sqrt(len(errors)))

    def error_over(self, outcomes: Sequence[Outcome]) -> float:
        """The error of one of ours over the examples that another learner has seen."""
        pairs = list(zip(self.wrong, outcomes, strict=True))
        return sum(int(wrong[: other.rows].sum()) for wrong, other in pairs) / sum(other.rows for _, other in pairs)

    def told(self) -> dict[str, Any]:
        """All of it for the JSON."""
        return {
            "learner": self.learner,
            "error": self.error,
            "standard_error": self.standard_error,
            "rows": self.rows,
            "cut": self.cut,
            "microseconds": self.microseconds,
            "microseconds_in_one_call": self.microseconds_in_one_call,
            "runs": [vars(outcome) for outcome in self.outcomes],
        }
