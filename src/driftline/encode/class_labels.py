"""Labels of several classes: any values outside, numbers in the order of their appearance inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.encode.labels import Labels, array_of
from driftline.internals.compiled import Floats


class Classes(Labels):
    """The labels of one learner, taken in as they appear after those that are declared."""

    def __init__(self, where: str, declared: tuple[Any, ...] | None = None) -> None:
        super().__init__(where)
        if declared is None:
            return
        several = isinstance(declared, tuple | list) and len(declared) >= 2
        for label in declared if several else ():
            self._take(self._checked(label), float(len(self.signs)))
        if not several or len(self.signs) < len(declared):
            raise ValueError(
                f"{where}: labels must be two or more different values, got {shortened(declared)}. "
                "Leave them out, and they are taken as they appear"
            )

    def known(self) -> tuple[Any, ...]:
        """The labels seen or declared so far, in order of appearance."""
        return tuple(self.signs)

    def of_many(self, scores: Floats) -> np.ndarray:
        """The label with the highest score in each row; of equal ones the earlier."""
        self._check_known()
        chosen: np.ndarray = array_of(list(self.signs))[np.argmax(scores, axis=1)]
        return chosen

    def forget(self, size: int) -> None:
        """Drop the labels that came after the first ``size``."""
        while len(self.signs) > size:
            self.signs.popitem()

    def _numbers(self, array: Floats) -> Floats:
        return self._at_once(array)

    def _at_once(self, array: np.ndarray) -> Floats:
        """Look up each different label once, in the order of their appearance."""
        _, first, which = np.unique(array, return_index=True, return_inverse=True)
        found = np.empty(len(first))
        for place in np.argsort(first):
            found[place] = self._sign_at(array, int(first[place]))
        return found[which]

    def _take(self, label: Any, sign: float) -> None:
        self.signs[label] = sign

    def _meet(self, label: Any) -> float:
        """A label that was not seen before."""
        label = self._checked(label)
        return self.signs.setdefault(label, float(len(self.signs)))
