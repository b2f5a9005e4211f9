"""Observers of a run: objects that see every learned block, such as metrics and alarms.

A checkpoint saves their state, so that a resumed run gives the same bits.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from driftline.learners import LearnedBlock, Learner


class Observer(Protocol):
    """What a run asks of an observer.

    Attributes
    ----------
    name
        The name of its part in a checkpoint: one word.
    wants_probabilities
        Whether it needs ``LearnedBlock.probabilities``.
    """

    name: str
    wants_probabilities: bool

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """See a learned block.

        Parameters
        ----------
        learned
            The record of the block: labels, scores and predictions before learning.
        X
            The rows of the block, as the stream gave them.
        learner
            The learner, after the block.
        """

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; raise ValueError if no observer can have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
