"""The engine of second-order rules with all of P, in factors: O(d^2) per update.

The update is ``second_order_rule.full_update``, on the factors of ``triangular``. A round without
an update costs O(nnz(x)), except for rules that need ``x.P x`` to decide whether to update. d is
the number of features up to the last one with an update.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.engines.array_checks import finite, of_shape, without
from driftline.engines.engine import lengthened
from driftline.engines.second_order.diagonal import DiagonalEngine
from driftline.engines.second_order.variances import VariancesEngine, scored
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    PARAMS,
    PASSIVE,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.numeric.alignment import aligned
from driftline.internals.numeric.simd import LANES
from driftline.internals.numeric.triangular import (
    column,
    onto_columns,
    onto_columns_few,
    places,
    top_of,
    variance,
)
from driftline.rules.second_order.gain_table import gain
from driftline.rules.second_order.second_order_rule import SecondOrder, full_update

ONE = np.uint64(1)
# a row counts as sparse if fewer than one in FEW of its features is not 0
FEW = np.uint64(8)


@jit
def learn(
    place: int,
    state: Floats,
    v: Floats,
    D: Floats,
    U: Floats,
    scratch: Floats,
    few: Indices,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done. Rows as in ``scored``.

    The rows of ``scratch`` hold U^T x, x and P x. The last two are zeros before and after.
    """
    f, x, h = scratch[0], scratch[1], scratch[2]
    params = params_of(state)
    passive, prior = state[PASSIVE], state[PARAMS]
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    top = np.uint64(top_of(D))
    for i in range(done):
        start, stop, score, x_sq = scored(state, v, columns, indptr, indices, values, i)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        m = y * score
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        if m >= passive or weight == 0.0 or x_sq < state[SHORTEST_SQ]:
            continue
        x[0] = state[BIAS]
        for j in range(start, stop):
            x[FIRST + (j - start if columns > 0 else indices[j])] = values[j]
        end = np.uint64(x.size)
        while end > top and x[end - ONE] == 0.0:
            end -= ONE
        count = np.uint64(0)
        for k in range(end):
            if x[k] != 0.0:
                few[count] = k
                count += ONE
        if FEW * count < end:
            onto_columns_few(U, D, x, few, f, end)
        else:
            onto_columns(U, x, f, end)
        tau, noise = gain(place, m, variance(D, f, end, prior), weight, params)
        if tau > 0.0 and noise < np.inf:
            full_update(v, U, D, f, h, end, prior, tau * y, noise)
            top = end
            state[UPDATES] += 1.0
            trials[EVENT, i] = UPDATED
        for k in range(end):
            x[k] = 0.0
    tally(state, trials, done)
    return int(done)


@jit
def spread(
    state: Floats,
    D: Floats,
    U: Floats,
    scratch: Floats,
    few: Indices,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
) -> float:
    """x.P x of the first row; ``scratch`` as in ``learn``."""
    f, x = scratch[0], scratch[1]
    columns = np.uint64(width)
    start, stop = (np.uint64(0), columns) if columns > 0 else (indptr[0], indptr[ONE])
    x[0] = state[BIAS]
    for j in range(start, stop):
        x[FIRST + (j - start if columns > 0 else indices[j])] = values[j]
    end = np.uint64(x.size)
    top = np.uint64(top_of(D))
    while end > top and x[end - ONE] == 0.0:
        end -= ONE
    count = np.uint64(0)
    for k in range(end):
        if x[k] != 0.0:
            few[count] = k
            count += ONE
    if FEW * count < end:
        onto_columns_few(U, D, x, few, f, end)
    else:
        onto_columns(U, x, f, end)
    for k in range(end):
        x[k] = 0.0
    return variance(D, f, end, state[PARAMS])


class FullEngine(VariancesEngine):
    """Weights and all of P, for at most ``most`` features."""

    scratch: Floats
    few: Indices

    def __init__(self, rule: SecondOrder, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.name, self.most = type(rule).__name__, int(rule.most)
        self.factor = aligned(0, dtype)
        self.__dict__.update(self._matrix(self.v.size))

    def wider(self, features: int) -> dict[str, Any]:
        """Also the matrix; ValueError if there are more than ``most`` features."""
        if features > self.most:
            raise ValueError(
                f"{self.name}: features must be at most {self.most:,} for a full matrix, "
                f"got {features:,}, which need {in_bytes(8 * places(FIRST + features))}. "
                "Set diagonal=True, or raise most"
            )
        wider = super().wider(features)
        return wider | self._matrix(wider["v"].size) if wider else wider

    def _matrix(self, size: int) -> dict[str, np.ndarray]:
        """The factor and the working arrays for weights of this size, at most ``most`` features."""
        factor = lengthened(self.factor, places(min(size, FIRST + self.most)))
        return {"factor": factor, "scratch": np.zeros((3, size)), "few": np.zeros(size, np.uint32)}

    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse rows if ``width`` is 0."""
        learned = self.state, self.v, self.variances, self.factor
        return learn(self.place, *learned, self.scratch, self.few, width, indptr, indices, values, trials)

    def spread_of(self, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
        """``spread`` of the first row."""
        return spread(self.state, self.variances, self.factor, self.scratch, self.few, width, indptr, indices, values)

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {**super().arrays(), "factor": self.factor}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the factor U."""
        return {**super().saved(features), "factor": self.factor[: places(FIRST + features)]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that the factor is triangular and finite, and 0 where no feature is.

        A number there would spread to the weights between the bias feature and the first feature.
        """
        size = FIRST + features
        factor = finite("factor", of_shape(arrays, "factor", "float64", (places(size),)))
        padding = (factor[column(k) + (k if k < size else 0) : column(k + 1)] for k in range(-(-size // LANES) * LANES))
        if any(part.any() for part in padding):
            raise ValueError("a factor that is not triangular")
        between = (factor[column(k) + 1 : column(k) + FIRST] for k in range(FIRST, size))
        if factor[: column(FIRST)].any() or any(part.any() for part in between):
            raise ValueError("a factor with nonzero entries between the bias feature and the first feature")
        super().restore(features, without(arrays, "factor"))
        self.factor[: factor.size] = factor


def in_bytes(size: int) -> str:
    """A number of bytes with a unit.

    >>> in_bytes(4 * 5000**2)
    '100 MB'
    """
    power = min(4, (len(str(size)) - 1) // 3)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def engine_of(rule: SecondOrder, bias: float, dtype: np.dtype[np.floating]) -> VariancesEngine:
    """Return a new engine for all of P, or for its diagonal if the rule says so."""
    return DiagonalEngine(rule, bias, dtype) if rule.diagonal else FullEngine(rule, bias, dtype)
