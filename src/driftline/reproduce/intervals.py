"""What a few repetitions say of a mean: its standard error, and the interval that holds it 95 times out of 100.

Intervals are Student's: for repetitions that are independent and not far from normal. One repetition says nothing of
its own error, which is then NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

LEVEL = 0.95


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of the values, and its standard error.

    >>> mean_and_error([1.0, 2.0, 3.0])
    (2.0, 0.5773502691896258)
    """
    found = _numbers("mean_and_error", values)
    error = float(found.std(ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return float(found.mean()), error


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of the values.

    >>> interval([1.0, 2.0, 3.0])  # 2 -+ 4.303 * 0.577
    (-0.48413771175033027, 4.48413771175033)
    """
    mean, error = mean_and_error(values)
    reach = factor(len(values)) * error
    return mean - reach, mean + reach


def paired(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """The mean of a - b and its standard error, where a[k] and b[k] were found on the same stream.

    >>> paired([1.0, 12.0, 5.0], [0.0, 10.0, 2.0])
    (2.0, 0.5773502691896258)
    """
    return mean_and_error(_differences("paired", a, b))


def less(a: Sequence[float], b: Sequence[float]) -> bool | None:
    """Whether a is less than b, by the 95 % interval of the paired difference; None where that holds zero.

    >>> less([1.0, 2.0, 3.0], [9.0, 9.5, 11.0]), less([1.0, 2.0], [2.0, 1.0])
    (True, None)
    """
    low, high = interval(_differences("less", a, b))
    if math.isnan(low) or low <= 0.0 <= high:
        return None
    return high < 0.0


def factor(n: int) -> float:
    """How many standard errors the interval of a mean of n values reaches to either side; NaN for one value.

    >>> round(factor(20), 3)
    2.093
    """
    return float(stdtrit(n - 1, 0.5 + LEVEL / 2.0)) if n > 1 else math.nan


def _differences(where: str, a: Sequence[float], b: Sequence[float]) -> list[float]:
    first, second = _numbers(where, a), _numbers(where, b)
    if len(first) != len(second):
        raise ValueError(f"{where}: a and b must have the same length, got {len(first)} and {len(second)}")
    return [float(difference) for difference in first - second]


def _numbers(where: str, values: ArrayLike) -> np.ndarray:
    found = np.asarray(values, float)
    if found.ndim != 1 or not len(found):
        raise ValueError(f"{where}: values must be a list of at least one number, got {values!r}")
    return found
