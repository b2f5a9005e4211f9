"""Weights of all classes that are scaled lazily, for regularised multiclass rules.

    W = scale V,    A = x in the place of the right class y, -x in that of its rival s
    W <- shrink W + tau c A,    (shrink, tau) = step(m, |x|^2, |W|^2, params),    m = W.A

c is the sample weight. A round costs O(classes nnz(x)), whatever the number of weights:
``rules/linear/two_numbers.py`` says how.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.calibration.recent_scores import put
from driftline.engines.engine import RECOMPUTE
from driftline.engines.linear.euclidean import multiply_out
from driftline.engines.multiclass.class_engine import (
    ONE,
    WeightsEngine,
    judge,
    plain,
    predicted,
    score_row,
    tally_classes,
)
from driftline.engines.multiclass.class_engine import score as score_plain
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    NORM,
    PASSIVE,
    PEAK,
    PREDICTED,
    REFUSES,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    SINCE,
    SMALLEST,
    TRACKS,
    UPDATED,
    WEIGHT,
    WRONG,
    params_of,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Params, inlined, jit
from driftline.internals.rows import Rows
from driftline.rules import MulticlassL1PA, MulticlassL2PA, MulticlassShrunkPA
from driftline.rules.linear.two_numbers import into_ball, longer, stale
from driftline.rules.multiclass import multiclass_l2pa, multiclass_shrunk_pa

Regularised = MulticlassShrunkPA | MulticlassL2PA | MulticlassL1PA


@inlined
def infeasible(kind: int, m: float, x_sq: float, params: Params) -> bool:
    """Whether the rule fires and no weights meet its constraints."""
    return kind == multiclass_l2pa.KIND and multiclass_l2pa.infeasible(m, x_sq, params)


@inlined
def step(kind: int, m: float, x_sq: float, w_sq: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau) of the rule, without the sample weight."""
    if kind == multiclass_l2pa.KIND:
        return multiclass_l2pa.step(m, x_sq, w_sq, params)
    return multiclass_shrunk_pa.step(m, x_sq, params)


@jit
def measure(state: Floats, W: Floats) -> None:
    """Compute |W|^2 from V; the more weights there are, the later it is due again."""
    total = 0.0
    count = 0
    for place in range(W.shape[0]):
        for r in range(W.shape[1]):
            total += W[place, r] * W[place, r]
            count += W[place, r] != 0.0
    state[NORM] = state[SCALE] * state[SCALE] * total
    state[PEAK] = state[NORM]
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, count / 8.0)


@jit
def learn(
    kind: int,
    state: Floats,
    W: Floats,
    classes: Offsets,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    count: Floats,
    rounds: Floats,
    recent: Floats,
    tested: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done, fewer if one was refused.

    The arguments are those of ``class_engine.learn``; ``kind`` is that of the rule.
    """
    bias, params = state[BIAS], params_of(state)
    ball, smallest = state[BALL], state[SMALLEST]
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    known = classes[0]
    s = np.zeros(W.shape[1])
    for i in range(done):
        y = np.uint64(trials[LABEL, i])
        every = max(known, y + ONE)
        x_sq = score_row(bias, W, every, width, indptr, indices, values, i, s)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        for r in range(every):
            s[r] *= state[SCALE]
        margin, wrong, rival = judge(s, y, known)
        weight = trials[WEIGHT, i]
        m = s[y] - s[rival]
        passive = rival == y or weight == 0.0 or x_sq < state[SHORTEST_SQ] or m >= state[PASSIVE]
        stuck = not passive and infeasible(kind, m, x_sq, params)
        if stuck and state[REFUSES] != 0.0:
            done = i
            break
        if weight != 0.0:
            put(count, rounds, recent, s, known, y)
        if len(tested) > 0:
            tested[i, :known] = s[:known]
        known = every
        trials[SCORE, i] = margin
        trials[EVENT, i] = (WRONG if wrong else 0.0) + (INFEASIBLE if stuck else 0.0)
        trials[PREDICTED, i] = predicted(y, wrong, rival)
        if passive:
            continue
        shrink, tau = step(kind, m, x_sq, state[NORM], params)
        if tau == 0.0:
            continue
        trials[EVENT, i] += UPDATED
        state[SCALE] *= shrink
        if not smallest <= state[SCALE]:
            multiply_out(W.reshape(-1), state[SCALE])
            state[SCALE] = 1.0
        tau *= weight
        factor = tau / state[SCALE]
        W[0, y] += factor * bias
        W[0, rival] -= factor * bias
        start, stop = (i * columns, (i + ONE) * columns) if columns > 0 else (indptr[i], indptr[i + ONE])
        for j in range(start, stop):
            w = W[FIRST + (j - start if columns > 0 else indices[j])]
            w[y] += factor * values[j]
            w[rival] -= factor * values[j]
        if state[TRACKS] == 0.0:
            continue
        state[NORM] = longer(shrink * shrink * state[NORM], m, 2.0 * x_sq, shrink, tau)
        state[PEAK] = max(state[PEAK], state[NORM])
        state[SINCE] += 1.0
        if stale(state[NORM], state[PEAK], state[SINCE], state[DUE]):
            measure(state, W)
        state[SCALE], state[NORM], rescale = into_ball(state[SCALE], state[NORM], ball, smallest)
        if rescale != 1.0:
            multiply_out(W.reshape(-1), rescale)
    classes[0] = known
    tally_classes(state, trials, int(done))
    return int(done)


class RegularisedEngine(WeightsEngine):
    """An engine of regularised multiclass rules."""

    def __init__(self, rule: Regularised, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.kind = rule.kind
        self.beta = getattr(rule, "beta", None)

    def refusal(self) -> str:
        """The message for an infeasible example; MulticlassShrunkPA refuses none."""
        return (
            f"must be feasible, got one on which no weights within beta = {self.beta} "
            "reach margin 1. Raise beta, or choose infeasible='skip', 'relax' or 'best'"
        )


class ScaledClassesEngine(RegularisedEngine):
    """The engine of MulticlassShrunkPA and MulticlassL2PA without feature removal."""

    def learn_rows(
        self, rows: tuple[int, Offsets, Indices, Floats], trials: Floats, buffers: tuple[Floats, ...]
    ) -> int:
        """Run the compiled loop."""
        return learn(self.kind, self.state, self.W, self.known, *rows, trials, *buffers)

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        score_plain(self.state[BIAS], self.W, *plain(rows), scores)
        scores *= self.state[SCALE]

    def weights_of(self, k: int) -> Floats:
        """The weights of class k, laid out as v."""
        found: Floats = self.state[SCALE] * self.W[:, k]
        return found

    def give(self, W: Floats) -> None:
        """Set the weights of all features (rows) and classes (columns)."""
        super().give(W)
        self.state[SCALE] = 1.0
        if self.state[TRACKS]:
            measure(self.state, self.W)
