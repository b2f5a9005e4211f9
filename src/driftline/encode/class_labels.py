"""Multiclass labels: users pass any values, learners see class numbers in order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.encode.labels import Labels, array_of
from driftline.internals.compiled import Floats


class Classes(Labels):
    """The class labels of one learner: the declared ones first, then new ones as they appear."""

    def __init__(self, where: str, declared: tuple[Any, ...] | None = None) -> None:
        super().__init__(where)
        if declared is None:
            return
        several = isinstance(declared, tuple | list) and len(declared) >= 2
        for label in declared if several else ():
            self._set_sign(self._checked(label), float(len(self.signs)))
        if not several or len(self.signs) < len(declared):
            raise ValueError(
                f"{where}: labels must be two or more different values, got {shortened(declared)}. "
                "Leave labels out to add them as they appear"
            )

    def known(self) -> tuple[Any, ...]:
        """Return the labels seen or declared so far, in order of appearance."""
        return tuple(self.signs)

    def of_many(self, scores: Floats) -> np.ndarray:
        """Return the label with the highest score in each row; ties go to the earlier label."""
        self._check_known()
        chosen: np.ndarray = array_of(list(self.signs))[np.argmax(scores, axis=1)]
        return chosen

    def forget(self, size: int) -> None:
        """Keep only the first ``size`` labels."""
        while len(self.signs) > size:
            self.signs.popitem()

    def _numbers(self, array: Floats) -> Floats:
        return self._vectorised(array)

    def _vectorised(self, array: np.ndarray) -> Floats:
        """Look up each distinct label once, in order of appearance."""
        _, first, which = np.unique(array, return_index=True, return_inverse=True)
        found = np.empty(len(first))
        for place in np.argsort(first):
            found[place] = self._sign_at(array, int(first[place]))
        return found[which]

    def _set_sign(self, label: Any, sign: float) -> None:
        self.signs[label] = sign

    def _add(self, label: Any) -> float:
        """Add a label that was not seen before and return its class number."""
        label = self._checked(label)
        return self.signs.setdefault(label, float(len(self.signs)))
