"""The engine of a Perceptron with weights in a convex set: a step on a mistake, then a projection.

As in ``compact``, an update costs O(nnz(w) + nnz(x)): the sets of ``rules.linear.regions`` leave
weights of 0 as they are.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.linear.compact import CompactEngine, gather, scatter
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    PASSIVE,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.rules.linear.projection_perceptron import ProjectionPerceptron
from driftline.rules.linear.region_projections import project
from driftline.rules.linear.regions import Region
from driftline.rules.linear.two_numbers import move


@jit
def learn_row(
    state: Floats,
    v: Weights,
    support: Indices,
    axes: Floats,
    indices: Indices,
    values: Floats,
    trials: Floats,
    i: int,
) -> bool:
    """Test, then train on one row; return False if it is refused."""
    bias = state[BIAS]
    dot = bias * v[0]
    x_sq = bias * bias
    for j in range(indices.size):
        x = values[j]
        dot += v[FIRST + indices[j]] * x
        x_sq += x * x
    y = trials[LABEL, i]
    weight = trials[WEIGHT, i]
    trials[SCORE, i] = dot
    trials[EVENT, i] = 0.0
    if not x_sq <= LONGEST_SQ:
        return False
    if weight == 0.0 or x_sq < state[SHORTEST_SQ] or y * dot >= state[PASSIVE]:
        return True
    eta, kind, first, second = params_of(state)
    state[UPDATES] += 1.0
    trials[EVENT, i] = UPDATED
    positions, w, a = gather(state, v, support, indices, values, y)
    move(w, a, 1.0, weight * eta, np.inf)
    project(kind, w, positions, first, second, axes)
    scatter(state, v, support, positions, w)
    return True


@jit
def learn_sparse(
    state: Floats,
    v: Weights,
    support: Indices,
    axes: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    for i in range(done):
        row = slice(indptr[i], indptr[i + 1])
        if not learn_row(state, v, support, axes, indices[row], values[row], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def learn_dense(state: Floats, v: Weights, support: Indices, axes: Floats, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return the number of rows done."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    done = trials.shape[1]
    for i in range(done):
        if not learn_row(state, v, support, axes, every, X[i], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


class RegionEngine(CompactEngine):
    """Weights that are projected on a convex set after every update."""

    def __init__(self, rule: ProjectionPerceptron, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        assert isinstance(rule.region, Region)
        self.axes = rule.region.half_axes

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn_sparse(self.state, self.v, self.support, self.axes, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn_dense(self.state, self.v, self.support, self.axes, X, trials)
