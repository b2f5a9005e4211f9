"""Weights of classes: fixed by label, or inverse to how often each label has appeared of late.

With "balanced", class c has n_c of the n examples so far, each counted with weight
``(1 - 1/MEMORY)^age``. The K classes that have appeared have the weights

    (n + K) / (K (n_c + 1))

which is scikit-learn's n / (K n_c) with one more example of each class. The example itself is
counted first. A weight is at most (MEMORY + K) / (2 K).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.labels import Labels
from driftline.internals.compiled import Floats, jit
from driftline.internals.require import number, require

MEMORY = 10_000.0  # examples that the counts of "balanced" remember
KEPT = 1.0 - 1.0 / MEMORY  # share of a count that is left after each example
LARGEST = 1e9  # of a weight
BALANCED = "balanced"


class ClassWeights:
    """The weight of each class of one learner.

    Parameters
    ----------
    where
        The name of the learner, for errors.
    given
        "balanced", or a dict from labels to weights; other labels have the weight 1.
    """

    def __init__(self, where: str, given: Any) -> None:
        check_class_weights(where, given)
        self.given: dict[Any, float] | None = None
        """The weights of the labels; None if they are balanced."""
        if isinstance(given, dict):
            self.given = {label: float(weight) for label, weight in given.items()}
        self.counts = np.zeros(0)
        """The discounted number of examples of each class, if weights are balanced."""

    def check_declared(self, labels: Labels) -> None:
        """Raise ValueError if a weight is that of a label that was not declared."""
        for label in self.given or ():
            if label not in labels.signs:
                declared = ", ".join(map(repr, labels.signs))
                require(
                    False,
                    labels.where,
                    f"class_weight must have weights of the declared labels {declared} only",
                    label,
                    "Correct it, or declare this label",
                )

    def of(self, signs: Floats, labels: Labels, several: bool) -> Floats:
        """The weight of each example.

        Parameters
        ----------
        signs
            The sign or class number of each example.
        labels
            The labels of the learner.
        several
            Whether ``signs`` are class numbers.
        """
        codes = signs.astype(np.intp) if several else (signs != labels.first_sign).astype(np.intp)
        if self.given is not None:
            each = np.array([self.given.get(label, 1.0) for label in labels.signs])
            found: Floats = each[codes]
            return found
        counts = np.zeros(len(labels.signs))
        counts[: self.counts.size] = self.counts
        weights = np.empty(codes.size)
        balance(counts, codes, weights)
        self.counts = counts
        return weights


def check_class_weights(where: str, given: Any) -> None:
    """Raise ValueError unless it is "balanced" or a dict from labels to weights >= 0."""
    if isinstance(given, str) and given == BALANCED:
        return
    good = isinstance(given, dict)
    require(good, where, "class_weight must be None, 'balanced' or a dict from labels to weights", given)
    require(len(given) > 0, where, "class_weight must have the weight of a label", given, "Leave it out")
    for label, weight in given.items():
        name = f"class_weight of {label!r}"
        good = 0.0 <= number(where, name, weight) <= LARGEST
        require(good, where, f"{name} must be >= 0 and at most {LARGEST:g}", weight)


@jit
def balance(counts: Floats, codes: np.ndarray, weights: Floats) -> None:
    """Count each example, and set its weight; see the module."""
    for i in range(codes.size):
        total, seen = 0.0, 0
        for k in range(counts.size):
            counts[k] *= KEPT
            if k == codes[i]:
                counts[k] += 1.0
            if counts[k] > 0.0:
                seen += 1
            total += counts[k]
        weights[i] = (total + seen) / (seen * (counts[codes[i]] + 1.0))
