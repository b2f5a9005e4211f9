"""The state of an engine as one array of floats, and what every engine does with it: count, and ask the rule.

A round is a column of ``trials``: its label (-1 or +1) and sample weight go in, its score and event come out.
"""

from __future__ import annotations

from driftline.compiled import Floats, jit
from driftline.rules.table import infeasible, step

# rows of trials
LABEL, WEIGHT, SCORE, EVENT = 0, 1, 2, 3
# what may happen in a round, added up
UPDATED, INFEASIBLE = 1, 2

# learned: the scale of v (w = scale * v); the tracked norm (|w|^2, or sum |v_i|^p), its maximum since it was last
# computed, the updates since then, and the updates after which it is due again
SCALE, NORM, PEAK, SINCE, DUE = 0, 1, 2, 3, 4
# counted
SEEN, MISTAKES, LABEL_ERRORS, MARGIN_ERRORS, UPDATES, INFEASIBLES, HINGE = 5, 6, 7, 8, 9, 10, 11
# fixed: the bias feature's value, the margin of a margin error, the margin from which rounds are passive, the ball,
# whether the norm is tracked, sigma, p, whether an infeasible step stops the engine, the smallest scale allowed
BIAS, MARGIN, PASSIVE, BALL, TRACKS, REMOVAL, P, REFUSES, SMALLEST = 12, 13, 14, 15, 16, 17, 18, 19, 20
# and the rule's own parameters
PARAMS, SIZE = 24, 32

# v[0] is the bias feature's weight, v[FIRST:] are the others, so that they start on a cache line
FIRST = 8

# an example must be shorter than 1e60, so that no product of norms overflows; one shorter than 1e-60 counts as zero
LONGEST_SQ = 1e120
SHORTEST_SQ = 1e-120


@jit
def count(state: Floats, trials: Floats, i: int, y: float, score: float) -> None:
    """Count the round by its score."""
    m = y * score
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    state[SEEN] += 1.0
    state[MISTAKES] += 1.0 if m <= 0.0 else 0.0
    state[LABEL_ERRORS] += 1.0 if (score >= 0.0) != (y > 0.0) else 0.0
    state[MARGIN_ERRORS] += 1.0 if m <= state[MARGIN] else 0.0
    state[HINGE] += max(0.0, 1.0 - m)


@jit
def note(state: Floats, trials: Floats, i: int, updated: bool, impossible: bool) -> None:
    """Count what happened in the round after its score."""
    if updated:
        state[UPDATES] += 1.0
        trials[EVENT, i] += UPDATED
    if impossible:
        state[INFEASIBLES] += 1.0
        trials[EVENT, i] += INFEASIBLE


@jit
def ask(
    code: int, state: Floats, params: Floats, trials: Floats, i: int, m: float, x_sq: float, w_sq: float
) -> tuple[float, float]:
    """Return the rule's (shrink, tau) for this round, tau times the sample weight, and note what happened."""
    weight = trials[WEIGHT, i]
    if weight == 0.0:
        return 1.0, 0.0
    if x_sq < SHORTEST_SQ:
        x_sq = 0.0
    shrink, tau = step(code, m, x_sq, w_sq, state[UPDATES], params)
    if x_sq == 0.0:
        tau = 0.0
    note(state, trials, i, tau != 0.0, infeasible(code, m, x_sq, w_sq, params))
    return shrink, weight * tau


@jit
def refused(code: int, state: Floats, params: Floats, weight: float, m: float, x_sq: float, w_sq: float) -> bool:
    """Whether the round is infeasible under a rule that does not allow that."""
    return state[REFUSES] != 0.0 and weight != 0.0 and infeasible(code, m, x_sq, w_sq, params)
