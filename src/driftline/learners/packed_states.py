"""Learn the rows of many learners that differ only in their state, with one compiled call.

Only for linear learners of two declared labels without scaling and class weights, and for arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.encode.arrays import NUMBERS, plain
from driftline.engines.linear.packed_states import learn_states
from driftline.engines.state import FIRST
from driftline.internals.compiled import Floats
from driftline.internals.numeric.alignment import aligned
from driftline.learners.learner import Learner
from driftline.learners.reuse import is_reusable


def learns_packed(learner: Learner) -> bool:
    """Whether ``learn_packed`` can learn for learners like this one."""
    plain_rule = is_reusable(learner) and learner._never_stops and learner._skips_checks and not learner.rule.asks
    declared = learner.options["labels"] is not None and learner._engine.v.dtype == np.float64
    return plain_rule and declared and not learner.rule.regresses and sys.byteorder == "little"


def learn_packed(
    learner: Learner, X: np.ndarray, y: Any, w: Any, stops: np.ndarray, states: Sequence[bytes], layout: int
) -> tuple[Floats, int, list[bytes]] | None:
    """Learn groups of rows; return the scores, the number of label errors, and the new states.

    The bits are those of a learner for each group. None if a row, a label or a state needs a
    learner: nothing has changed then.

    Parameters
    ----------
    learner
        A new learner, for which ``learns_packed`` is true. It does not change.
    X, y, w
        The rows, group by group; their labels and sample weights.
    stops
        Where the rows of each group end.
    states
        The state of each group: the number of its layout, then ``keyed.packed``. An empty one is that of
        a new learner.
    layout
        The number of the layout of all states: learners that have learned columns and recent rounds.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in NUMBERS or X.shape[1] == 0:
        return None
    size, columns = X.shape
    try:
        signs = learner._labels.sign_many(y)
        weights = np.ones(size) if w is None else learner._sample_weights(w, size)
    except (ValueError, TypeError):
        return None  # the learner of the key raises the error
    if signs.size != size or not (weights > 0.0).all():
        return None
    ends = np.cumsum([len(state) for state in states])
    data = np.frombuffer(bytearray().join(states) or bytearray(1), np.uint8)
    scores, new_ends = np.empty(size), np.empty_like(ends)
    v = aligned(FIRST * (2 + columns // FIRST), learner._engine.v.dtype)
    errors, found = learn_states(
        learner._engine.code,
        learner._engine.state,
        v,
        layout,
        columns,
        plain(X).reshape(-1),
        np.ascontiguousarray(signs, np.float64),
        np.ascontiguousarray(np.broadcast_to(weights, size)),
        stops,
        data,
        ends,
        scores,
        new_ends,
    )
    if errors < 0:
        return None
    whole, limits = found.tobytes(), new_ends.tolist()
    new = [whole[start:stop] for start, stop in zip([0, *limits], limits, strict=False)]
    return scores, errors, new
