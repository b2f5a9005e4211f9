"""Labels: any pair of values outside, -1 and +1 inside.

-1/+1, 0/1 and False/True are understood as they stand: the larger is positive. Any other pair is declared, or
taken in order of appearance, the first as negative; only a 1 or True is positive whenever it appears.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.encode.arrays import masked
from driftline.encode.block_checks import first_other, unlike
from driftline.encode.faults import in_row, shortened
from driftline.internals.compiled import Floats

SIMPLE = "biufU"  # kinds of arrays whose values can be compared all at once


class Labels:
    """The pair of labels of one learner, learned as it goes unless it is declared."""

    def __init__(self, where: str, declared: tuple[object, object] | None = None) -> None:
        self.where = where
        self.remedy = "Declare another pair with labels=(negative, positive), or learn several classes with OneVsRest"
        """What to do about a third label."""
        self.negative: Any = None
        self.positive: Any = None
        self.signs: dict[Any, float] = {}
        if declared is None:
            return
        if not isinstance(declared, tuple | list) or len(declared) != 2:
            raise self._no_pair(declared)
        for label, sign in zip(declared, (-1.0, 1.0), strict=True):
            self._take(self._checked(label), sign)
        if len(self.signs) != 2:
            raise self._no_pair(declared)

    def _no_pair(self, declared: object) -> ValueError:
        return ValueError(
            f"{self.where}: labels must be two different values (negative, positive), got {shortened(declared)}"
        )

    def known(self) -> tuple[Any, ...]:
        """The labels seen or declared so far, negative first."""
        return tuple(sorted(self.signs, key=self.signs.__getitem__))

    def sign(self, label: Any) -> float:
        """-1.0 or +1.0; a new label is taken in, a third one refused."""
        try:
            return self.signs[label]
        except (KeyError, TypeError):
            return self._meet(label)

    def sign_many(self, y: Any) -> Floats:
        """``sign`` of each."""
        array = y if type(y) is np.ndarray else self._array(y)
        if array is None:
            return self._each(y)
        if array.ndim != 1:
            raise ValueError(f"{self.where}: y must be 1-d, one label a row, got shape {array.shape}. Pass y.ravel()")
        if array.dtype.kind not in SIMPLE or array.size < 2:
            return self._each(array.tolist())
        if array.dtype == np.float64 and array.flags.carray:
            return self._numbers(array)
        return self._at_once(array)

    def _numbers(self, array: Floats) -> Floats:
        """``_at_once`` of floats in one sweep, and without a copy where they are -1 and +1 already."""
        row = first_other(array)
        if row == array.size or unlike(array, array[0], array[row]) > 0:
            return self._at_once(array)
        first, other = self._sign_at(array, 0), self._sign_at(array, row)
        if first == array[0] and other == array[row]:
            return array
        return np.where(array == array[0], first, other)

    def listed(self, y: Any) -> list[Any]:
        """Labels one by one; none where they are not in one row."""
        array = y if type(y) is np.ndarray else self._array(y)
        return list(y) if array is None else array.tolist() if array.ndim == 1 else []

    def third(self, labels: Sequence[Any]) -> int | None:
        """The row in which a third label appears, None if it does not; all after it must be labels, too."""
        met, third = set(self.signs), None
        for row, label in enumerate(labels):
            try:
                met.add(self._checked(label))
            except ValueError as error:
                if third is None:
                    return None
                raise in_row(self.where, row, error) from None
            if len(met) > 2 and third is None:
                third = row
        return third

    def _array(self, y: Any) -> np.ndarray | None:
        """An array, Series or Arrow array as an array; None for a list."""
        if isinstance(y, Sequence) and not isinstance(y, str | bytes | bytearray):
            return None
        if hidden := masked(y):
            raise ValueError(f"{self.where}: y must not have masked labels, got {hidden}. Drop those rows")
        try:
            if hasattr(y, "__array__"):
                return np.asarray(y)
        except Exception as error:
            raise ValueError(f"{self.where}: y must be readable as an array, got {error}. Pass a list") from None
        raise ValueError(
            f"{self.where}: y must be a list, array or Series of labels, got {type(y).__name__}. Pass a list"
        )

    def _at_once(self, array: np.ndarray) -> Floats:
        """Compare all rows with the first, and with the first that differs from it."""
        first = self._sign_at(array, 0)
        same = array == array[0]
        if same.all():
            return np.full(array.size, first)
        row = int(np.argmin(same))
        other = self._sign_at(array, row)
        known = same | (array == array[row])
        if not known.all():
            self._sign_at(array, int(np.argmin(known)))
        return np.where(same, first, other)

    def _sign_at(self, array: np.ndarray, row: int) -> float:
        try:
            return self.sign(array[row].item())
        except ValueError as error:
            raise in_row(self.where, row, error) from None

    def _each(self, labels: Sequence[Any]) -> Floats:
        signs = np.empty(len(labels))
        for row, label in enumerate(labels):
            try:
                signs[row] = self.sign(label)
            except ValueError as error:
                raise in_row(self.where, row, error) from None
        return signs

    def forget(self, size: int) -> None:
        """Drop the labels that came after the first ``size``."""
        while len(self.signs) > size:
            _, sign = self.signs.popitem()
            if sign > 0:
                self.positive = None
            else:
                self.negative = None

    def of(self, score: float) -> Any:
        """The label for a score: positive iff it is >= 0; while only one is known, that one; else None."""
        label = self.positive if score >= 0 else self.negative
        if label is None:
            label = self.negative if self.positive is None else self.positive
        return label

    def of_many(self, scores: Floats) -> np.ndarray:
        """``of`` each score."""
        self._check_known()
        return array_of([self.of(-1.0), self.of(1.0)])[(scores >= 0).astype(np.intp)]

    def _check_known(self) -> None:
        if not self.signs:
            raise ValueError(
                f"{self.where}: predict_many must know the labels, got no example yet. Learn first, or declare labels"
            )

    def _take(self, label: Any, sign: float) -> None:
        self.signs[label] = sign
        if sign > 0:
            self.positive = label
        else:
            self.negative = label

    def _checked(self, label: Any) -> Any:
        """A label as a plain value that can be compared and looked up."""
        if isinstance(label, np.generic) or (isinstance(label, np.ndarray) and label.ndim == 0):
            label = label.item()
        elif hasattr(label, "as_py"):
            label = label.as_py()
        try:
            hash(label)
        except TypeError:
            raise ValueError(
                f"{self.where}: a label must be one value, got {shortened(label)}. Pass one label a row"
            ) from None
        if label is None or _is_missing(label):
            raise ValueError(f"{self.where}: a label must be a value, got {label!r}. Drop the examples without a label")
        return label

    def _meet(self, label: Any) -> float:
        """A label that was not seen before."""
        label = self._checked(label)
        if label in self.signs:
            return self.signs[label]
        if len(self.signs) == 2:
            negative, positive = self.known()
            raise ValueError(
                f"{self.where}: a label must be {negative!r} or {positive!r}, got {label!r}. {self.remedy}"
            )
        sign = 1.0 if label == 1 else -1.0
        if self.signs:
            sign = -next(iter(self.signs.values()))
        self._take(label, sign)
        return sign


def _is_missing(label: Any) -> bool:
    """Whether a label differs from itself, as NaN does, or does not say."""
    try:
        return bool(label != label)
    except Exception:
        return True


def array_of(labels: list[Any]) -> np.ndarray:
    """Labels as an array: of their own type where all have the same and numpy has it, else of objects."""
    if len({*map(type, labels)}) == 1 and isinstance(labels[0], bool | int | float | str):
        own = np.array(labels)
        if own.tolist() == labels and type(own[0].item()) is type(labels[0]):
            return own
    array = np.empty(len(labels), object)
    for k, label in enumerate(labels):  # one by one, since a label may be a tuple
        array[k] = label
    return array
