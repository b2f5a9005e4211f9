"""The engine of the rules over experts with real outcomes: rows are predictions in [-B, B].

An expert without an entry in a sparse row predicts 0. Outcomes outside [-B, B] are refused too.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.attribution import Attribution, distributed
from driftline.engines.experts.expert_engine import (
    EXPERT,
    FAULT,
    FINE,
    NUMBER,
    OUTSIDE,
    ROW,
    STRANGER,
    VALUE,
    ExpertsEngine,
    add,
    fitted,
    refuse,
    spread,
)
from driftline.engines.state import EVENT, LABEL, MARGIN_ERRORS, PARAMS, SCORE, SEEN, UPDATED, UPDATES, WEIGHT
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import DenseRows, Rows
from driftline.rules.experts import square_loss_fixed_share
from driftline.rules.experts.aggregating_experts import substitution
from driftline.rules.experts.expert_rule import LOSS, ROUNDS
from driftline.rules.experts.exponential_weights import gibbs
from driftline.rules.experts.outcome_rule import NO_SHARE, SUBSTITUTION
from driftline.rules.experts.square_loss_experts import mean

OUTCOME = 5
"""Why a row is refused, besides the reasons of ``expert_engine``: its outcome is out of range."""
# the parameters of a rule
ETA, ALPHA, B, PREDICTS = PARAMS, PARAMS + 1, PARAMS + 2, PARAMS + 3


@jit
def predicted(state: Floats, v: Floats, z: Floats, fault: Floats) -> float:
    """The prediction of one round; NaN, with the reason in ``fault``, if one is out of range."""
    for i in range(z.size):
        if not abs(z[i]) <= state[B]:
            refuse(fault, OUTSIDE, i, z[i])
            return np.nan
    if state[PREDICTS] == SUBSTITUTION:
        return substitution(v, z, state[ETA], state[B])
    return mean(v, z, state[B])


@jit
def learn_row(
    state: Floats,
    v: Floats,
    losses: Floats,
    own: Floats,
    loss: Floats,
    fault: Floats,
    z: Floats,
    trials: Floats,
    i: int,
) -> bool:
    """Test, then train on one round; return False if it is refused."""
    p = predicted(state, v, z, fault)
    if np.isnan(p):
        return False
    y, weight = trials[LABEL, i], trials[WEIGHT, i]
    if not abs(y) <= state[B]:
        refuse(fault, OUTCOME, 0, y)
        return False
    trials[SCORE, i] = p
    trials[EVENT, i] = 0.0
    state[MARGIN_ERRORS] += p != y
    if weight == 0.0:
        return True
    for j in range(z.size):
        loss[j] = weight * (z[j] - y) * (z[j] - y)
    add(losses, loss)
    own[LOSS] += weight * (p - y) * (p - y)
    own[ROUNDS] += 1.0
    if state[ALPHA] == NO_SHARE:
        gibbs(v, losses, state[ETA])
    else:
        square_loss_fixed_share.update(v, loss, state[ETA], state[ALPHA])
    state[UPDATES] += 1.0
    trials[EVENT, i] = UPDATED
    return True


@jit
def learn_sparse(
    state: Floats,
    v: Floats,
    losses: Floats,
    own: Floats,
    scratch: Floats,
    fault: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    loss, z = scratch[0], scratch[1]
    for i in range(done):
        row = slice(indptr[i], indptr[i + 1])
        at = spread(indices[row], values[row], z)
        if at >= 0:
            refuse(fault, STRANGER, indices[row][at], values[row][at])
            fault[NUMBER] = v.size
        if at >= 0 or not learn_row(state, v, losses, own, loss, fault, z, trials, i):
            done = i
            break
    state[SEEN] += done
    return done


@jit
def learn_dense(
    state: Floats, v: Floats, losses: Floats, own: Floats, scratch: Floats, fault: Floats, X: Floats, trials: Floats
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    for i in range(done):
        if not learn_row(state, v, losses, own, scratch[0], fault, X[i], trials, i):
            done = i
            break
    state[SEEN] += done
    return done


@jit
def score_sparse(
    state: Floats, v: Floats, fault: Floats, indptr: Offsets, indices: Indices, values: Floats, scores: Floats
) -> None:
    """Score each row; stop at the first one that has no score."""
    z = np.empty(v.size)
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        spread(indices[row], values[row], z)
        scores[i] = predicted(state, v, z, fault)
        if np.isnan(scores[i]):
            fault[ROW] = i if scores.size > 1 else -1
            break


@jit
def score_dense(state: Floats, v: Floats, fault: Floats, X: Floats, scores: Floats) -> None:
    """Score each row; stop at the first one that has no score."""
    for i in range(scores.size):
        scores[i] = predicted(state, v, X[i], fault)
        if np.isnan(scores[i]):
            fault[ROW] = i if scores.size > 1 else -1
            break


class OutcomesEngine(ExpertsEngine):
    """Shares and square losses of the experts; the first row fixes their number."""

    def _learn(self, rows: Rows, trials: Floats) -> int:
        if self.experts == 0:
            self.fault[FAULT] = FINE
            return 0
        arrays = self.state, self.shares, self.losses, self.own, self.scratch, self.fault
        rows = fitted(rows, self.experts)
        if isinstance(rows, DenseRows):
            return learn_dense(*arrays, rows.X, trials)
        return learn_sparse(*arrays, rows.indptr, rows.indices, rows.values, trials)

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; NaN if a prediction is refused.

        Before the first row is learned, all features are experts.
        """
        shares = self.shares if self.experts else np.ones(self.known)
        rows = fitted(rows, shares.size)
        if shares.size == 0:
            scores[:] = 0.0
        elif isinstance(rows, DenseRows):
            score_dense(self.state, shares, self.fault, rows.X, scores)
        else:
            score_sparse(self.state, shares, self.fault, rows.indptr, rows.indices, rows.values, scores)

    def attribute(self, row: Rows) -> Attribution:
        """Share times prediction of each expert; a substitution is distributed in proportion to them."""
        found = super().attribute(row)
        if self.state[PREDICTS] != SUBSTITUTION:
            return found
        return distributed(found, float(self.score_of(row)[0]))

    def refusal(self) -> str:
        """Why the last row was refused."""
        fault, expert, value = int(self.fault[FAULT]), int(self.fault[EXPERT]), self.fault[VALUE].item()
        limit = f"from {-self.state[B]:g} to {self.state[B]:g}"
        if fault == OUTCOME:
            return f"must have an outcome {limit}, got {value}. Set B to the largest |outcome|, or rescale"
        if fault == OUTSIDE:
            return f"must be predictions {limit}, got {value} from expert {expert}. Set B, clip or rescale"
        return super().refusal()
