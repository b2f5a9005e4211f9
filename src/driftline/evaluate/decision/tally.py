"""The tally of decisions: the confusion matrix, and the probabilities of positives and negatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from driftline.evaluate.decision.achieved import Achieved, rates
from driftline.evaluate.decision.cost_matrix import CostMatrix
from driftline.evaluate.decision.discounted_counts import DiscountedCounts
from driftline.evaluate.decision.probability_bins import BINS, counted


class Tally:
    """What was decided, and what was true.

    Parameters
    ----------
    size
        The number of labels that are told apart.
    place
        The place of the positive label among them; None if there is none.
    """

    def __init__(self, size: int, place: int | None) -> None:
        self.place = place
        self.confusion = DiscountedCounts((size, size))
        """The number of examples of each true label (row) and decided label (column)."""
        self.bins = DiscountedCounts((2, BINS))
        """The number of negatives and positives whose probability is in each bin."""
        self.expected = 0.0
        """The expected cost of all decisions."""

    @property
    def since(self) -> int:
        """The number of labels since the last discount."""
        return int(self.confusion.pending.sum())

    def count(self, truth: np.ndarray, decided: np.ndarray, bins: np.ndarray) -> None:
        """Count examples.

        Parameters
        ----------
        truth, decided
            The places of the true and the decided label of each example.
        bins
            The bin of the probability of the positive label.
        """
        size = len(self.confusion.total)
        self.confusion.add(np.bincount(size * truth + decided, minlength=size * size).reshape(size, size))
        if self.place is not None:
            self.bins.add(counted(bins, truth == self.place))

    def discount(self, memory: float) -> None:
        """Discount the past by the positives since the last time; without positives, by all examples."""
        pending = self.confusion.pending
        events = int(pending.sum() if self.place is None else pending[self.place].sum())
        kept = (1.0 - 1.0 / memory) ** events
        self.confusion.discount(kept)
        self.bins.discount(kept)

    def achieved(self, costs: CostMatrix | None, positive: Any) -> Achieved:
        """What the decisions have achieved."""
        total, recent, place = self.confusion.total, self.confusion.recent, self.place
        latest = float(recent.sum())
        cost = expected = recent_cost = math.nan
        if costs is not None:
            cost, expected = float((total * costs.values).sum()), self.expected
            recent_cost = float((recent * costs.values).sum()) / latest if latest > 0.0 else math.nan
        positives = 0 if place is None else int(total[place].sum())
        decided = 0 if place is None else int(total[:, place].sum())
        (precision, recall), (recent_precision, recent_recall) = rates(total, place), rates(recent, place)
        notes = ["precision and recall are undefined: no positive label was given"] if place is None else []
        if place is not None and not decided:
            notes.append(f"precision is undefined: {positive!r} was never decided")
        if place is not None and not positives:
            notes.append(f"recall is undefined: {positive!r} never appeared")
        return Achieved(
            examples=int(total.sum()),
            positives=positives,
            decided_positive=decided,
            precision=precision,
            recall=recall,
            recent_precision=recent_precision,
            recent_recall=recent_recall,
            cost=cost,
            expected_cost=expected,
            recent_cost_per_example=recent_cost,
            note="; ".join(notes),
        )
