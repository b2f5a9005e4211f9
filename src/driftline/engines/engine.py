"""An engine runs a rule over rows: the compiled loops of one geometry, and the arrays that they learn into."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from driftline.compiled import Floats, Indices, Offsets, Weights
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    EVENT,
    FIRST,
    LABEL,
    MARGIN,
    PARAMS,
    PASSIVE,
    REFUSED,
    REFUSES,
    REMOVAL,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    SIZE,
    SMALLEST,
    TRACKS,
    WEIGHT,
    P,
)
from driftline.rows import DenseRows, Rows, SparseRows
from driftline.rules import Rule

LINE = 64
RECOMPUTE = 512.0


def aligned(size: int, dtype: np.dtype[np.floating]) -> Weights:
    """Zeros that start on a cache line."""
    raw = np.zeros(size * dtype.itemsize + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size * dtype.itemsize].view(dtype)


class Engine(ABC):
    """State and weights of one rule in one geometry. Indices are checked before they come here, values perhaps not."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        self.code = rule.code
        self.v = aligned(2 * FIRST, dtype)
        self.state = np.zeros(SIZE)
        self.state[SCALE] = 1.0
        self.state[DUE] = RECOMPUTE
        self.state[BIAS] = bias
        self.state[MARGIN] = rule.margin
        self.state[PASSIVE] = rule.passive
        self.state[BALL] = rule.ball
        self.state[TRACKS] = rule.tracks_norm
        self.state[REMOVAL] = rule.removal
        self.state[P] = rule.norm
        self.state[REFUSES] = rule.refuses
        self.state[SMALLEST] = 10.0 ** ((-100.0 if dtype == np.float64 else -12.0) / rule.norm)
        self.state[SHORTEST_SQ] = 1e-120 if dtype == np.float64 else 1e-30
        params = rule.params()
        self.state[PARAMS : PARAMS + len(params)] = params

    def reserve(self, features: int) -> None:
        """Have room for so many features, and for one more whose weight stays 0."""
        if FIRST + features < self.v.size:
            return
        size = FIRST * (2 + features // FIRST)
        v = aligned(max(size, 2 * self.v.size), self.v.dtype)
        v[: self.v.size] = self.v
        self.v = v

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return how many were done (fewer only if one was refused)."""
        if isinstance(rows, DenseRows):
            return self.learn_dense(rows.X, trials)
        return self.learn_sparse(rows.indptr, rows.indices, rows.values, trials)

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if isinstance(rows, DenseRows):
            self.score_dense(rows.X, scores)
        else:
            self.score_sparse(rows.indptr, rows.indices, rows.values, scores)

    def learner_of(self, row: SparseRows, trial: Floats) -> Callable[[float], float]:
        """A function of the label that learns the row now in these arrays; it returns the score before that.

        A row that is refused gives NaN, and REFUSED in the trial's events.
        """

        def learn(y: float) -> float:
            trial[LABEL, 0] = y
            trial[WEIGHT, 0] = 1.0
            if self.learn_sparse(*row, trial) == 1:
                return trial.item(SCORE)
            trial[EVENT, 0] = REFUSED
            return np.nan

        return learn

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """A function that scores the row now in these arrays."""
        scores = np.zeros(1)

        def score() -> float:
            self.score_sparse(*row, scores)
            return scores.item()

        return score

    @abstractmethod
    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""

    @abstractmethod
    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""

    @abstractmethod
    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""

    @abstractmethod
    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""

    @abstractmethod
    def weights(self) -> Floats:
        """The weights w, laid out as v: the bias feature's first, the others from ``FIRST`` on."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name: what a copy or a saved model must hold."""
        return {"state": self.state, "v": self.v}
