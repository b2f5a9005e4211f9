"""The engine of selective sampling: a coin decides for each row whether its label is asked for.

A row is passed to the inner engine (the part) only if its label is asked for. Two-number rules in
Euclidean geometry run in a compiled loop; other rules learn row by row through their engine.
``asking`` has the rounds so far, the labels asked for, and the largest squared norm of an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from driftline.engines import LinearEngine, engine_for
from driftline.engines.array_checks import of_shape, without
from driftline.engines.attribution import Attribution
from driftline.engines.engine import Engine
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR, ONE, dot_sparse, learn
from driftline.engines.linear.pnorm import length_sq
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    SCALE,
    SCORE,
    SEEN,
    UNASKED,
    UPDATES,
    WEIGHT,
    P,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.internals.numeric.simd import dot_dense
from driftline.internals.rows import DenseRows, Rows, SparseRows, cut
from driftline.rules import LabelEfficient
from driftline.rules.composed.label_efficient import SECOND, VARIANTS, chance, coin
from driftline.rules.tracker.tracker import BEYOND

ROUNDS, ASKED, LONGEST, ASKING = 0, 1, 2, 3
OVERFLOWED = "must have a finite score, got weights that have overflowed. Take smaller parameters, or set scale='unit'"


@jit
def asks(variant: int, b: float, seed: int, asking: Floats, updates: float, r: float, q: float, x_sq: float) -> bool:
    """Whether the label of an example is asked for in the current round."""
    likely = chance(variant, b, r, q, max(asking[LONGEST], x_sq), updates)
    return coin(seed, np.uint64(asking[ROUNDS])) < likely


@jit
def count(asking: Floats, x_sq: float, asked: bool) -> None:
    """Add a round to ``asking``."""
    asking[ROUNDS] += 1.0
    asking[ASKED] += asked
    asking[LONGEST] = max(asking[LONGEST], x_sq)


@jit
def pass_over(state: Floats, trial: Floats, score: float) -> None:
    """Finish a round that learns nothing; with a label of NaN it counts as no mistake."""
    trial[SCORE, 0] = score
    trial[EVENT, 0] = UNASKED
    if np.isnan(trial[LABEL, 0]):
        state[SEEN] += 1.0
    else:
        tally(state, trial, 1)


@jit
def learn_linear(
    variant: int,
    b: float,
    seed: int,
    asking: Floats,
    code: int,
    state: Floats,
    v: Weights,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test each row, and train on it if its label is asked for; rows as in ``euclidean.learn``."""
    w = v[FIRST:]
    bias = state[BIAS]
    columns = np.uint64(width)
    trial = np.empty((4, 1))
    for i in range(np.uint64(trials.shape[1])):
        if columns > 0:
            dot, x_sq = dot_dense(w, values, i * columns, columns)
        else:
            dot, x_sq = dot_sparse(w, indices, values, indptr[i], indptr[i + ONE])
        x_sq += bias * bias
        score = state[SCALE] * (dot + bias * v[0])
        if not x_sq <= LONGEST_SQ:
            return int(i)
        trial[:, 0] = trials[:, i]
        counts = trial[WEIGHT, 0] != 0.0
        asked = counts and asks(variant, b, seed, asking, state[UPDATES], score, 0.0, x_sq)
        if asked and not np.isnan(trial[LABEL, 0]):
            row = values[i * columns : (i + ONE) * columns] if columns > 0 else values
            ends = indptr if columns > 0 else indptr[i : i + ONE + ONE]
            if learn(code, state, v, width, 0, indices, ends, indices, row, trial) == 0:
                return int(i)
        else:
            asked = False
            pass_over(state, trial, score)
        if counts:
            count(asking, x_sq, asked)
        trials[:, i] = trial[:, 0]
    return trials.shape[1]


