"""The state of an engine as one array of floats, and the counters of its rounds.

A round is a column of ``trials``. The caller writes its label (-1 or +1) and sample weight; the
engine writes its score and event. With several classes the label is a class number, and the engine
also writes the class number that it predicted: -1 if it knew no class. A regressor has a real
target instead of the label. It counts rounds outside its tube as margin errors, and no mistakes.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Params, inlined, leaf
from driftline.internals.weight_layout import FIRST as FIRST

# rows of trials; PREDICTED only with several classes
LABEL, WEIGHT, SCORE, EVENT, PREDICTED = 0, 1, 2, 3, 4
# events of a round, as a sum of flags; a refused round has no other event. WRONG: the predicted
# class was wrong (multiclass only)
UPDATED, INFEASIBLE, REFUSED, UNASKED, WRONG = 1.0, 2.0, 4.0, 8.0, 16.0

# learned: the scale of v (w = scale * v); the tracked norm (|w|^2, or sum |v_i|^p); since it was
# last computed from v, its maximum and the number of updates; and the number of updates after
# which it is computed again
SCALE, NORM, PEAK, SINCE, DUE = 0, 1, 2, 3, 4
# counters
SEEN, MISTAKES, LABEL_ERRORS, MARGIN_ERRORS, UPDATES, INFEASIBLES = 5, 6, 7, 8, 9, 10
# half the width of the tube of a regressor, which is learned if the tube adapts
TUBE = 11
# constants: the value of the bias feature, the margin of a margin error, the smallest margin
# without an update, the radius of the ball, whether the norm is tracked, sigma, p, whether an
# infeasible step stops the engine, the smallest scale allowed, and the squared norm below which an
# example counts as zero
BIAS, MARGIN, PASSIVE, BALL, TRACKS, REMOVAL, P, REFUSES, SMALLEST, SHORTEST_SQ = 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
# what the tube grows by in a round outside it, and shrinks by in a round inside it
TUBE_GROWS, TUBE_SHRINKS = 22, 23
# the parameters of the rule
PARAMS, SIZE = 24, 28

# the norm of an example must be below 1e60, so that no product of norms overflows; the limit is
# slightly smaller, like that of the checks on input
LONGEST_SQ = 1e120 * (1.0 - 1e-9)


def trial_rows(several: bool) -> int:
    """The number of rows of ``trials``, with two labels or several classes."""
    return PREDICTED + 1 if several else PREDICTED


@inlined
def params_of(state: Floats) -> Params:
    """The parameters of the rule."""
    return state[PARAMS], state[PARAMS + 1], state[PARAMS + 2], state[PARAMS + 3]


@leaf
def tally(state: Floats, trials: Floats, done: int) -> None:
    """Add the first ``done`` rounds to the counters, by their scores and events."""
    mistakes = 0
    label_errors = 0
    margin_errors = 0
    stuck = 0
    margin = state[MARGIN]
    for i in range(np.uint64(done)):
        y = trials[LABEL, i]
        score = trials[SCORE, i]
        mistakes += y * score <= 0.0
        label_errors += (score >= 0.0) != (y > 0.0)
        margin_errors += y * score <= margin
        stuck += INFEASIBLE <= trials[EVENT, i] < REFUSED
    state[SEEN] += done
    state[MISTAKES] += mistakes
    state[LABEL_ERRORS] += label_errors
    state[MARGIN_ERRORS] += margin_errors
    state[INFEASIBLES] += stuck
