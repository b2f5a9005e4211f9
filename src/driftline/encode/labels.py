"""Labels: any pair of values outside, -1 and +1 inside.

-1/+1, 0/1 and False/True are understood as they stand: the larger is positive. Any other pair is declared, or taken in
order of appearance, the first as negative; only a 1 or True is positive whenever it appears.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from driftline.compiled import Floats

NUMBERS = "biuf"


class Labels:
    """The pair of labels of one learner, learned as it goes unless it is declared."""

    def __init__(self, where: str, declared: tuple[object, object] | None = None) -> None:
        self.where = where
        self.negative: Any = None
        self.positive: Any = None
        self.signs: dict[Any, float] = {}
        if declared is None:
            return
        if not isinstance(declared, tuple | list) or len(declared) != 2 or declared[0] == declared[1]:
            raise ValueError(f"{where}: labels must be a pair (negative, positive) of two different values, got {declared!r}")
        self._take(declared[0], -1.0)
        self._take(declared[1], 1.0)

    def known(self) -> tuple[Any, ...]:
        """The labels seen or declared so far, negative first."""
        return tuple(sorted(self.signs, key=self.signs.__getitem__))

    def sign(self, label: Any) -> float:
        """-1.0 or +1.0; a new label is taken in, a third one refused."""
        try:
            return self.signs[label]
        except KeyError:
            return self._meet(label)
        except TypeError:
            return self._meet(label.item() if isinstance(label, np.ndarray) and label.ndim == 0 else label)

    def sign_many(self, labels: Any) -> Floats:
        """``sign`` of each."""
        if hasattr(labels, "to_numpy"):
            labels = labels.to_numpy()
        array = labels if isinstance(labels, np.ndarray) else None
        if array is None or array.ndim != 1 or array.dtype.kind not in NUMBERS:
            return self._each(labels)
        return self._numbers(array)

    def _numbers(self, array: np.ndarray) -> Floats:
        """Vectorised for two values; anything else goes one by one, to find the row at fault."""
        if array.size == 0:
            return np.empty(0)
        same = array == array[0]
        others = array[~same]
        if others.size and not (others == others[0]).all():
            return self._each(array.tolist())
        try:
            first = self.sign(array[0].item())
            other = self.sign(others[0].item()) if others.size else first
        except ValueError:
            return self._each(array.tolist())
        return np.where(same, first, other)

    def _each(self, labels: Iterable[Any]) -> Floats:
        signs = []
        for row, label in enumerate(labels):
            try:
                signs.append(self.sign(label))
            except ValueError as error:
                raise ValueError(f"{error} (row {row})") from None
        return np.array(signs, dtype=np.float64)

    def snapshot(self) -> tuple[Any, Any, dict[Any, float]]:
        """What ``restore`` takes back."""
        return self.negative, self.positive, dict(self.signs)

    def restore(self, snapshot: tuple[Any, Any, dict[Any, float]]) -> None:
        """Be as at the snapshot."""
        self.negative, self.positive, self.signs = snapshot

    def of(self, score: float) -> Any:
        """The label for a score: positive iff it is >= 0; while only one label is known, that one; else None."""
        label = self.positive if score >= 0 else self.negative
        if label is None:
            label = self.negative if self.positive is None else self.positive
        return label

    def of_many(self, scores: Floats) -> np.ndarray:
        """``of`` each score."""
        if not self.signs:
            raise ValueError(
                f"{self.where}: predict_many must know the labels, got no example yet. "
                "Learn first, or declare labels=(negative, positive)"
            )
        negative, positive = self.of(-1.0), self.of(1.0)
        pair = np.array([negative, positive])
        if pair.dtype.kind not in "biufU" or type(negative) is not type(positive):
            pair = np.empty(2, object)
            pair[:] = [negative, positive]
        return pair[(scores >= 0).astype(np.intp)]

    def _take(self, label: Any, sign: float) -> None:
        label = label.item() if isinstance(label, np.generic) else label
        self._check(label)
        self.signs[label] = sign
        if sign > 0:
            self.positive = label
        else:
            self.negative = label

    def _check(self, label: Any) -> None:
        if label is None or label != label:
            raise ValueError(f"{self.where}: a label must be a value, got {label!r}. Drop the examples without a label")
        try:
            hash(label)
        except TypeError:
            raise ValueError(f"{self.where}: a label must be one value, got {label!r}") from None

    def _meet(self, label: Any) -> float:
        """A label that was not seen before."""
        label = label.item() if isinstance(label, np.generic) else label
        self._check(label)
        if label in self.signs:
            return self.signs[label]
        if len(self.signs) == 2:
            negative, positive = self.known()
            raise ValueError(
                f"{self.where}: a label must be {negative!r} or {positive!r}, got {label!r}. "
                "Declare another pair with labels=(negative, positive)"
            )
        if self.signs:
            sign = -next(iter(self.signs.values()))
        else:
            sign = 1.0 if label == 1 else -1.0
        self._take(label, sign)
        return sign