class AskingEngine(Engine):
    """Selective sampling around any engine, row by row. A label of NaN counts as unknown."""

    decided = False
    """Whether the labels of the next rows were asked for in earlier rounds: they are learned without a draw."""

    @property
    def asked(self) -> int:
        """Labels asked for so far."""
        return int(self.asking[ASKED])

    def __init__(self, rule: LabelEfficient, part: Engine) -> None:
        self.part = part
        self.state = part.state
        self.asking = np.zeros(ASKING)
        self.variant = VARIANTS.index(rule.variant)
        self.b = rule.b
        self.seed = np.uint64(rule.seed)
        self.takes_missing = rule.takes_missing
        self.why = ""  # why a row has no score; empty if the part refused it

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.state = self.part.state

    def wider(self, features: int) -> dict[str, Any]:
        """Nothing here: only the part has weights."""
        return {}

    def inner(self) -> Iterable[Engine]:
        """The part."""
        return (self.part,)

    def asks(self, row: Rows) -> tuple[bool, float]:
        """Whether the label of this row would be asked for in this round, and |x|^2; changes nothing."""
        score = self._score(row)
        if score is None:
            raise ValueError(f"LabelEfficient: x {self.why}")
        return self._asks(row, score), self._length_sq(row)

    def count_asked(self, x_sq: float) -> None:
        """Count a round in which the label of an example with this |x|^2 was asked for."""
        count(self.asking, x_sq, True)

    def _asks(self, row: Rows, score: float) -> bool:
        q = self.part.spread(row) if self.variant == SECOND else 0.0
        return asks(self.variant, self.b, self.seed, self.asking, self.state[UPDATES], score, q, self._length_sq(row))

    def _score(self, row: Rows) -> float | None:
        """The score of one row; if it has none, set ``why`` and return None."""
        score = np.zeros(1)
        try:
            self.part.score(row, score)
        except ValueError as error:
            self.why = _said(error)
            return None
        if not np.isfinite(score.item()):
            self.why = self.part.unscorable() or OVERFLOWED
            return None
        return score.item()

    def _length_sq(self, row: Rows) -> float:
        """The squared norm of a row, without missing values."""
        values = row.X[0] if isinstance(row, DenseRows) else row.values[int(row.indptr[0]) : int(row.indptr[1])]
        if self.takes_missing:
            values = values[np.abs(values) < BEYOND]
        return length_sq(values, self.state[BIAS], self.state[P])

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test each row, train on it if its label is asked for; return the number of rows done."""
        for i in range(trials.shape[1]):
            row, trial = cut(rows, slice(i, i + 1)), trials[:, i : i + 1].copy()
            if not self._learn(row, trial):
                return i
            trials[:, i] = trial[:, 0]
        return trials.shape[1]

    def _learn(self, row: Rows, trial: Floats) -> bool:
        """Learn one row; return False and change nothing if it is refused."""
        self.why = ""
        if self.decided:
            return self.part.learn(row, trial) > 0
        if trial.item(WEIGHT) == 0.0:  # only test
            if self.part.learn(row, trial) == 0:
                return False
            trial[EVENT] = UNASKED
            return True
        score = self._score(row)
        if score is None:
            return False
        asked = not np.isnan(trial.item(LABEL)) and self._asks(row, score)
        before = self.asking.copy()
        count(self.asking, self._length_sq(row), asked)  # before learning: an interrupt here is undone
        if not asked:
            pass_over(self.state, trial, score)
        elif self.part.learn(row, trial) == 0:
            self.asking[:] = before
            return False
        return True

    def score(self, rows: Rows, scores: Floats) -> None:
        """Scores of the part."""
        try:
            self.part.score(rows, scores)
        except ValueError as error:
            raise ValueError(f"LabelEfficient: x {_said(error)}") from None

    @property
    def is_linear(self) -> bool:
        """Whether a score of the part is w.x."""
        return self.part.is_linear

    def attribute(self, row: Rows) -> Attribution:
        """The contributions to the score of the part."""
        return self.part.attribute(row)

    def weights(self) -> Floats:
        """Weights of the part."""
        return self.part.weights()

    def extent(self) -> tuple[float, int]:
        """Extent of the part."""
        return self.part.extent()

    def refusal(self) -> str:
        """Why the example was refused, or has no score, in the words of the part."""
        return self.why or self.part.refusal()

    def unscorable(self) -> str:
        """Why the example has no score, in the words of the part."""
        return self.part.unscorable()

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows; ``asking`` if the part does."""
        take_back, asking, seen = self.part.snapshot(size), self.asking.copy(), self.state[SEEN]

        def undo() -> None:
            take_back()
            if self.state[SEEN] == seen:  # a single row that was learned is not undone, nor is its round
                self.asking[...] = asking

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """The learned arrays of the part, and ``asking``."""
        return {**self.part.arrays(), "asking": self.asking}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays of the part, and ``asking``, for a model file."""
        return {**self.part.saved(features), "asking": self.asking}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that ``asking`` has integers, and no more labels than rounds."""
        asking = of_shape(arrays, "asking", "float64", (ASKING,))
        rounds, asked, longest = asking.tolist()
        whole = rounds == np.floor(rounds) and asked == np.floor(asked)
        if not (whole and 0.0 <= asked <= rounds < 2.0**53 and 0.0 <= longest <= LONGEST_SQ):
            raise ValueError(f"asking {asking.tolist()}")
        self.part.restore(features, without(arrays, "asking"))
        self.asking[:] = asking


class LinearAskingEngine(AskingEngine):
    """Selective sampling around a two-number rule in Euclidean geometry, in a compiled loop."""

    finds_bad_values = True
    part: LinearEngine

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test each row, train on it if its label is asked for; return the number of rows done."""
        part = self.part
        if self.decided:
            return super().learn(rows, trials)
        if isinstance(rows, DenseRows):
            width, rows = rows.X.shape[1], SparseRows(NO_INDPTR, NO_INDICES, rows.X.reshape(-1))
        else:
            width = 0
        given = (self.variant, self.b, self.seed, self.asking, part.code, self.state, part.v)
        return learn_linear(*given, width, *rows, trials)


def _said(error: ValueError) -> str:
    """The message of a part about an example, without the name of the part."""
    return str(error).partition(": x ")[2] or str(error)


def engine_of(rule: LabelEfficient, bias: float, dtype: np.dtype[np.floating]) -> AskingEngine:
    """Return a new engine: compiled for two-number rules in Euclidean geometry."""
    part = engine_for(rule.learner, bias, dtype)
    return LinearAskingEngine(rule, part) if type(part) is LinearEngine else AskingEngine(rule, part)
