"""Base class of the second-order engines: a variance per weight, 0 before the first update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.engines.array_checks import finite, only, tracked_state, weights_of_shape, within, without
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine, lengthened
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR, ONE, LinearEngine, dot_sparse
from driftline.engines.state import BIAS, FIRST, PARAMS, SCALE
from driftline.internals.compiled import Floats, Indices, Offsets, inlined
from driftline.internals.numeric.alignment import aligned
from driftline.internals.numeric.simd import dot_dense
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules.second_order.second_order_rule import SecondOrder


@inlined
def scored(
    state: Floats, v: Floats, columns: int, indptr: Offsets, indices: Indices, values: Floats, i: int
) -> tuple[int, int, float, float]:
    """Return start, stop, score and |x|^2 of row i.

    If ``columns`` > 0, rows are dense with ``columns`` values each. Otherwise they are sparse,
    with ``indptr`` and ``indices``.
    """
    bias = state[BIAS]
    if columns > 0:
        start = i * columns
        stop = start + columns
        score, x_sq = dot_dense(v[FIRST:], values, start, columns)
    else:
        start = indptr[i]
        stop = indptr[i + ONE]
        score, x_sq = dot_sparse(v[FIRST:], indices, values, start, stop)
    return start, stop, score + bias * v[0], x_sq + bias * bias


class VariancesEngine(LinearEngine):
    """Weights and their variances. A subclass adds its loop and any further arrays."""

    def __init__(self, rule: SecondOrder, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.place = rule.place
        self.variances = aligned(self.v.size, dtype)

    def wider(self, features: int) -> dict[str, Any]:
        """Also the variances."""
        wider = super().wider(features)
        if wider:
            wider["variances"] = lengthened(self.variances, wider["v"].size)
        return wider

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label."""
        return Engine.learner_of(self, row, trial, recent)

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return self.learn_rows(0, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return self.learn_rows(X.shape[1], NO_INDPTR, NO_INDICES, X.reshape(-1), trials)

    @abstractmethod
    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse rows if ``width`` is 0."""

    def spread(self, row: Rows) -> float:
        """x.P x of one row."""
        if isinstance(row, DenseRows):
            return self.spread_of(row.X.shape[1], NO_INDPTR, NO_INDICES, row.X.reshape(-1))
        return self.spread_of(0, *row)

    @abstractmethod
    def spread_of(self, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
        """``spread`` of the first row; rows as in ``learn_rows``."""

    def logdet(self) -> float:
        """ln(det P_0 / det P), where P_0 is the initial P; P = U D U^T or D, D the variances."""
        return float(np.sum(np.log(self.state[PARAMS] / self.variances[self.variances > 0.0])))

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {**super().arrays(), "variances": self.variances}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the variances."""
        return {**super().saved(features), "variances": self.variances[: FIRST + features]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that the variances are finite and not negative."""
        only(arrays, "state", "v", "variances")
        variances = weights_of_shape(arrays, "variances", "float64", (FIRST + features,))
        within("variances", finite("variances", variances), 0.0, np.inf)
        state = tracked_state(arrays)
        if state[SCALE] != 1.0:
            raise ValueError(f"weights with scale {state[SCALE]}, expected 1")
        super().restore(features, without(arrays, "variances"))
        self.variances[: variances.size] = variances
