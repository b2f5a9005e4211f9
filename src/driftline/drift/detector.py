"""The interface of a detector of changes in the mean of a stream of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from numbers import Real
from typing import Any, Self

import numpy as np

from driftline.drift.change import Change
from driftline.drift.window import COLUMNS
from driftline.internals.compiled import Floats
from driftline.internals.require import number, require


class Detector(ABC):
    """A detector of changes in the mean of a stream of numbers in [0, 1].

    ``update_many`` gives the same bits as ``update`` value by value. A call that raises changes
    nothing. After an alarm the detector starts anew.
    """

    parameters: dict[str, Any]
    """The parameters by name."""

    def __init__(self) -> None:
        self._vector: Floats = self._fresh()
        self._last: Change | None = None

    @property
    def n_seen(self) -> int:
        """The number of values so far."""
        return int(self._vector[0])

    @property
    def last(self) -> Change | None:
        """The last change; None before the first alarm."""
        return self._last

    def update(self, value: float) -> bool:
        """Add a value.

        Parameters
        ----------
        value
            A number from 0 to 1; for the error of a classifier, whether it was wrong.

        Returns
        -------
        bool
            Whether there is an alarm. ``last`` is then the change.
        """
        if not isinstance(value, Real | np.bool_) or not 0.0 <= value <= 1.0:
            raise ValueError(f"{self._name}: a value must be a number from 0 to 1, got {value!r}. Rescale the values")
        return bool(self.changes(np.array([float(value)])))

    def update_many(self, values: Iterable[float]) -> np.ndarray:
        """Add many values.

        Parameters
        ----------
        values
            Numbers from 0 to 1.

        Returns
        -------
        numpy.ndarray of int64
            The positions of the alarms in ``values``, from 0.
        """
        before = self.n_seen
        return np.array([change.at - before - 1 for change in self.changes(values)], np.int64)

    def changes(self, values: Iterable[float]) -> list[Change]:
        """Add many values, as ``update_many`` does, and return the changes.

        Parameters
        ----------
        values
            Numbers from 0 to 1.

        Returns
        -------
        list of Change
            A change for each alarm. Its ``at`` counts all values since the detector was created.
        """
        array = self._checked(values)
        found = np.empty((len(array) // self._gap + 2, COLUMNS))
        changes = [Change.of(row) for row in found[: self._add(array, found)]]
        if changes:
            self._last = changes[-1]
        return changes

    def state(self) -> dict[str, Any]:
        """The state as plain values for JSON; ``restore`` takes it back."""
        return {
            "detector": self._name,
            "parameters": dict(self.parameters),
            "values": self._vector.tolist(),
            "last": None if self._last is None else list(self._last),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state.

        Parameters
        ----------
        state
            What ``state`` of a detector with the same parameters returned. ValueError if no such
            detector can have it; nothing is changed then.
        """
        keys = {"detector", "parameters", "values", "last"}
        if not isinstance(state, dict) or state.keys() != keys or not isinstance(state["values"], list):
            raise ValueError(f"{self._name}: a state must have {', '.join(sorted(keys))}, got another one")
        if state["detector"] != self._name or state["parameters"] != self.parameters:
            raise ValueError(
                f"{self._name}: a state must have the same parameters, got {state['detector']!r} with "
                f"{state['parameters']!r}. Create the detector with these"
            )
        try:
            vector = np.array(state["values"], np.float64)
            self._check(vector)
            last = None if state["last"] is None else _checked_change(state["last"], int(vector[0]))
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"{self._name}: a state must be one that values can lead to, got a bad one: {error}"
            ) from None
        self._vector, self._last = vector, last

    def copy(self) -> Self:
        """A detector with the same state, which shares nothing with this one."""
        other = type(self)(**self.parameters)
        other._vector, other._last = self._vector.copy(), self._last
        return other

    __copy__ = copy

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self._name}({given})"

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _checked(self, values: Iterable[float]) -> Floats:
        given = values if isinstance(values, np.ndarray) else list(values)
        array = np.asarray(given)
        if array.size == 0:
            array = np.zeros(0)
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise ValueError(f"{self._name}: values must be a list of numbers, got {type(values).__name__}")
        floats = np.ascontiguousarray(array, np.float64)
        wrong = ~((floats >= 0.0) & (floats <= 1.0))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"{self._name}: value {row} must be a number from 0 to 1, got {floats[row]}. Rescale the values"
            )
        return floats

    @property
    @abstractmethod
    def _gap(self) -> int:
        """The least number of values between two alarms."""

    @abstractmethod
    def _fresh(self) -> Floats:
        """The state before the first value; its first entry counts the values."""

    @abstractmethod
    def _add(self, values: Floats, found: Floats) -> int:
        """Add checked values; write the changes to ``found``, and return their number."""

    @abstractmethod
    def _check(self, vector: Floats) -> None:
        """Raise ValueError unless values can have led to this state."""


def check_delta(where: str, delta: object) -> None:
    """Raise ValueError unless delta is a probability for one value: above 0, at most 0.01."""
    require(0.0 < number(where, "delta", delta) <= 0.01, where, "delta must be > 0 and at most 0.01", delta)


def _checked_change(row: Any, seen: int) -> Change:
    at, since, before, after = row
    good = all(type(one) is int for one in (at, since)) and 0 <= since < at <= seen
    if not good or not all(type(one) is float and 0.0 <= one <= 1.0 for one in (before, after)):
        raise ValueError(f"a change must lie within the values, got {row!r}")
    return Change(at, since, before, after)
