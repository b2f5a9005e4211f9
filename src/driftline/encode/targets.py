"""Real targets: the numbers that a regressor learns, in the place of labels."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from driftline.encode.faults import RowError, in_row, shortened
from driftline.encode.labels import Labels
from driftline.internals.compiled import Floats

LARGEST_TARGET = 1e15
NUMBERS = "iuf"  # dtype kinds of targets
TIMES = "mM"  # dtype kinds whose entries numpy may convert to integers


class Targets(Labels):
    """The targets of one regressor, with the methods of ``Labels``. No label is ever known.

    Parameters
    ----------
    where : str
        The name that error messages start with.
    """

    noun = "target"

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.signs = _Floats()

    def known(self) -> tuple[Any, ...]:
        """Return no labels."""
        return ()

    def sign(self, target: Any) -> float:
        """Return a target as a float; raise ValueError unless it is a finite real number."""
        if isinstance(target, np.generic) or (isinstance(target, np.ndarray) and target.ndim == 0):
            target = target.item() if target.dtype.kind not in TIMES else str(target)
        elif hasattr(target, "as_py"):
            target = target.as_py()
        if isinstance(target, bool) or not isinstance(target, Real | Decimal):
            raise ValueError(
                f"{self.where}: a target must be a real number, got {shortened(target)}. "
                "Convert it to a float, or drop the example"
            )
        try:
            value = float(target)
        except (OverflowError, ValueError):
            value = np.inf
        if not -LARGEST_TARGET <= value <= LARGEST_TARGET:
            raise ValueError(f"{self.where}: {_out_of_range(shortened(target))}")
        return value

    def sign_many(self, y: Any) -> Floats:
        """Return the targets as floats; raise ValueError unless all are finite real numbers."""
        array = y if type(y) is np.ndarray else self._array(y)
        if array is None:
            return self._each(y)
        if array.ndim != 1:
            raise ValueError(
                f"{self.where}: y must be 1-d, one target per row, got shape {array.shape}. Pass y.ravel()"
            )
        if array.dtype.kind not in NUMBERS:
            return self._each(array.tolist() if array.dtype.kind not in TIMES else list(array))
        with np.errstate(over="ignore"):
            targets: Floats = array.astype(np.float64)
        wrong = ~(np.abs(targets) <= LARGEST_TARGET)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise RowError(self.where, row, _out_of_range(shortened(array[row].item())))
        return targets

    def _each(self, targets: Sequence[Any]) -> Floats:
        values = np.empty(len(targets))
        for row, target in enumerate(targets):
            try:
                values[row] = self.sign(target)
            except ValueError as error:
                raise in_row(self.where, row, error) from None
        return values

    def forget(self, size: int) -> None:
        """Forget nothing: no label is known."""

    def of(self, score: float) -> float:
        """Return the prediction for a score, which is the score."""
        return score

    def of_many(self, scores: Floats) -> Floats:
        """Return the prediction for each score, which is the score."""
        return scores


class _Floats(dict[Any, float]):
    """An empty dict in which ``signs[y]`` is y if that is a float within the limits."""

    def __missing__(self, target: Any) -> float:
        if type(target) is float and -LARGEST_TARGET <= target <= LARGEST_TARGET:
            return target
        raise KeyError(target)


def _out_of_range(shown: str) -> str:
    return (
        f"a target must be finite and at most {LARGEST_TARGET:g} in absolute value, got {shown}. "
        "Rescale the targets, or drop the example"
    )
