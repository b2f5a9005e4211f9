"""The mistakes of two baselines on the examples of a run, counted while it runs.

*No change* predicts the label of the previous example. *Majority* predicts the most frequent label
so far; of equally frequent labels, the one that reached the count first. For both, the first
example is a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftline.engines.baseline_totals import LAST, LEADER, MAJORITY, NO_CHANGE, NONE, Counts, add_labels
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock

NAMES = ("no_change", "majority", "last", "leader", "counts")


def _start() -> Counts:
    return np.array([0, 0, NONE, NONE], np.int64)


@dataclass(eq=False)
class Baselines:
    """The mistakes of both baselines, and what they need for the next example.

    Attributes
    ----------
    totals
        The mistakes of no change and of majority, and the class numbers of the last and of the most
        frequent label.
    counts
        The number of examples of each class.
    """

    totals: Counts = field(default_factory=_start)
    counts: Counts = field(default_factory=lambda: np.zeros(2, np.int64))

    @property
    def no_change(self) -> int:
        """The mistakes of the previous label as prediction."""
        return int(self.totals[NO_CHANGE])

    @property
    def majority(self) -> int:
        """The mistakes of the most frequent label as prediction."""
        return int(self.totals[MAJORITY])

    def add(self, learned: LearnedBlock) -> None:
        """Count the labels of a learned block.

        Parameters
        ----------
        learned
            The record of the block.
        """
        if learned.classes is None:
            add_labels(learned.y, False, learned.first_sign, self.totals, self.counts)
        else:
            self.add_classes(learned.classes)

    def add_classes(self, classes: Floats) -> None:
        """Count labels that are given as class numbers.

        Parameters
        ----------
        classes
            The class numbers, from 0.
        """
        if len(classes):
            missing = int(classes.max()) + 1 - len(self.counts)
            self.counts = np.concatenate([self.counts, np.zeros(max(0, missing), np.int64)])
        add_labels(classes, True, 0.0, self.totals, self.counts)

    def state(self) -> dict[str, Any]:
        """The baselines as plain values for JSON."""
        return {
            "no_change": self.no_change,
            "majority": self.majority,
            "last": int(self.totals[LAST]),
            "leader": int(self.totals[LEADER]),
            "counts": self.counts.tolist(),
        }

    @classmethod
    def from_state(cls, meta: dict[str, Any]) -> Baselines:
        """Rebuild the baselines from their ``state``."""
        totals = np.array([meta[name] for name in NAMES[:-1]], np.int64)
        return cls(totals, np.array(meta["counts"], np.int64))
