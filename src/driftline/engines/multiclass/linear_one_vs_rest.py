"""One-vs-rest with two-number rules: the loop of the Euclidean engine for every class and row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from driftline.engines.calibration.recent_scores import put
from driftline.engines.engine import Engine
from driftline.engines.linear import euclidean
from driftline.engines.linear.euclidean import LinearEngine
from driftline.engines.multiclass.class_engine import judge, plain, predicted, tally_classes
from driftline.engines.multiclass.one_vs_rest import OneVsRestEngine
from driftline.engines.state import EVENT, FIRST, INFEASIBLE, LABEL, PREDICTED, SCORE, SIZE, UPDATED, WEIGHT, WRONG
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.internals.numeric.alignment import aligned
from driftline.internals.rows import Rows
from driftline.rules import OneVsRest

ONE, TWO = np.uint64(1), np.uint64(2)


@jit
def learn(
    code: int,
    state: Floats,
    states: Floats,
    V: Weights,
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
) -> None:
    """Test, then train every class on each row. ``classes[0]`` is the number of known classes.

    ``count``, ``rounds``, ``recent`` and ``tested`` are as in ``class_engine.learn``.
    """
    columns = np.uint64(width)
    known = classes[0]
    s, trial = np.zeros(len(V)), np.zeros((PREDICTED, 1))
    for i in range(np.uint64(trials.shape[1])):
        y = np.uint64(trials[LABEL, i])
        every = max(known, y + ONE)
        row = indptr if columns > 0 else indptr[i : i + TWO]
        own = values[i * columns : (i + ONE) * columns] if columns > 0 else values
        updated = infeasible = False
        for k in range(every):
            trial[LABEL, 0] = 1.0 if k == y else -1.0
            trial[WEIGHT, 0] = trials[WEIGHT, i]
            euclidean.learn(code, states[k], V[k], width, 0, indices, row, indices, own, trial)
            s[k] = trial[SCORE, 0]
            event = int(trial[EVENT, 0])
            updated |= event & int(UPDATED) > 0
            infeasible |= event & int(INFEASIBLE) > 0
        margin, wrong, rival = judge(s, y, known)
        if trials[WEIGHT, i] != 0.0:
            put(count, rounds, recent, s, known, y)
        if len(tested) > 0:
            tested[i, :known] = s[:known]
        known = every
        trials[SCORE, i] = margin
        trials[PREDICTED, i] = predicted(y, wrong, rival)
        trials[EVENT, i] = UPDATED * updated + INFEASIBLE * infeasible + WRONG * wrong
    classes[0] = known
    tally_classes(state, trials, trials.shape[1])


@jit
def score(
    states: Floats, V: Weights, width: int, indptr: Offsets, indices: Indices, values: Floats, scores: Floats
) -> None:
    """Score each row for each class."""
    own = np.empty(len(scores))
    for k in range(scores.shape[1]):
        euclidean.score(states[k], V[k], width, indptr, indices, values, own)
        scores[:, k] = own


class LinearOneVsRestEngine(OneVsRestEngine):
    """States and weights ``V[class][feature]`` of all classes, with room for more of both."""

    def __init__(self, rule: OneVsRest, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.code = rule.learner.code
        self.known = np.zeros(1, np.uint64)
        self.states = np.zeros((0, SIZE))
        self.V = aligned(0, dtype).reshape(0, 2 * FIRST)

    @property
    def classes(self) -> int:
        """The number of known classes."""
        return int(self.known[0])

    @property
    def members(self) -> Sequence[Engine]:
        """An engine for each class, with views of the arrays of this engine."""
        members = [LinearEngine(self.rule.learner, self.bias, self.dtype) for _ in range(self.classes)]
        for k, member in enumerate(members):
            member.state, member.v = self.states[k], self.V[k]
        return members

    def _fresh_members(self, classes: int) -> Iterator[Engine]:
        """All members, as views of the arrays of this engine."""
        self.declare_classes(classes)
        return iter(self.members)

    def wider(self, features: int) -> dict[str, Any]:
        """The weights of all classes; one more feature has weights that stay 0."""
        room, size = self.V.shape
        if FIRST + features < size:
            return {}
        return self._grown(room, max(FIRST * (2 + features // FIRST), 2 * size))

    def declare_classes(self, classes: int) -> None:
        """Set the number of known classes before the first round."""
        self._make_room(classes)
        self.known[0] = classes

    def _make_room(self, classes: int) -> None:
        room, size = self.V.shape
        if classes > room:
            self.__dict__.update(self._grown(max(classes, 2 * room), size))

    def _grown(self, room: int, size: int) -> dict[str, Any]:
        """The weights and states of ``room`` classes with weights of this size."""
        V = aligned(room * size, self.V.dtype).reshape(room, size)
        V[: len(self.V), : self.V.shape[1]] = self.V
        new = LinearEngine(self.rule.learner, self.bias, self.dtype).state
        states = np.concatenate([self.states, np.tile(new, (room - len(self.states), 1))])
        return {"states": states, "V": V}

    def learn_tested(self, rows: Rows, trials: Floats, tested: Floats) -> int:
        """Test, then train every class on each row."""
        classes = max(self.classes, int(trials[LABEL].max()) + 1)
        self._make_room(classes)
        self.recent.make_room(trials.shape[1], classes)
        buffers = *self.recent.buffers, tested
        learn(self.code, self.state, self.states, self.V, self.known, *plain(rows), trials, *buffers)
        return trials.shape[1]

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        score(self.states, self.V, *plain(rows), scores)

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows and removes their new classes."""
        if size <= 1:
            return lambda: None
        state, states, V, known = self.state.copy(), self.states.copy(), self.V.copy(), self.classes
        recent = self.recent.copy()

        def undo() -> None:
            self.state[:], self.recent = state, recent
            self.states, self.V, self.known[0] = states, V, known

        return undo
