"""An engine runs a rule over rows: the compiled loops of one geometry, and the arrays that they learn into."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

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
    SEEN,
    SHORTEST_SQ,
    SINCE,
    SIZE,
    SMALLEST,
    TRACKS,
    WEIGHT,
    P,
)
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.numeric.alignment import aligned
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.internals.writable import writable
from driftline.rules import Rule

RECOMPUTE = 512.0
NO_VOTES: npt.NDArray[np.int8] = np.zeros((0, 0), np.int8)
LEARNED = slice(SCALE, SEEN)  # of the state; then come the counters, and what follows from the parameters


class Engine(ABC):
    """State and weights of one rule in one geometry. Indices are checked before they come here.

    Values are checked too, unless ``finds_bad_values``. An engine overrides either ``learn`` and ``score``, or what
    these call for sparse and for dense rows.
    """

    finds_bad_values: ClassVar[bool] = False
    """Whether it stops by itself at a value that is not finite, and at an example that is too long."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(writable(state))

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

    def learn_with_votes(self, rows: Rows, trials: Floats) -> tuple[int, npt.NDArray[np.int8]]:
        """``learn``; return also the vote of every expert in each round.

        A vote is -1 or +1, or 0 if the expert took no part in the round. An engine without experts has
        no votes.
        """
        return self.learn(rows, trials), NO_VOTES

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
            if self.learn(row, trial) == 1:
                return trial.item(SCORE)
            trial[EVENT, 0] = REFUSED
            return np.nan

        return learn

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """A function that scores the row now in these arrays."""
        scores = np.zeros(1)

        def score() -> float:
            self.score(row, scores)
            return scores.item()

        return score

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        raise NotImplementedError

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        raise NotImplementedError

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        raise NotImplementedError

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        raise NotImplementedError

    def spread(self, row: Rows) -> float:
        """x.A^-1 x of one row: how far it lies from what was learned; only rules of second order keep such an A."""
        raise NotImplementedError

    @abstractmethod
    def weights(self) -> Floats:
        """The weights w, laid out as v: the bias feature's first, others from ``FIRST`` on; zeros if it has none."""

    def extent(self) -> tuple[float, int]:
        """How long what it has learned is, and of how many parts: |w|, and the weights that are not zero."""
        return extent_of(self.weights())

    # what it stopped at -------------------------------------------------------------------------------------
    def refusal(self) -> str:
        """What the example at which it stopped must be, what it was, and a remedy: "must ..., got .... Do ..."."""
        return "must be one that can be learned, got one that cannot. Leave it out"

    def unscorable(self) -> str:
        """Why the score of the last examples was not finite, as in ``refusal``; empty if weights have overflowed."""
        return ""

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back whatever learning the next ``size`` rows, wholly or in part, changes.

        A single row that it refuses must leave it as it was.
        """
        if size <= 1:
            return lambda: None
        copies = {name: array.copy() for name, array in self.arrays().items()}

        def undo() -> None:
            for name, array in self.arrays().items():
                array[...] = copies[name]

        return undo

    # keeping ------------------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name; equal learners have equal arrays, but for room at their ends."""
        return {"state": self.state, "v": self.v}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """All that was learned about so many features, for a file; counters apart. May be its own arrays."""
        return {"state": self.state[LEARNED], "v": self.v[: FIRST + features]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Be as the engine that ``saved`` these; ValueError, with what was found, if no engine can have.

        Compiled loops do not check bounds: whatever they take for a position is checked here.
        """
        only(arrays, "state", "v")
        state = of_shape(arrays, "state", "float64", (SEEN,))
        v = of_shape(arrays, "v", str(self.v.dtype), (FIRST + features,))
        if np.nan_to_num(v[1:FIRST], nan=0.0).any():  # NaN once the scale has overflowed
            raise ValueError("weights between the bias feature and the first")
        if not all(0.0 <= state[place] < np.inf for place in (SINCE, DUE)):
            raise ValueError(f"state {state.tolist()}")
        self.reserve(features)
        self.v[: v.size] = v
        self.state[LEARNED] = state


def extent_of(w: Floats) -> tuple[float, int]:
    """|w|, and how many weights are not zero."""
    w = w[np.flatnonzero(w)]  # equal learners may have room for different numbers of weights
    return norm(w), w.size


def norm(w: Floats) -> float:
    """The Euclidean norm, also where squares would overflow or vanish."""
    size = float(np.abs(w).max(initial=0.0))
    if size == 0.0 or not math.isfinite(size):
        return size
    return size * math.sqrt(float(np.sum((w / size) ** 2)))


def only(arrays: dict[str, np.ndarray], *names: str) -> None:
    """ValueError unless these are all the arrays."""
    if arrays.keys() != set(names):
        raise ValueError(f"arrays {sorted(arrays)} where {sorted(names)} are due")


def of_shape(arrays: dict[str, np.ndarray], name: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """The array of this name, which must be of this dtype and shape; ValueError otherwise."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"no array {name}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name} of shape {array.shape} and {array.dtype} where shape {shape} and {dtype} are due")
    return array
