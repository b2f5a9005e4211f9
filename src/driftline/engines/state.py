"""The state of an engine as one array of floats, and how every engine counts its rounds.

A round is a column of ``trials``: its label (-1 or +1) and sample weight go in, its score and event come out.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Params, inlined, leaf
from driftline.internals.weight_layout import FIRST as FIRST

# rows of trials
LABEL, WEIGHT, SCORE, EVENT = 0, 1, 2, 3
# what may happen in a round, added up; a refused round has no other event. Of several classes, WRONG is one shown amiss
UPDATED, INFEASIBLE, REFUSED, UNASKED, WRONG = 1.0, 2.0, 4.0, 8.0, 16.0

# learned: the scale of v (w = scale * v); the tracked norm (|w|^2, or sum |v_i|^p), its maximum since it was last
# computed, the updates since then, and the updates after which it is due again
SCALE, NORM, PEAK, SINCE, DUE = 0, 1, 2, 3, 4
# counted
SEEN, MISTAKES, LABEL_ERRORS, MARGIN_ERRORS, UPDATES, INFEASIBLES = 5, 6, 7, 8, 9, 10
# fixed: the bias feature's value, the margin of a margin error, the margin from which rounds are passive, the ball,
# whether the norm is tracked, sigma, p, whether an infeasible step stops the engine, the smallest scale allowed, and
# the squared length below which an example counts as zero
BIAS, MARGIN, PASSIVE, BALL, TRACKS, REMOVAL, P, REFUSES, SMALLEST, SHORTEST_SQ = 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
# and the rule's own parameters
PARAMS, SIZE = 24, 28

# an example must be shorter than 1e60, so that no product of norms overflows; a little less, as the checks have it
LONGEST_SQ = 1e120 * (1.0 - 1e-9)


@inlined
def params_of(state: Floats) -> Params:
    """The rule's own parameters."""
    return state[PARAMS], state[PARAMS + 1], state[PARAMS + 2], state[PARAMS + 3]


@leaf
def tally(state: Floats, trials: Floats, done: int) -> None:
    """Count the rounds that were done, by their scores and events. Counts are whole, so their order is no matter."""
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
