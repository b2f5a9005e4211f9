"""The engine of a bank: a weight matrix with a column per two-number rule, and other engines.

A block is learned in pieces. All columns learn a piece, then each of the other engines does. The
scores of a piece then determine the leader of each of its rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from math import isfinite
from typing import Any

import numpy as np

from driftline.engines.array_checks import (
    constant_state,
    counters,
    of_shape,
    only,
    tracked_state,
    weights_of_shape,
    within,
)
from driftline.engines.attribution import Attribution
from driftline.engines.composed import bank_columns
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.inner_engines import split
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR, LinearEngine
from driftline.engines.regression.tube import LARGEST
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLES,
    LABEL,
    MARGIN_ERRORS,
    MISTAKES,
    SCORE,
    SEEN,
    SIZE,
    TUBE,
    UPDATED,
    UPDATES,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Weights, inlined, jit
from driftline.internals.numeric.alignment import LINE, aligned
from driftline.internals.rows import DenseRows, Rows, cut
from driftline.rules.composed.bank import Bank, is_column

COUNTED = slice(SEEN, INFEASIBLES + 1)  # the counters of a state
PIECE = 512  # rows of a piece
LARGEST_ERROR = 1e100  # of a regressor in a round, also if its prediction is not finite
SHARED = ("state", "states", "tallies", "hinges", "weights")  # saved arrays of no single engine


@inlined
def leader(mistakes: Floats, scores: Floats) -> int:
    """The rule with the fewest mistakes and a finite score; ties: the first of them."""
    best = 0
    for k in range(1, mistakes.size):
        better = mistakes[k] < mistakes[best]
        if isfinite(scores[k]) and (better or not isfinite(scores[best])):
            best = k
    return best


@jit
def follow(
    state: Floats,
    hinges: Floats,
    mistakes: Floats,
    trials: Floats,
    scores: Floats,
    events: Indices,
    regresses: bool,
) -> None:
    """Write the score of the leader of each round to ``trials``, and count the rounds.

    ``mistakes`` are those of every rule before the first round; they are updated. A regressor has
    the sum of its errors in ``mistakes`` and in ``hinges``.
    """
    for i in range(trials.shape[1]):
        y = trials[LABEL, i]
        trials[SCORE, i] = scores[i, leader(mistakes, scores[i])]
        if regresses:
            state[MARGIN_ERRORS] += trials[SCORE, i] != y
        happened = np.uint8(0)
        for k in range(mistakes.size):
            if regresses:
                error = min(LARGEST_ERROR, abs(y - scores[i, k])) if isfinite(scores[i, k]) else LARGEST_ERROR
                hinges[k] += error
                mistakes[k] += error
            else:
                m = y * scores[i, k]
                hinges[k] += max(0.0, 1.0 - m)
                mistakes[k] += m <= 0.0
            happened |= events[i, k]
        trials[EVENT, i] = happened
        state[UPDATES] += happened & np.uint8(UPDATED)
    if regresses:
        state[SEEN] += trials.shape[1]
    else:
        tally(state, trials, trials.shape[1])


@jit
def lead(mistakes: Floats, scores: Floats, led: Floats) -> None:
    """Write the score of the leader for each row to ``led``."""
    for i in range(led.size):
        led[i] = scores[i, leader(mistakes, scores[i])]


class BankEngine(Engine):
    """A weight matrix for the two-number rules, and an engine for each other rule."""

    def __init__(self, rule: Bank, bias: float, dtype: np.dtype[np.floating]) -> None:
        from driftline.engines import engine_for  # imported late: it imports this module by name

        super().__init__(rule, bias, dtype)
        self.rule, self.dtype = rule, dtype
        engines = [engine_for(one, bias, dtype) for one in rule.learners]
        columns = [k for k, one in enumerate(rule.learners) if is_column(one)]
        self.places = np.array(columns, np.uint32)
        self.codes = np.array([engines[k].code for k in columns], np.uint32)
        self.states = np.array([engines[k].state for k in columns]).reshape(-1, SIZE)
        self.others = {k: engine for k, engine in enumerate(engines) if k not in columns}
        self.hinges = np.zeros(len(engines))
        lanes = LINE // dtype.itemsize
        self.width = -(-len(columns) // lanes) * lanes
        self.V = self._table(2 * FIRST)
        self.scratch = np.zeros((bank_columns.SCRATCH_ROWS, self.width))
        self.scores = np.zeros((PIECE, len(engines)))
        self.events = np.zeros((PIECE, len(engines)), np.uint8)

    def _table(self, rows: int) -> Weights:
        """Zeros for ``rows`` rows, each of which starts on a cache line."""
        return aligned(rows * self.width, self.dtype).reshape(rows, self.width)

    def make_room(self, features: int) -> Callable[[], None]:
        """Allocate the arrays of every column and engine; see ``Engine.make_room``."""
        try:
            return super().make_room(features)
        except ValueError as error:
            raise ValueError(f"Bank: {error}") from None

    def wider(self, features: int) -> dict[str, Any]:
        """The weights of all columns; one more feature has weights that stay 0."""
        if FIRST + features < len(self.V):
            return {}
        V = self._table(max(FIRST * (2 + features // FIRST), 2 * len(self.V)))
        V[: len(self.V)] = self.V
        return {"V": V}

    def inner(self) -> Iterable[Engine]:
        """The engines of the other rules."""
        return self.others.values()

    # learning and scoring -----------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train all rules. On KeyboardInterrupt all of them finish the block first."""
        return self._learn_pieces(rows, trials, None)

    def learn_columns(self, rows: Rows, trials: Floats) -> tuple[int, Floats, np.ndarray]:
        """``learn``; return also the scores and the events, as arrays of columns by rounds."""
        shape = self.scores.shape[1], trials.shape[1]
        scores, events = np.zeros(shape), np.zeros(shape, np.uint8)
        return self._learn_pieces(rows, trials, (scores, events)), scores, events

    def _learn_pieces(self, rows: Rows, trials: Floats, columns: tuple[Floats, np.ndarray] | None) -> int:
        """Learn piece by piece; write the scores and events of every column into ``columns``."""
        size = trials.shape[1]
        interrupted = None
        for start in range(0, size, PIECE):
            part = slice(start, min(size, start + PIECE))
            own = np.ascontiguousarray(trials[:, part])
            tried = {k: own.copy() for k in self.others}
            before, due = self.mistakes(), self.state[SEEN] + own.shape[1]
            done = -1
            while done < 0:
                try:
                    done = self._learn(cut(rows, part), own, tried, before, due)
                except KeyboardInterrupt as interrupt:
                    interrupted = interrupt
            if done < own.shape[1]:
                size = start + done
                break
            trials[:, part] = own
            if columns is not None:
                # a piece is turned while it is in the cache of the processor
                columns[0][:, part], columns[1][:, part] = self.scores[:done].T, self.events[:done].T
        if interrupted is not None:
            raise interrupted
        return size

    def _learn(self, rows: Rows, trials: Floats, tried: dict[int, Floats], before: Floats, due: float) -> int:
        """Train the rules that have not learned this piece yet.

        Only columns can refuse a row, and they learn first.
        """
        size = trials.shape[1]
        if self.codes.size and self.states[0, SEEN] < due:
            done = bank_columns.learn(
                self.codes,
                self.states,
                self.places,
                self.state[BIAS],
                self.V,
                self.scratch,
                *_flat(rows),
                trials,
                self.scores,
                self.events,
                self.rule.regresses,
            )
            if done < size:
                return done
        for k, other in self.others.items():
            if other.state[SEEN] < due:
                other.learn(rows, tried[k])
            self.scores[:size, k] = tried[k][SCORE]
            self.events[:size, k] = tried[k][EVENT]
        if self.state[SEEN] < due:
            follow(self.state, self.hinges, before, trials, self.scores, self.events, self.rule.regresses)
        return size

    def each(self, rows: Rows, scores: Floats) -> None:
        """Write the scores of every rule for each row to a row of ``scores``."""
        bank_columns.score(self.states, self.places, self.state[BIAS], self.V, self.scratch, *_flat(rows), scores)
        for k, other in self.others.items():
            own = np.zeros(len(scores))
            other.score(rows, own)
            scores[:, k] = own

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row by the leader."""
        mistakes = self.mistakes()
        for start in range(0, scores.size, PIECE):
            part = slice(start, min(scores.size, start + PIECE))
            found = self.scores[: part.stop - start]
            self.each(cut(rows, part), found)
            lead(mistakes, found, scores[part])

    # learned state ------------------------------------------------------------------------------------------
    def state_of(self, k: int) -> Floats:
        """The state of rule k."""
        return self.others[k].state if k in self.others else self.states[np.searchsorted(self.places, k)]

    def mistakes(self) -> Floats:
        """The mistakes of every rule so far; of regressors, the sum of their errors."""
        if self.rule.regresses:
            return self.hinges.copy()
        found = np.zeros(self.hinges.size)
        found[self.places] = self.states[:, MISTAKES]
        for k, other in self.others.items():
            found[k] = other.state[MISTAKES]
        return found

    @property
    def best(self) -> int:
        """The rule with the fewest mistakes so far; ties: the first of them."""
        return int(np.argmin(self.mistakes()))

    def lone(self, k: int) -> Engine:
        """A separate engine for rule k with its current state."""
        if k in self.others:
            return deepcopy(self.others[k])
        from driftline.engines import engine_for  # imported late: it imports this module by name

        engine = engine_for(self.rule.learners[k], float(self.state[BIAS]), self.dtype)
        engine.reserve(len(self.V) - FIRST - 1)
        engine.state[:] = self.state_of(k)
        engine.v[: len(self.V)] = self.V[:, np.searchsorted(self.places, k)]
        return engine

    @property
    def is_linear(self) -> bool:
        """Whether a score of the leader is w.x."""
        return self.lone(self.best).is_linear

    def attribute(self, row: Rows) -> Attribution:
        """The contributions to the score of the leader."""
        scores, mistakes = np.zeros((1, self.hinges.size)), self.mistakes().tolist()
        self.each(row, scores)
        order = [(not isfinite(score), wrong) for score, wrong in zip(scores[0].tolist(), mistakes, strict=True)]
        return self.lone(order.index(min(order))).attribute(row)

    def weights(self) -> Floats:
        """The weights of the leader."""
        return self.lone(self.best).weights()

    def refusal(self) -> str:
        """Why the example was refused, in the words of the first rule that may refuse one."""
        strict = next(one for one in self.rule.learners if one.refuses)
        return LinearEngine(strict, self.state[BIAS], self.dtype).refusal()

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows."""
        if size <= 1:
            return lambda: None
        own = [(array, array.copy()) for array in (self.state, self.states, self.hinges, self.V)]
        undos = [other.snapshot(size) for other in self.others.values()]

        def undo() -> None:
            for array, copy in own:
                array[...] = copy
            for one in undos:
                one()

        return undo

    # saving and restoring -----------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name; arrays of other engines have their number as a prefix."""
        named = {f"{k} {name}": array for k, other in self.others.items() for name, array in other.arrays().items()}
        weights = self.V[:, : self.codes.size].T
        return {"state": self.state, "states": self.states, "hinges": self.hinges, "weights": weights, **named}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays and the counters of every rule."""
        counters = np.array([self.state_of(k)[COUNTED] for k in range(self.hinges.size)])
        arrays = {
            "state": self.state[LEARNED],
            "states": np.ascontiguousarray(self.states[:, LEARNED]),
            "tallies": counters,
            "hinges": self.hinges,
            "weights": np.ascontiguousarray(self.V[: FIRST + features, : self.codes.size]),
        }
        if self.rule.regresses:
            arrays["tubes"] = self.states[:, TUBE].copy()
        for k, other in self.others.items():
            arrays |= {f"{k} {name}": array for name, array in other.saved(features).items()}
        return arrays

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that all arrays are known, counters are integers and hinge losses >= 0."""
        rest, parts = split(arrays)
        only(rest, *SHARED, *(["tubes"] if self.rule.regresses else []))
        only(parts, *map(str, self.others))
        size, columns = self.hinges.size, self.codes.size
        constant_state(rest, self.state[LEARNED])
        states = of_shape(rest, "states", "float64", (columns, SEEN))
        tallies = counters("counters", of_shape(rest, "tallies", "float64", (size, INFEASIBLES + 1 - SEEN)))
        hinges = of_shape(rest, "hinges", "float64", (size,))
        weights = weights_of_shape(rest, "weights", str(self.dtype), (FIRST + features, columns))
        if np.ptp(tallies[:, 0]) or (hinges < 0.0).any():
            raise ValueError("rules that have seen different examples, or negative hinge losses")
        for column in states:
            tracked_state({"state": column})
        for k, other in self.others.items():
            other.restore(features, parts[str(k)])
            other.state[COUNTED] = tallies[k]
        self.reserve(features)
        self.V[: FIRST + features, :columns] = weights
        self.states[:, LEARNED] = states
        self.states[:, COUNTED] = tallies[self.places]
        self.hinges[:] = hinges
        if self.rule.regresses:
            self.states[:, TUBE] = within("tubes", of_shape(rest, "tubes", "float64", (columns,)), 0.0, LARGEST)


def _flat(rows: Rows) -> tuple[int, np.ndarray, np.ndarray, Floats]:
    """Return width (0 for sparse rows), indptr, indices and values."""
    if isinstance(rows, DenseRows):
        return rows.X.shape[1], NO_INDPTR, NO_INDICES, rows.X.reshape(-1)
    return 0, *rows
