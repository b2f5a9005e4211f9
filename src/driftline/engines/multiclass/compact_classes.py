"""Weights of all classes that are not scaled, with a list of the nonzero ones.

An update costs O(nnz(W) + nnz(x)). The engine is for rules that must read every weight in an update
anyway: MulticlassL1PA, and MulticlassShrunkPA and MulticlassL2PA with feature removal. ``listed``
has the keys of the nonzero weights: the place of the feature times 2^32, plus the class. ``index``
has for each weight its index in that list plus one, or 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.engines.array_checks import only, without
from driftline.engines.calibration.recent_scores import put
from driftline.engines.linear.compact import SUPPORT
from driftline.engines.multiclass.class_engine import ONE, judge, predicted, score_row, tally_classes
from driftline.engines.multiclass.scaled_classes import RegularisedEngine, infeasible, step
from driftline.engines.state import (
    BALL,
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    NORM,
    PASSIVE,
    PREDICTED,
    REFUSES,
    REMOVAL,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    WEIGHT,
    WRONG,
    params_of,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.rules.linear import l1pa
from driftline.rules.linear.feature_removal import remove_small
from driftline.rules.linear.two_numbers import move
from driftline.rules.multiclass import multiclass_l1pa

HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


@jit
def gather(
    state: Floats,
    W: Floats,
    listed: Offsets,
    index: Indices,
    indices: Indices,
    values: Floats,
    y: int,
    rival: int,
) -> tuple[Offsets, Floats, Floats]:
    """Return the keys of the places with W or A not zero, and W and A there.

    A is the row in the place of class y, and its negative in that of ``rival``.
    """
    known = int(state[SUPPORT])
    keys = np.empty(known + 2 * (indices.size + 1), np.uint64)
    keys[:known] = listed[:known]
    a = np.zeros(keys.size)
    size = known
    for j in range(indices.size + 1):
        if j < indices.size:
            place = np.uint64(indices[j] + FIRST)
            x = values[j]
        else:
            place = np.uint64(0)
            x = state[BIAS]
        if x == 0.0:
            continue
        for side in range(2):
            r = np.uint64(y) if side == 0 else np.uint64(rival)
            part = x if side == 0 else -x
            at = index[place, r]
            if at > 0:
                a[at - 1] += part
            else:
                keys[size] = (place << HALF) | r
                a[size] = part
                size += 1
    w = np.zeros(size)
    for i in range(known):
        w[i] = W[keys[i] >> HALF, keys[i] & LOW]
    return keys[:size], w, a[:size]


@jit
def scatter(state: Floats, W: Floats, listed: Offsets, index: Indices, keys: Offsets, w: Floats) -> None:
    """Write the weights back and list the nonzero ones again."""
    for i in range(int(state[SUPPORT])):
        index[listed[i] >> HALF, listed[i] & LOW] = 0
    known = 0
    w_sq = 0.0
    for i in range(keys.size):
        place, r = keys[i] >> HALF, keys[i] & LOW
        W[place, r] = w[i]
        if w[i] != 0.0:
            listed[known] = keys[i]
            known += 1
            index[place, r] = known
            w_sq += w[i] * w[i]
    state[SUPPORT] = known
    state[NORM] = w_sq


@jit
def learn(
    kind: int,
    state: Floats,
    W: Floats,
    listed: Offsets,
    index: Indices,
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
    l1 = kind == multiclass_l1pa.KIND
    columns = np.uint64(width)
    every_column = np.arange(width).astype(np.uint32)
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
        margin, wrong, rival = judge(s, y, known)
        weight = trials[WEIGHT, i]
        m = s[y] - s[rival]
        passive = rival == y or weight == 0.0 or x_sq < state[SHORTEST_SQ] or m >= state[PASSIVE]
        start, stop = (i * columns, (i + ONE) * columns) if columns > 0 else (indptr[i], indptr[i + ONE])
        highest = abs(bias)
        for j in range(start, stop):
            highest = max(highest, abs(values[j]))
        stuck = not passive and (l1pa.infeasible(highest, params[1]) if l1 else infeasible(kind, m, x_sq, params))
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
        if l1:
            shrink, tau = 1.0, l1pa.goal(m, highest, stuck, params)
        else:
            shrink, tau = step(kind, m, x_sq, state[NORM], params)
        if tau == 0.0:
            continue
        trials[EVENT, i] += UPDATED
        places = every_column if columns > 0 else indices[start:stop]
        keys, w, a = gather(state, W, listed, index, places, values[start:stop], y, rival)
        if l1:
            multiclass_l1pa.step(w, a, tau, params, weight)
        else:
            move(w, a, shrink, weight * tau, state[BALL])
        if state[REMOVAL] > 0.0:
            remove_small(w, keys, state[REMOVAL])
        scatter(state, W, listed, index, keys, w)
    classes[0] = known
    tally_classes(state, trials, int(done))
    return int(done)


class CompactClassesEngine(RegularisedEngine):
    """The engine of MulticlassL1PA, and of feature removal."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.index = np.zeros(self.W.shape, np.uint32)
        self.listed = np.zeros(0, np.uint64)

    def _grown(self, rows: int, room: int) -> dict[str, Any]:
        """Also the list of nonzero weights, with room for all weights."""
        index, listed = np.zeros((rows, room), np.uint32), np.zeros(rows * room, np.uint64)
        index[: self.index.shape[0], : self.index.shape[1]] = self.index
        listed[: self.listed.size] = self.listed
        return {**super()._grown(rows, room), "index": index, "listed": listed}

    def learn_rows(
        self, rows: tuple[int, Offsets, Indices, Floats], trials: Floats, buffers: tuple[Floats, ...]
    ) -> int:
        """Run the compiled loop."""
        own = self.state, self.W, self.listed, self.index, self.known
        return learn(self.kind, *own, *rows, trials, *buffers)

    def give(self, W: Floats) -> None:
        """Set the weights of all features (rows) and classes (columns)."""
        super().give(W)
        places, classes = np.nonzero(self.W)
        self._list((places.astype(np.uint64) << HALF) | classes.astype(np.uint64))
        self.state[SUPPORT] = places.size
        self.state[NORM] = float(np.sum(self.W[places, classes] ** 2))

    def _list(self, keys: Offsets) -> None:
        """List these nonzero weights."""
        self.listed[:] = 0
        self.index[:] = 0
        self.listed[: keys.size] = keys
        self.index[keys >> HALF, keys & LOW] = np.arange(1, keys.size + 1)

    def class_arrays(self) -> dict[str, np.ndarray]:
        """Also the list."""
        return {**super().class_arrays(), "index": self.index, "listed": self.listed}

    def arrays(self) -> dict[str, np.ndarray]:
        """Also the list of nonzero weights."""
        return {**super().arrays(), "listed": self.listed[: int(self.state[SUPPORT])]}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the list of nonzero weights."""
        return {**super().saved(features), "listed": self.listed[: int(self.state[SUPPORT])]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that the list has exactly the nonzero weights."""
        only(arrays, "state", "W", "listed")
        listed = arrays["listed"]
        super().restore(features, without(arrays, "listed"))
        places, classes = np.nonzero(self.W)
        keys = (places.astype(np.uint64) << HALF) | classes.astype(np.uint64)
        fit = listed.dtype == np.uint64 and listed.shape == keys.shape and np.array_equal(np.sort(listed), keys)
        if not fit or self.state[SUPPORT] != keys.size or self.state[SCALE] != 1.0:
            raise ValueError("a list of weights that does not match the weights")
        self._list(listed)
