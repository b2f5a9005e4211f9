"""The totals of a run and the points of its learning curve, in one compiled pass over a block."""

from __future__ import annotations

import numpy as np

from driftline.engines.state import INFEASIBLE, UNASKED, UPDATED, WRONG
from driftline.internals.compiled import Floats, jit

# columns of the totals
EXAMPLES, MISTAKES, LABEL_ERRORS, UPDATES, HINGE = 0, 1, 2, 3, 4

_UPDATED, _INFEASIBLE, _UNASKED, _WRONG = int(UPDATED), int(INFEASIBLE), int(UNASKED), int(WRONG)


@jit
def add_rounds(
    totals: Floats,
    y: Floats,
    scores: Floats,
    events: np.ndarray,
    several: bool,
    margin: float,
    first: int,
    stride: int,
    points: Floats,
) -> tuple[int, int, int]:
    """Add the rounds of a block to ``totals``.

    Return its margin errors, infeasible rounds and labels asked for.

    The totals after round ``first`` of the block (counted from 0), and after every ``stride``-th
    round from there on, go to the rows of ``points``. With two classes, mistakes and label errors
    follow from the scores; with several classes, both are the rounds whose event is WRONG. The
    hinge loss of a score that is not finite is infinite.
    """
    mistakes, label_errors, updates = 0, 0, 0
    margin_errors, infeasible, asked = 0, 0, 0
    hinge = totals[HINGE]
    due, row = first, 0
    for i in range(scores.size):
        m = y[i] * scores[i]
        happened = int(events[i])
        if several:
            wrong = happened & _WRONG != 0
            mistakes += wrong
            label_errors += wrong
        else:
            mistakes += m <= 0.0
            label_errors += (scores[i] >= 0.0) != (y[i] > 0.0)
        updates += happened & _UPDATED != 0
        infeasible += happened & _INFEASIBLE != 0
        asked += happened & _UNASKED == 0
        margin_errors += m <= margin
        hinge += max(0.0, 1.0 - m) if np.isfinite(m) else np.inf
        if i == due:
            points[row, EXAMPLES] = totals[EXAMPLES] + (i + 1)
            points[row, MISTAKES] = totals[MISTAKES] + mistakes
            points[row, LABEL_ERRORS] = totals[LABEL_ERRORS] + label_errors
            points[row, UPDATES] = totals[UPDATES] + updates
            points[row, HINGE] = hinge
            row += 1
            due += stride
    totals[EXAMPLES] += scores.size
    totals[MISTAKES] += mistakes
    totals[LABEL_ERRORS] += label_errors
    totals[UPDATES] += updates
    totals[HINGE] = hinge
    return margin_errors, infeasible, asked
