"""What decisions have achieved: precision, recall and cost."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Achieved:
    """What the decisions have achieved so far, and recently. Values that are undefined are NaN.

    Attributes
    ----------
    examples
        The number of examples whose labels are known.
    positives
        The number of examples of the positive label.
    decided_positive
        The number of examples for which the positive label was decided.
    precision, recall
        The share of positives among the examples decided positive, and the share of the positives
        that were decided positive.
    recent_precision, recent_recall
        The same over the recent past. Decisions by the default threshold are left out as soon as
        the threshold is learned.
    cost, expected_cost
        What the decisions have cost, and what they cost according to the probabilities; NaN
        without costs.
    recent_cost_per_example
        The mean cost over the recent past; NaN without costs.
    note
        Which values are undefined, and why; empty if all are defined.
    """

    examples: int
    positives: int
    decided_positive: int
    precision: float
    recall: float
    recent_precision: float
    recent_recall: float
    cost: float
    expected_cost: float
    recent_cost_per_example: float
    note: str

    @property
    def cost_per_example(self) -> float:
        """The mean cost; NaN without costs or examples."""
        return self.cost / self.examples if self.examples else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The values by name, for JSON: NaN becomes None."""
        found = asdict(self) | {"cost_per_example": self.cost_per_example}
        return {name: None if value != value else value for name, value in found.items()}


def rates(confusion: np.ndarray, positive: int | None) -> tuple[float, float]:
    """Precision and recall of a confusion matrix, whose rows are the truth; NaN if undefined."""
    if positive is None:
        return math.nan, math.nan
    true = float(confusion[positive, positive])
    decided, positives = float(confusion[:, positive].sum()), float(confusion[positive].sum())
    return true / decided if decided > 0.0 else math.nan, true / positives if positives > 0.0 else math.nan
