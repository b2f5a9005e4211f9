"""The engine of the rules over experts: rows are advice, weights are shares; O(experts) per round.

``v`` are the weights of the next round, so all rules score in the same way and differ only in
their ``update``. Sparse rows are converted to dense ones: an expert without an entry has advice 0,
that is, it abstains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.engines.array_checks import constant_state, finite, of_shape, only, within
from driftline.engines.attribution import Attribution, entries_of
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.state import (
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    PARAMS,
    SCORE,
    SEEN,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit, leaf
from driftline.internals.rows import DenseRows, Rows, as_sparse
from driftline.rules.experts import (
    ada_hedge,
    exponential_weights,
    fixed_share,
    halving,
    variable_share,
    weighted_majority,
)
from driftline.rules.experts.expert_rule import EPOCH, LOSS, ROUNDS, ExpertRule

# why a row is refused
FINE, OUTSIDE, UNSIGNED, STRANGER, EMPTY = 0, 1, 2, 3, 4
# fields of ``fault``, about the last refused row: reason, expert, value, row, number of experts
FAULT, EXPERT, VALUE, ROW, NUMBER = 0, 1, 2, 3, 4


@leaf
def count_odd(z: Floats) -> tuple[int, int]:
    """Count the numbers outside [-1, 1], and those that are neither -1 nor +1."""
    outside = 0
    odd = 0
    for i in range(z.size):
        size = abs(z[i])
        outside += not size <= 1.0
        odd += size != 1.0
    return outside, odd


@leaf
def mean(v: Floats, z: Floats) -> float:
    """v.z / sum v, clipped to [-1, 1] because of rounding."""
    dot = 0.0
    total = 0.0
    for i in range(v.size):
        dot += v[i] * z[i]
        total += v[i]
    return min(1.0, max(-1.0, dot / total))


@leaf
def vote(v: Floats, z: Floats) -> float:
    """v.sgn(z) / sum v."""
    dot = 0.0
    total = 0.0
    for i in range(v.size):
        dot += v[i] if z[i] > 0.0 else -v[i] if z[i] < 0.0 else 0.0
        total += v[i]
    return min(1.0, max(-1.0, dot / total))


@leaf
def lost(votes: bool, y: float, weight: float, z: Floats, loss: Floats) -> None:
    """Write the loss of every expert in a round to ``loss``."""
    if votes:
        for i in range(z.size):
            loss[i] = 0.0 if y * z[i] > 0.0 else weight
    else:
        for i in range(z.size):
            loss[i] = 0.5 * weight * (1.0 - y * z[i])


@leaf
def add(losses: Floats, loss: Floats) -> None:
    """losses += loss."""
    for i in range(losses.size):
        losses[i] += loss[i]


@jit
def refuse(fault: Floats, what: int, expert: int, value: float) -> None:
    """Record why a row is refused."""
    fault[FAULT] = what
    fault[EXPERT] = expert
    fault[VALUE] = value


@jit
def checked(kind: int, z: Floats, fault: Floats) -> bool:
    """Whether all numbers are valid advice; if not, record the first that is not."""
    outside, odd = count_odd(z)
    if outside == 0 and (odd == 0 or kind != halving.KIND):
        return True
    for i in range(z.size):
        if not abs(z[i]) <= 1.0 or (outside == 0 and abs(z[i]) != 1.0):
            refuse(fault, UNSIGNED if kind == halving.KIND else OUTSIDE, i, z[i])
            break
    return False


@jit
def learn_row(
    kind: int,
    votes: bool,
    state: Floats,
    v: Floats,
    losses: Floats,
    aside: Floats,
    own: Floats,
    loss: Floats,
    fault: Floats,
    z: Floats,
    trials: Floats,
    i: int,
) -> bool:
    """Test, then train on one round; return False if it is refused."""
    if not checked(kind, z, fault):
        return False
    y, weight = trials[LABEL, i], trials[WEIGHT, i]
    score = vote(v, z) if votes else mean(v, z)
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    if weight == 0.0:
        return True
    lost(votes, y, weight, z, loss)
    first, second = state[PARAMS], state[PARAMS + 1]
    event = UPDATED
    if kind == halving.KIND:
        left = halving.survivors(v, loss)
        if left == 0:
            if first != 0.0:
                refuse(fault, EMPTY, 0, 0.0)
                return False
            event += INFEASIBLE
        halving.update(v, loss, left)
    if kind != ada_hedge.KIND:
        add(losses, loss)
    own[LOSS] += 0.5 * weight * (1.0 - y * score)
    own[ROUNDS] += 1.0
    if kind == weighted_majority.KIND:
        weighted_majority.update(v, losses, first)
    elif kind == exponential_weights.KIND:
        exponential_weights.update(v, losses, aside, own, loss, first, second)
    elif kind == ada_hedge.KIND:
        ada_hedge.update(v, losses, own, loss)
    elif kind == fixed_share.KIND:
        fixed_share.update(v, loss, first, second)
    elif kind == variable_share.KIND:
        variable_share.update(v, aside, loss, first, second)
    state[UPDATES] += 1.0
    trials[EVENT, i] = event
    return True


@jit
def spread(indices: Indices, values: Floats, z: Floats) -> int:
    """Write the advice of the known experts of a sparse row to z.

    Return the position of the first entry with nonzero advice of an unknown expert, or -1.
    """
    z[:] = 0.0
    stranger = -1
    for j in range(indices.size):
        if indices[j] < z.size:
            z[indices[j]] = values[j]
        elif values[j] != 0.0 and stranger < 0:
            stranger = j
    return stranger


@jit
def learn_sparse(
    kind: int,
    votes: bool,
    state: Floats,
    v: Floats,
    losses: Floats,
    aside: Floats,
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
        if at >= 0 or not learn_row(kind, votes, state, v, losses, aside, own, loss, fault, z, trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def learn_dense(
    kind: int,
    votes: bool,
    state: Floats,
    v: Floats,
    losses: Floats,
    aside: Floats,
    own: Floats,
    scratch: Floats,
    fault: Floats,
    X: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    loss = scratch[0]
    for i in range(done):
        if not learn_row(kind, votes, state, v, losses, aside, own, loss, fault, X[i], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def score_row(kind: int, votes: bool, v: Floats, fault: Floats, z: Floats) -> float:
    """Score one row; return NaN and record the reason if its advice is not valid."""
    if not checked(kind, z, fault):
        return np.nan
    return vote(v, z) if votes else mean(v, z)


@jit
def score_sparse(
    kind: int,
    votes: bool,
    v: Floats,
    fault: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row; stop at the first one that has no score."""
    z = np.empty(v.size)
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        spread(indices[row], values[row], z)
        scores[i] = score_row(kind, votes, v, fault, z)
        if np.isnan(scores[i]):
            fault[ROW] = i if scores.size > 1 else -1
            break


