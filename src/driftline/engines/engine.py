"""The interface of an engine, which runs a rule over rows and holds the learned arrays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from driftline.engines.array_checks import only, tracked_state, weights_of_shape
from driftline.engines.attribution import Attribution, of_weights, taken
from driftline.engines.calibration.recent_rounds import RecentRounds
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
    SIZE,
    SMALLEST,
    TRACKS,
    UNASKED,
    WEIGHT,
    P,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights
from driftline.internals.numeric.alignment import aligned
from driftline.internals.rows import DenseRows, Rows, SparseRows, length
from driftline.internals.writable import writable
from driftline.rules import Rule

RECOMPUTE = 512.0
NO_VOTES: npt.NDArray[np.int8] = np.zeros((0, 0), np.int8)
LEARNED = slice(SCALE, SEEN)  # the learned part of the state, before counters and parameters


class Engine(ABC):
    """State and weights of one rule. Indices are checked before they are passed to an engine.

    Values are checked too, unless ``finds_bad_values``. A subclass overrides either ``learn`` and
    ``score``, or ``learn_sparse``, ``learn_dense``, ``score_sparse`` and ``score_dense``.
    """

    finds_bad_values: ClassVar[bool] = False
    """Whether the engine itself handles values that are not finite and too long examples."""
    calibrates: ClassVar[bool] = False
    """Whether the engine has a calibrator; other learners calibrate by their recent rounds."""
    judges_late: ClassVar[bool] = False
    """Whether the engine judges its experts by what they said when a row was predicted."""
    hides_bad_values: bool = False
    """Whether an example with a value that is not finite may have an ordinary score.

    Otherwise the score is 0, not finite or huge, unless the value does not matter."""

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

    # room ---------------------------------------------------------------------------------------------------
    def reserve(self, features: int) -> None:
        """Make room for ``features`` features; after an error nothing has changed."""
        self.make_room(features)()

    def make_room(self, features: int) -> Callable[[], None]:
        """Allocate all arrays that ``features`` features need, here and in inner engines.

        Return a function that puts the arrays in place. So an engine that runs out of memory has
        room in all its arrays or in none.
        """
        wider = self.wider(features)
        parts = [part.make_room(features) for part in self.inner()]

        def place() -> None:
            self.__dict__.update(wider)
            for part in parts:
                part()

        return place

    def wider(self, features: int) -> dict[str, Any]:
        """The attributes that change to make room for ``features`` features: name to new value.

        One more feature has a weight that stays 0. A subclass with other arrays adds them, or
        replaces ``v``.
        """
        if FIRST + features < self.v.size:
            return {}
        size = FIRST * (2 + features // FIRST)
        return {"v": lengthened(self.v, max(size, 2 * self.v.size))}

    def inner(self) -> Iterable[Engine]:
        """The engines that run inside this one."""
        return ()

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows done, up to a refused one."""
        if isinstance(rows, DenseRows):
            return self.learn_dense(rows.X, trials)
        return self.learn_sparse(rows.indptr, rows.indices, rows.values, trials)

    def learn_with_votes(self, rows: Rows, trials: Floats) -> tuple[int, npt.NDArray[np.int8]]:
        """``learn``; return also the vote of every expert in each round.

        A vote is -1 or +1, or 0 if the expert took no part in the round. An engine without experts
        has no votes.
        """
        return self.learn(rows, trials), NO_VOTES

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if isinstance(rows, DenseRows):
            self.score_dense(rows.X, scores)
        else:
            self.score_sparse(rows.indptr, rows.indices, rows.values, scores)

    def score_late(self, rows: Rows, scores: Floats) -> Floats:
        """``score``; return also a record of each row, for the moment when its label comes.

        Only if ``judges_late``.
        """
        raise NotImplementedError

    def judged_as(self, record: Floats | None) -> AbstractContextManager[None]:
        """A context in which the row that is learned was predicted earlier, with this record.

        Only if ``judges_late``.
        """
        raise NotImplementedError

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label.

        The function returns the score before the update, and adds the round to ``recent``. For a
        refused row it returns NaN and sets the event of the trial to REFUSED.
        """
        if recent is not None:
            recent.expect_one()

        def learn(y: float) -> float:
            trial[LABEL, 0] = y
            trial[WEIGHT, 0] = 1.0
            if self.learn(row, trial) == 1:
                score = trial.item(SCORE)
                if recent is not None and trial.item(EVENT) < UNASKED:
                    recent.add_one(score, y)
                return score
            trial[EVENT, 0] = REFUSED
            return np.nan

        return learn

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that scores the current content of ``row``."""
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
        """x.A^-1 x of one row, the variance of its score; second-order rules only."""
        raise NotImplementedError

    @abstractmethod
    def weights(self) -> Floats:
        """The weights w, laid out as v: the bias feature first, the others from ``FIRST`` on.

        Zeros if the model is not linear.
        """

    @property
    def is_linear(self) -> bool:
        """Whether a score is w.x, with the weights of ``weights``."""
        return type(self).attribute is Engine.attribute

    def attribute(self, row: Rows) -> Attribution:
        """The contributions of the entries of one row to its score; changes nothing.

        An engine that is not linear overrides it.
        """
        return of_weights(self.weights_at, float(self.state[BIAS]), row)

    def weights_at(self, places: np.ndarray) -> Floats:
        """The weights at these places of v. An engine with many weights need not compute all."""
        return taken(self.weights(), places)

    def score_of(self, rows: Rows) -> Floats:
        """The scores of some rows."""
        scores = np.zeros(length(rows))
        self.score(rows, scores)
        return scores

    def extent(self) -> tuple[float, int]:
        """|w| and the number of nonzero weights, or the like for a model that is not linear."""
        return extent_of(self.weights())

    # refused examples ---------------------------------------------------------------------------------------
    def refusal(self) -> str:
        """Why the last example was refused, as "must ..., got .... Remedy"."""
        return "must have a squared norm of at most 1e120, got a longer example. Scale the features"

    def unscorable(self) -> str:
        """Why the last score was not finite, as in ``refusal``; empty if weights overflowed."""
        return ""

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next ``size`` rows, or some of them.

        With one row it does nothing: an engine that refuses a single row must leave no changes.
        """
        if size <= 1:
            return lambda: None
        copies = {name: array.copy() for name, array in self.arrays().items()}

        def undo() -> None:
            for name, array in self.arrays().items():
                array[...] = copies[name]

        return undo

    # saving and restoring -----------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name; equal for equal learners, up to spare room at the end."""
        return {"state": self.state, "v": self.v}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays of ``features`` features for a model file, without the counters.

        They may be views of the arrays of the engine.
        """
        return {"state": self.state[LEARNED], "v": self.v[: FIRST + features]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the state from the arrays of ``saved``; ValueError if no engine can have them.

        Compiled loops do not check bounds, so every number that they use as an index is checked
        here.
        """
        only(arrays, "state", "v")
        state = tracked_state(arrays)
        v = weights_of_shape(arrays, "v", str(self.v.dtype), (FIRST + features,))
        self.reserve(features)
        self.v[: v.size] = v
        self.state[LEARNED] = state


def lengthened(array: Weights, size: int) -> Weights:
    """A copy on a cache line with zeros at the end, ``size`` numbers in all."""
    longer = aligned(size, array.dtype)
    longer[: array.size] = array
    return longer


def extent_of(w: Floats) -> tuple[float, int]:
    """|w| and the number of nonzero weights."""
    w = w[np.flatnonzero(w)]  # equal learners may have different spare room
    return norm(w), w.size


def norm(w: Floats) -> float:
    """The Euclidean norm, also if squares would overflow or underflow."""
    size = float(np.abs(w).max(initial=0.0))
    if size == 0.0 or not math.isfinite(size):
        return size
    return size * math.sqrt(float(np.sum((w / size) ** 2)))
