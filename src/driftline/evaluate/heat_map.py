"""Mistakes or errors over two parameters, for a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from driftline.evaluate.regression.shown import error
from driftline.internals.compiled import Floats

MISTAKES = "mistakes"


@dataclass(frozen=True)
class Heat:
    """Mistakes, or the mean absolute errors of regressors, over two parameters.

    Attributes
    ----------
    x, y
        The names of the parameters.
    xs, ys
        Their values.
    values
        ``values[i, j]`` belongs to ``ys[i]`` and ``xs[j]``: the smallest over all other parameters,
        NaN if there is no such setting.
    what
        What the values are: "mistakes" or "mean absolute error".
    """

    x: str
    y: str
    xs: Sequence[Any]
    ys: Sequence[Any]
    values: Floats
    what: str = MISTAKES

    @property
    def mistakes(self) -> Floats:
        """The values, under the name that they had when they were always mistakes."""
        return self.values

    @classmethod
    def of(cls, x: str, y: str, found: Sequence[tuple[dict[str, Any], float]], what: str = MISTAKES) -> Heat:
        """The heat map of some settings.

        Parameters
        ----------
        x, y
            The names of the parameters.
        found
            The parameters and the value of each setting. A setting without x or y is left out.
        what
            What the values are.

        Returns
        -------
        Heat
            The map.
        """
        fit = [(parameters, count) for parameters, count in found if x in parameters and y in parameters]
        xs, ys = (_sorted([parameters[name] for parameters, _ in fit]) for name in (x, y))
        values = np.full((len(ys), len(xs)), np.nan)
        for parameters, count in fit:
            at = ys.index(parameters[y]), xs.index(parameters[x])
            values[at] = np.fmin(values[at], count)
        return cls(x, y, xs, ys, values, what)

    def text(self, value: float) -> str:
        """A value as text: a whole number of mistakes, or an error as in tables of regressors."""
        return f"{value:,.0f}" if self.what == MISTAKES else error(value)

    @property
    def best(self) -> tuple[int, int]:
        """The row and the column with the smallest value; the first of equal ones."""
        known = np.where(np.isnan(self.values), np.inf, self.values)
        row, column = np.unravel_index(np.argmin(known), known.shape)
        return int(row), int(column)


def written(value: Any) -> str:
    """The value of a parameter as text, for an axis."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sorted(values: Sequence[Any]) -> list[Any]:
    """The distinct values: numbers in increasing order, then the others in the given order."""
    different = list(dict.fromkeys(values))
    numbers = [one for one in different if isinstance(one, Real) and not isinstance(one, bool)]
    return sorted(numbers) + [one for one in different if one not in numbers]