@jit
def score_dense(kind: int, votes: bool, v: Floats, fault: Floats, X: Floats, scores: Floats) -> None:
    """Score each row; stop at the first one that has no score."""
    for i in range(scores.size):
        scores[i] = score_row(kind, votes, v, fault, X[i])
        if np.isnan(scores[i]):
            fault[ROW] = i if scores.size > 1 else -1
            break


class ExpertsEngine(Engine):
    """Shares and losses of the experts; the first row fixes their number."""

    def __init__(self, rule: ExpertRule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.fault = np.zeros(5)
        self.known = 0
        self.own = np.zeros(4)
        self.own[EPOCH] = 1.0
        self.set_experts(0)

    @property
    def experts(self) -> int:
        """The number of experts; 0 before the first row is learned."""
        return self.shares.size

    def set_experts(self, experts: int) -> None:
        """Start over with ``experts`` experts with equal shares."""
        made = np.ones(experts), np.zeros(experts), np.zeros(experts), np.zeros((2, experts))
        self.shares, self.losses, self.aside, self.scratch = made

    def wider(self, features: int) -> dict[str, Any]:
        """The number of features; when the first row is learned, they become the experts."""
        return {"known": features}

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows done."""
        new, seen = self.experts == 0, self.state[SEEN]
        before = self.shares, self.losses, self.aside, self.scratch
        try:
            if new:
                self.set_experts(self.known)
            return self._learn(rows, trials)
        finally:
            if new and self.state[SEEN] == seen:
                self.shares, self.losses, self.aside, self.scratch = before

    def _learn(self, rows: Rows, trials: Floats) -> int:
        if self.experts == 0:
            self.fault[FAULT] = EMPTY
            return 0
        arrays = self.state, self.shares, self.losses, self.aside, self.own, self.scratch, self.fault
        kind, votes = self.rule.kind, self.rule.votes
        rows = fitted(rows, self.experts)
        if isinstance(rows, DenseRows):
            return learn_dense(kind, votes, *arrays, rows.X, trials)
        return learn_sparse(kind, votes, *arrays, rows.indptr, rows.indices, rows.values, trials)

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; NaN if its advice is refused.

        Before the first row is learned, all features are experts.
        """
        kind, votes = self.rule.kind, self.rule.votes
        shares = self.shares if self.experts else np.ones(self.known)
        rows = fitted(rows, shares.size)
        if shares.size == 0:
            scores[:] = 0.0
        elif isinstance(rows, DenseRows):
            score_dense(kind, votes, shares, self.fault, rows.X, scores)
        else:
            score_sparse(kind, votes, shares, self.fault, rows.indptr, rows.indices, rows.values, scores)

    def distribution(self) -> Floats:
        """The shares, scaled to sum 1."""
        return self.shares / self.shares.sum()

    def attribute(self, row: Rows) -> Attribution:
        """Share times advice of each expert; of rules that vote, share times the sign of its advice.

        Before the first row is learned, all features are experts.
        """
        indices, values = entries_of(row)
        shares = self.distribution() if self.experts else np.full(self.known, 1.0 / max(1, self.known))
        terms, known = np.zeros(values.size), indices < shares.size
        terms[known] = shares[indices[known]] * (np.sign(values[known]) if self.rule.votes else values[known])
        return Attribution(terms)

    def weights(self) -> Floats:
        """The shares, laid out as v."""
        return np.concatenate([np.zeros(FIRST), self.distribution()])

    def unscorable(self) -> str:
        """Why the last score was not finite: its advice was refused, as shares cannot overflow."""
        return self.refusal()

    def refusal(self) -> str:
        """Why the last advice was refused."""
        fault, expert, value = int(self.fault[FAULT]), int(self.fault[EXPERT]), self.fault[VALUE].item()
        if fault == OUTSIDE:
            return f"must be advice from -1 to 1, got {value} from expert {expert}. Clip or rescale it"
        if fault == UNSIGNED:
            return f"must be advice of -1 or +1, got {value} from expert {expert}. Use WeightedMajority"
        if fault == STRANGER:
            return (
                f"must be advice of the {self.fault[NUMBER]:.0f} experts of the first example, got {value} from "
                f"expert {expert}. Start a new learner with all experts"
            )
        if self.experts == 0:
            return "must be the advice of at least one expert, got none. Leave it out"
        return "must leave an expert that was never wrong, got an error of the last one. Set empty='reset'"

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows; also the number of experts."""
        if size <= 1:
            return lambda: None
        state, own = self.state.copy(), self.own.copy()
        shares, losses, aside, scratch = self.shares.copy(), self.losses.copy(), self.aside.copy(), self.scratch

        def undo() -> None:
            self.state[...], self.own[...] = state, own
            self.shares, self.losses, self.aside, self.scratch = shares, losses, aside, scratch

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {
            "state": self.state,
            "shares": self.shares,
            "losses": self.losses,
            "aside": self.aside,
            "own": self.own,
        }

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays for a model file."""
        return {**self.arrays(), "state": self.state[LEARNED]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that shares are in [0, 1] and not all 0, and that all else is finite."""
        only(arrays, "state", "shares", "losses", "aside", "own")
        experts = arrays["shares"].size
        if experts > features:
            raise ValueError(f"shares of {experts} experts, expected at most {features}")
        constant_state(arrays, self.state[LEARNED])
        own = finite("own", of_shape(arrays, "own", "float64", self.own.shape))
        shares, losses, aside = (
            finite(name, of_shape(arrays, name, "float64", (experts,))) for name in ("shares", "losses", "aside")
        )
        if not ((own >= 0.0).all() and own[EPOCH] >= 1.0):
            raise ValueError(f"own {own.tolist()}")
        if experts and not within("shares", shares, 0.0, 1.0).max() > 0.0:
            raise ValueError("shares that are all 0")
        within("losses", losses, 0.0, np.inf)
        self.set_experts(experts)
        self.shares[:], self.losses[:], self.aside[:], self.own[:] = shares, losses, aside, own


def fitted(rows: Rows, experts: int) -> Rows:
    """Convert dense rows to sparse ones unless they have a column for each expert.

    The dense loops do not check the width.
    """
    return rows if isinstance(rows, DenseRows) and rows.X.shape[1] == experts else as_sparse(rows)
