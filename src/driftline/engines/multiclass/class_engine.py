"""The base class of multiclass engines, and the engine of rules that update all classes at once.

The label of a round is the number of its class. Classes are numbered in order of appearance, so
the first unknown number is a new class. The score of a round is its margin: the score of the right
class minus the highest score of the others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.engines.array_checks import constant_state, only, tracked_state, weights_of_shape
from driftline.engines.attribution import Attribution, of_weights, taken
from driftline.engines.calibration.recent_scores import RecentScores, put
from driftline.engines.engine import LEARNED, Engine, extent_of, norm
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLE,
    INFEASIBLES,
    LABEL,
    LABEL_ERRORS,
    LONGEST_SQ,
    MARGIN,
    MARGIN_ERRORS,
    MISTAKES,
    PREDICTED,
    SCORE,
    SEEN,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    WRONG,
    params_of,
)
from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.rows import DenseRows, Rows, length
from driftline.rules import MulticlassPA, MulticlassPerceptron, Rule
from driftline.rules.multiclass import multiclass_pa, multiclass_perceptron

ONE = np.uint64(1)
# the room for classes is a multiple of TOGETHER: a cache line of weights
TOGETHER = 8
NOT_TESTED: Floats = np.zeros((0, 0))


@inlined
def judge(s: Floats, y: int, classes: int) -> tuple[float, bool, int]:
    """Return the margin of class y, whether another class was predicted, and the rival of y.

    ``classes`` is the number of classes known before the round. The rival is the class with the
    highest score except y; without other classes it is y, and the margin is s[y]. A new class
    could not be predicted, so its margin is at most 0.
    """
    rival = y
    for r in range(classes):
        if r != y and (rival == y or s[r] > s[rival]):
            rival = r
    if y >= classes:
        return (0.0 if rival == y else -max(0.0, s[rival])), True, rival
    if rival == y:
        return s[y], False, rival
    margin = s[y] - s[rival]
    return margin, not (margin > 0.0 or (margin == 0.0 and y < rival)), rival


@inlined
def predicted(y: int, wrong: bool, rival: int) -> float:
    """The class predicted in a round that ``judge`` has judged; -1 if no class was known."""
    if not wrong:
        return float(y)
    return -1.0 if rival == y else float(rival)


@jit
def tally_classes(state: Floats, trials: Floats, done: int) -> None:
    """Add the first ``done`` rounds to the counters, by their margins and events."""
    for i in range(done):
        event = int(trials[EVENT, i])
        wrong = event & int(WRONG) > 0
        state[MISTAKES] += wrong
        state[LABEL_ERRORS] += wrong
        state[MARGIN_ERRORS] += trials[SCORE, i] <= state[MARGIN]
        state[UPDATES] += event & int(UPDATED) > 0
        state[INFEASIBLES] += event & int(INFEASIBLE) > 0
    state[SEEN] += done


@jit
def score_row(
    bias: float,
    W: Floats,
    classes: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    i: int,
    s: Floats,
) -> float:
    """Write the score of each class for row i to s, summed in order of features; return |x|^2."""
    columns = np.uint64(width)
    start, stop = (i * columns, (i + ONE) * columns) if columns > 0 else (indptr[i], indptr[i + ONE])
    x_sq = bias * bias
    for r in range(classes):
        s[r] = bias * W[0, r]
    for j in range(start, stop):
        x = values[j]
        x_sq += x * x
        w = W[FIRST + (j - start if columns > 0 else indices[j])]
        for r in range(classes):
            s[r] += w[r] * x
    return x_sq


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
    """Test, then train on each row; return the number of rows done.

    ``classes[0]`` is the number of known classes. ``count``, ``rounds`` and ``recent`` are those of
    ``RecentScores``. ``tested`` is empty, or gets the score of each known class for each row.
    """
    bias, params = state[BIAS], params_of(state)
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    known = classes[0]
    s, tau = np.zeros(W.shape[1]), np.zeros(W.shape[1])
    moved = np.zeros(W.shape[1], np.uint64)
    for i in range(done):
        y = np.uint64(trials[LABEL, i])
        every = max(known, y + ONE)
        x_sq = score_row(bias, W, every, width, indptr, indices, values, i, s)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        margin, wrong, rival = judge(s, y, known)
        weight = trials[WEIGHT, i]
        if weight != 0.0:
            put(count, rounds, recent, s, known, y)
        if len(tested) > 0:
            tested[i, :known] = s[:known]
        known = every
        trials[SCORE, i] = margin
        trials[EVENT, i] = WRONG if wrong else 0.0
        trials[PREDICTED, i] = predicted(y, wrong, rival)
        if rival == y or weight == 0.0 or x_sq < state[SHORTEST_SQ]:
            continue
        if kind == multiclass_pa.KIND:
            fires = multiclass_pa.steps(s, y, known, rival, x_sq, params, tau)
        else:
            fires = multiclass_perceptron.steps(s, y, known, rival, x_sq, params, tau)
        if not fires:
            continue
        trials[EVENT, i] += UPDATED
        many = np.uint64(0)
        for r in range(known):
            if tau[r] != 0.0:
                moved[many] = r
                tau[r] *= weight
                many += ONE
        for k in range(many):
            W[0, moved[k]] += tau[moved[k]] * bias
        start, stop = (i * columns, (i + ONE) * columns) if columns > 0 else (indptr[i], indptr[i + ONE])
        for j in range(start, stop):
            w = W[FIRST + (j - start if columns > 0 else indices[j])]
            for k in range(many):
                w[moved[k]] += tau[moved[k]] * values[j]
    classes[0] = known
    tally_classes(state, trials, int(done))
    return int(done)


@jit
def score(
    bias: float, W: Floats, width: int, indptr: Offsets, indices: Indices, values: Floats, scores: Floats
) -> None:
    """Score each row for each class; rows as in ``learn``."""
    for i in range(np.uint64(scores.shape[0])):
        score_row(bias, W, scores.shape[1], width, indptr, indices, values, i, scores[i])


class ClassesEngine(Engine):
    """A multiclass engine; ``score`` fills a matrix of rows by classes."""

    recent: RecentScores
    """The recent rounds, from which probabilities are computed; not used if ``calibrates``."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.recent = RecentScores()

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row."""
        return self.learn_tested(rows, trials, NOT_TESTED)

    @abstractmethod
    def learn_tested(self, rows: Rows, trials: Floats, tested: Floats) -> int:
        """``learn``; ``tested`` gets the score of each known class for each row, unless empty."""

    @property
    @abstractmethod
    def classes(self) -> int:
        """The number of known classes."""

    @abstractmethod
    def declare_classes(self, classes: int) -> None:
        """Set the number of known classes before the first round."""

    @abstractmethod
    def weights_of(self, k: int) -> Floats:
        """The weights of class k, laid out as v; zeros if the model is not linear."""

    @property
    def is_linear(self) -> bool:
        """Whether the score of class k is w.x, with the weights of ``weights_of(k)``."""
        return type(self).attribute_class is ClassesEngine.attribute_class

    def attribute_class(self, row: Rows, k: int) -> Attribution:
        """The contributions of the entries of one row to the score of class k."""
        return of_weights(lambda places: taken(self.weights_of(k), places), float(self.state[BIAS]), row)

    def scores_of(self, rows: Rows) -> Floats:
        """The scores of some rows, with a column for each class."""
        scores = np.zeros((length(rows), self.classes))
        self.score(rows, scores)
        return scores

    def weights(self) -> Floats:
        """Zeros: there is no single weight vector; see ``weights_of``."""
        return np.zeros(FIRST)

    def extent(self) -> tuple[float, int]:
        """The norm of the weights of all classes, and the number of nonzero weights."""
        each = [extent_of(self.weights_of(k)) for k in range(self.classes)]
        return norm(np.array([length for length, _ in each])), sum(parts for _, parts in each)


class WeightsEngine(ClassesEngine):
    """Weights ``W[feature][class]``, with room for more features and classes."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.known = np.zeros(1, np.uint64)
        self.W = np.zeros((2 * FIRST, 0))

    @property
    def classes(self) -> int:
        """The number of known classes."""
        return int(self.known[0])

    def wider(self, features: int) -> dict[str, Any]:
        """The weights of all classes; one more feature has weights that stay 0."""
        rows, room = self.W.shape
        if FIRST + features < rows:
            return {}
        return self._grown(max(FIRST * (2 + features // FIRST), 2 * rows), room)

    def declare_classes(self, classes: int) -> None:
        """Set the number of known classes before the first round."""
        self._make_room(classes)
        self.known[0] = classes

    def _make_room(self, classes: int) -> None:
        rows, room = self.W.shape
        if classes > room:
            self.__dict__.update(self._grown(rows, max(TOGETHER * -(-classes // TOGETHER), 2 * room)))

    def _grown(self, rows: int, room: int) -> dict[str, Any]:
        """The arrays with zeros for more features and classes, by name."""
        W = np.zeros((rows, room))
        W[: self.W.shape[0], : self.W.shape[1]] = self.W
        return {"W": W}

    def learn_tested(self, rows: Rows, trials: Floats, tested: Floats) -> int:
        """Test, then train on each row."""
        classes = max(self.classes, int(trials[LABEL].max()) + 1)
        self._make_room(classes)
        self.recent.make_room(trials.shape[1], classes)
        return self.learn_rows(plain(rows), trials, (*self.recent.buffers, tested))

    @abstractmethod
    def learn_rows(
        self, rows: tuple[int, Offsets, Indices, Floats], trials: Floats, buffers: tuple[Floats, ...]
    ) -> int:
        """Run the compiled loop; ``buffers`` are those of ``RecentScores``, and ``tested``."""

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        score(self.state[BIAS], self.W, *plain(rows), scores)

    def weights_of(self, k: int) -> Floats:
        """The weights of class k, laid out as v."""
        return self.W[:, k]

    def give(self, W: Floats) -> None:
        """Set the weights of all features (rows) and classes (columns)."""
        self.W[:] = 0.0
        self.W[: W.shape[0], : W.shape[1]] = W

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows and removes their new classes."""
        if size <= 1:
            return lambda: None
        state, classes, recent = self.state.copy(), self.classes, self.recent.copy()
        copies = {name: array.copy() for name, array in self.class_arrays().items()}

        def undo() -> None:
            self.state[:], self.recent = state, recent
            self.__dict__.update(copies)
            self.known[0] = classes

        return undo

    def class_arrays(self) -> dict[str, np.ndarray]:
        """The arrays with room for features and classes, by name."""
        return {"W": self.W}

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name: the weights class by class."""
        return {"state": self.state, "W": self.W[:, : self.classes].T}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays of ``features`` features for a model file, without the counters."""
        W = np.ascontiguousarray(self.W[: FIRST + features, : self.classes])
        return {"state": self.state[LEARNED], "W": W}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the state; the number of classes follows from the weights."""
        only(arrays, "state", "W")
        state = self.checked_state(arrays)
        classes = arrays["W"].shape[-1] if arrays["W"].ndim else 0
        W = weights_of_shape(arrays, "W", "float64", (FIRST + features, classes))
        self.reserve(features)
        self.declare_classes(classes)
        self.W[: W.shape[0], :classes] = W
        self.state[LEARNED] = state

    def checked_state(self, arrays: dict[str, np.ndarray]) -> Floats:
        """The learned part of the state; ValueError if no engine can have it."""
        return tracked_state(arrays)


class LinearClassesEngine(WeightsEngine):
    """The engine of MulticlassPerceptron and MulticlassPA."""

    def __init__(self, rule: MulticlassPerceptron | MulticlassPA, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.kind = rule.kind

    def learn_rows(
        self, rows: tuple[int, Offsets, Indices, Floats], trials: Floats, buffers: tuple[Floats, ...]
    ) -> int:
        """Run the compiled loop."""
        return learn(self.kind, self.state, self.W, self.known, *rows, trials, *buffers)

    def checked_state(self, arrays: dict[str, np.ndarray]) -> Floats:
        """The state of a new engine: nothing in it is learned."""
        constant_state(arrays, self.state[LEARNED])
        return self.state[LEARNED]


def plain(rows: Rows) -> tuple[int, Offsets, Indices, Floats]:
    """Return width, indptr, indices and values; sparse rows have width 0."""
    if isinstance(rows, DenseRows):
        return rows.X.shape[1], NO_INDPTR, NO_INDICES, rows.X.reshape(-1)
    return 0, *rows
