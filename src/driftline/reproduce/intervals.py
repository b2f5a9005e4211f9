"""Standard errors and 95 % confidence intervals of means over a few repetitions.

Intervals use Student's t distribution, which assumes independent and roughly normal repetitions.
With a single repetition the standard error is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

LEVEL = 0.95


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the values and its standard error.

    >>> mean_and_error([1.0, 2.0, 3.0])
    (2.0, 0.5773502691896258)
    """
    found = _numbers("mean_and_error", values)
    error = float(found.std(ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return float(found.mean()), error


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean of the values.

    >>> interval([1.0, 2.0, 3.0])  # 2 -+ 4.303 * 0.577
    (-0.48413771175033027, 4.48413771175033)
    """
    mean, error = mean_and_error(values)
    reach = student_factor(len(values)) * error
    return mean - reach, mean + reach


def paired(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Return the mean of a - b and its standard error, where a[k] and b[k] share a stream.

    >>> paired([1.0, 12.0, 5.0], [0.0, 10.0, 2.0])
    (2.0, 0.5773502691896258)
    """
    return mean_and_error(_differences("paired", a, b))


def less(a: Sequence[float], b: Sequence[float]) -> bool | None:
    """Return whether a is less than b by the 95 % confidence interval of the paired difference.

    Return None if the interval contains zero.

    >>> less([1.0, 2.0, 3.0], [9.0, 9.5, 11.0]), less([1.0, 2.0], [2.0, 1.0])
    (True, None)
    """
    low, high = interval(_differences("less", a, b))
    if math.isnan(low) or low <= 0.0 <= high:
        return None
    return high < 0.0


def student_factor(n: int) -> float:
    """Return the half-width of the interval of a mean of n values, in standard errors.

    It is NaN for a single value.

    >>> round(student_factor(20), 3)
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
