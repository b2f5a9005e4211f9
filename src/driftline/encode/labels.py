"""Binary labels: users pass any pair of values, learners see -1 and +1.

For the pairs -1/+1, 0/1 and False/True the larger label is positive. Any other pair is declared by
the user, or taken in order of appearance with the first label as negative. The labels 1 and True
are positive even if they appear first.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

import numpy as np

from driftline.encode.arrays import masked
from driftline.encode.block_checks import count_neither, first_difference
from driftline.encode.faults import in_row, shortened
from driftline.internals.compiled import Floats

SIMPLE = "biufU"  # dtype kinds with vectorised comparison


class Labels:
    """The pair of labels of one learner: declared, or learned from the examples."""

    noun = "label"
    """What error messages call an entry of y."""

    def __init__(self, where: str, declared: tuple[object, object] | None = None) -> None:
        self.where = where
        self.remedy = (
            "Correct it, declare another pair with labels=(negative, positive), or learn several classes with OneVsRest"
        )
        """The remedy in the error message for a third label."""
        self.negative: Any = None
        self.positive: Any = None
        self.signs: dict[Any, float] = {}
        if declared is None:
            return
        if not isinstance(declared, tuple | list) or len(declared) != 2:
            raise self._no_pair(declared)
        for label, sign in zip(declared, (-1.0, 1.0), strict=True):
            self._set_sign(self._checked(label), sign)
        if len(self.signs) != 2:
            raise self._no_pair(declared)

    def _no_pair(self, declared: object) -> ValueError:
        return ValueError(
            f"{self.where}: labels must be two different values (negative, positive), got {shortened(declared)}"
        )

    def known(self) -> tuple[Any, ...]:
        """Return the labels seen or declared so far, the negative one first."""
        return tuple(sorted(self.signs, key=self.signs.__getitem__))

    @property
    def first_sign(self) -> float:
        """The sign of the label that was met first, or -1 if none was."""
        return next(iter(self.signs.values()), -1.0)

    def sign(self, label: Any) -> float:
        """Return -1.0 or +1.0. A new label is added; a third one raises ValueError."""
        try:
            return self.signs[label]
        except (KeyError, TypeError):
            return self._add(label)

    def sign_many(self, y: Any) -> Floats:
        """Return the ``sign`` of each label."""
        array = y if type(y) is np.ndarray else self._array(y)
        if array is None:
            return self._each(y)
        if array.ndim != 1:
            raise ValueError(
                f"{self.where}: y must be 1-d, one {self.noun} per row, got shape {array.shape}. Pass y.ravel()"
            )
        if array.dtype.kind not in SIMPLE or array.size < 2:
            return self._each(array.tolist())
        if array.dtype == np.float64 and array.flags.carray:
            return self._numbers(array)
        return self._vectorised(array)

    def _numbers(self, array: Floats) -> Floats:
        """Do ``_vectorised`` for floats in one pass; -1 and +1 are returned without a copy."""
        row = first_difference(array)
        if row == array.size or count_neither(array, array[0], array[row]) > 0:
            return self._vectorised(array)
        first, other = self._sign_at(array, 0), self._sign_at(array, row)
        if first == array[0] and other == array[row]:
            return array
        return np.where(array == array[0], first, other)

    def listed(self, y: Any) -> list[Any]:
        """Return the labels as a list; an empty list if y is not 1-d."""
        array = y if type(y) is np.ndarray else self._array(y)
        return list(y) if array is None else array.tolist() if array.ndim == 1 else []

    def third(self, labels: Sequence[Any]) -> int | None:
        """Return the first row with a third label, or None.

        Raise if a later row is not a valid label.
        """
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
        """Return an array, Series or Arrow array as a numpy array; None for a list."""
        if isinstance(y, Sequence) and not isinstance(y, str | bytes | bytearray):
            return None
        if hidden := masked(y):
            raise ValueError(f"{self.where}: y must not have masked {self.noun}s, got {hidden}. Drop those rows")
        try:
            if hasattr(y, "__array__"):
                return np.asarray(y)
        except Exception as error:
            raise ValueError(f"{self.where}: y must be readable as an array, got {error}. Pass a list") from None
        raise ValueError(
            f"{self.where}: y must be a list, array or Series of {self.noun}s, got {type(y).__name__}. Pass a list"
        )

    def _vectorised(self, array: np.ndarray) -> Floats:
        """Compare all rows with the first label and with the first label that differs from it."""
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
        with suppress(KeyError, TypeError):  # a new label, or one that is not hashable
            return np.fromiter(map(self.signs.__getitem__, labels), np.float64, len(labels))
        signs = np.empty(len(labels))
        for row, label in enumerate(labels):
            try:
                signs[row] = self.sign(label)
            except ValueError as error:
                raise in_row(self.where, row, error) from None
        return signs

    def forget(self, size: int) -> None:
        """Keep only the first ``size`` labels."""
        while len(self.signs) > size:
            _, sign = self.signs.popitem()
            if sign > 0:
                self.positive = None
            else:
                self.negative = None

    def of(self, score: float) -> Any:
        """Return the label for a score: the positive one if score >= 0, else the negative one.

        If only one label is known, return that one; if none is, return None.
        """
        label = self.positive if score >= 0 else self.negative
        if label is None:
            label = self.negative if self.positive is None else self.positive
        return label

    def of_many(self, scores: Floats) -> np.ndarray:
        """Return the label for each score."""
        self._check_known()
        return array_of([self.of(-1.0), self.of(1.0)])[(scores >= 0).astype(np.intp)]

    def _check_known(self) -> None:
        if not self.signs:
            raise ValueError(
                f"{self.where}: predict_many must know the labels, got no example yet. Learn first, or declare labels"
            )

    def _set_sign(self, label: Any, sign: float) -> None:
        self.signs[label] = sign
        if sign > 0:
            self.positive = label
        else:
            self.negative = label

    def _checked(self, label: Any) -> Any:
        """Return a label as a plain hashable value; raise if it is missing or not one value."""
        if isinstance(label, np.generic) or (isinstance(label, np.ndarray) and label.ndim == 0):
            label = label.item()
        elif hasattr(label, "as_py"):
            label = label.as_py()
        try:
            hash(label)
        except TypeError:
            raise ValueError(
                f"{self.where}: a label must be a single value, got {shortened(label)}. Pass one label per row"
            ) from None
        if label is None or _is_missing(label):
            raise ValueError(f"{self.where}: a label must be a value, got {label!r}. Drop the examples without a label")
        return label

    def _add(self, label: Any) -> float:
        """Add a label that was not seen before and return its sign."""
        label = self._checked(label)
        if label in self.signs:
            return self.signs[label]
        if len(self.signs) == 2:
            negative, positive = self.known()
            remedy = f"{self.remedy}, or predict numbers with AROWRegressor" if _is_fraction(label) else self.remedy
            raise ValueError(f"{self.where}: a label must be {negative!r} or {positive!r}, got {label!r}. {remedy}")
        sign = 1.0 if label == 1 else -1.0
        if self.signs:
            sign = -next(iter(self.signs.values()))
        self._set_sign(label, sign)
        return sign


class ExpertLabels(Labels):
    """The labels of a learner of experts, which refuses fractions: outcomes are no labels.

    A fraction may be declared as a label.
    """

    def _add(self, label: Any) -> float:
        label = self._checked(label)
        if _is_fraction(label) and not any(_is_fraction(one) for one in self.signs):
            raise ValueError(
                f"{self.where}: a label must name one of two classes, got {label!r}. For real outcomes use "
                "SquareLossExperts, AggregatingExperts or SquareLossFixedShare, or declare labels=(negative, positive)"
            )
        return super()._add(label)

    def restore(self, label: Any) -> float:
        """Add a label of a model file, which may be a fraction: earlier versions learned them."""
        return super()._add(label)


def _is_fraction(label: Any) -> bool:
    """Return whether a label is a finite float that is not whole."""
    return isinstance(label, float) and isfinite(label) and not label.is_integer()


def _is_missing(label: Any) -> bool:
    """Return whether a label differs from itself, as NaN does, or cannot be compared."""
    try:
        return bool(label != label)
    except Exception:
        return True


def array_of(labels: list[Any]) -> np.ndarray:
    """Return labels as an array of their common type if numpy has one, else as an object array."""
    if len({*map(type, labels)}) == 1 and isinstance(labels[0], bool | int | float | str):
        own = np.array(labels)
        if own.dtype != object and own.tolist() == labels and type(own[0].item()) is type(labels[0]):
            return own
    array = np.empty(len(labels), object)
    for k, label in enumerate(labels):  # item by item, since a label may be a tuple
        array[k] = label
    return array
