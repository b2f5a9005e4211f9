"""The smooth counterpart of the vote of the strong bank: a sum over the scores of the experts.

The vote on class c is a sum of signs: each voter gives +G_i to the class that it names and -G_i to
all others, where G_i is its share. In the smooth counterpart

    expert j     gives G_j tanh(m_cj / rms_j), where m_cj is half of the difference between its score
                 of class c and its highest score of another class. With two labels, m_1j = s_j.
    read-out k   gives G_k (2 p_kc - 1), where p_kc is its probability of class c
    mixture      gives G (2 p_c - 1): its components by their weights. In the features of the second
                 read-outs, the vote without the mixture is replaced by its smooth counterpart.
    the others   (the most frequent labels) give their signs to the constant.

A probability is p_kc = sigmoid(L_kc), and L_kc = l_kc - sum_r q_r l_kr - entropy(q) for the logits
l and the shares q_r = p_kr / (1 - p_kc) of the other classes. Every function f of one sum L is
replaced by its secant, f(L) = f(0) + ((f(L) - f(0)) / L) L, which is exact for this row. The shares
q and the entropy count as constants. So the smooth vote is a constant plus a sum over the scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.joint.combination import (
    LATELY,
    LEAST_SQUARE,
    LOG_FLOOR,
    LOG_SCALE,
    MIXTURE,
    SECOND,
    SMOOTHING,
    Combination,
)
from driftline.engines.joint.readouts import MEMORIES, Readout
from driftline.engines.tracker.attribution import tanh_secant
from driftline.engines.tracker.voting import EXPERTS, STACKERS
from driftline.internals.compiled import Floats

READOUTS = len(MEMORIES)


class Regression(NamedTuple):
    """One regression of a read-out on a row: weights, offsets of the classes, and logits."""

    w: Floats
    b: Floats
    logits: Floats


def smooth_vote(
    own: Combination, scores: Floats, squares: Floats, shares: Floats, active: np.ndarray, c: int
) -> tuple[float, Floats]:
    """The smooth vote on class c: a constant, and the factor of each score.

    Parameters
    ----------
    own
        The combination; only its learned arrays are read.
    scores
        A row for each class and a column for each expert.
    squares
        The mean square of the scores of each expert.
    shares
        The share of each voter; the sum is 1.
    active
        Whether each expert takes part.
    c
        The class.

    Returns
    -------
    constant, factors
        The smooth vote is the constant plus the sum of factors times scores. The factor of a score
        that is not finite is 0.
    """
    heard = active.astype(bool) & (squares > LEAST_SQUARE)
    inverse = np.where(heard, 1.0 / np.sqrt(np.where(heard, squares, 1.0)), 0.0)
    ratios = np.where(np.isfinite(scores), scores, 0.0) * inverse
    firsts = [regression(own.first, k, np.tanh(ratios)) for k in range(READOUTS)]
    odds = np.array([log_odds(one.logits) for one in firsts])
    margins = 0.5 * (ratios - best_of_others(ratios))
    majority = shares[:STACKERS] @ majority_signs(own, len(scores))
    through_first = shares[STACKERS:MIXTURE, None] * (0.5 * tanh_secant(0.5 * odds))
    before = majority + np.tanh(margins) @ shares[EXPERTS:] + (through_first * odds).sum(axis=0)

    constant, on_vote, on_odds = mixture(own, before, odds, float(shares[MIXTURE]), c)
    on_vote[c] += 1.0
    constant += float(on_vote @ majority)
    on_odds += on_vote * through_first
    on_features = np.zeros_like(ratios)
    for one, factors in zip(firsts, on_odds, strict=True):
        on_logits, rest = through_odds(one.logits, factors)
        constant += rest + float(on_logits @ one.b)
        on_features += np.outer(on_logits, one.w)
    on_ratios = on_features * tanh_secant(ratios)
    on_ratios += through_margins(ratios, on_vote[:, None] * shares[EXPERTS:] * tanh_secant(margins))
    return constant, np.where(np.isfinite(scores), on_ratios * inverse, 0.0)


def mixture(own: Combination, before: Floats, odds: Floats, share: float, c: int) -> tuple[float, Floats, Floats]:
    """The smooth vote of the mixture on class c, times its share.

    Return a constant, the factors of the smooth votes ``before`` the mixture, and the factors of
    the log odds of the first read-outs.
    """
    classes, weights = before.size, share * own.weights
    labels = own.labels[:, :classes] + SMOOTHING
    constant = float(weights[2 * READOUTS :] @ (2.0 * labels[:, c] / labels.sum(axis=1) - 1.0))
    on_vote, on_odds = np.zeros(classes), np.zeros_like(odds)
    on_odds[:, c] = weights[:READOUTS] * (0.5 * tanh_secant(0.5 * odds[:, c]))
    rest = 1.0 - share
    scale = 1.0 / rest if rest > 0.0 else 0.0
    slopes = log_secant(odds) / LOG_SCALE
    features = np.vstack([scale * before, slopes * odds]).T  # of each class, less a number common to all classes
    for k in range(READOUTS):
        one, factors = regression(own.again, k, features), np.zeros(classes)
        factors[c] = weights[READOUTS + k] * 0.5 * tanh_secant(0.5 * log_odds(one.logits)[c])
        on_logits, offset = through_odds(one.logits, factors)
        constant += offset + float(on_logits @ one.b)
        on_vote += on_logits * (one.w[0] * scale)
        on_odds += on_logits * one.w[1:SECOND, None] * slopes
    return constant, on_vote, on_odds


def regression(readout: Readout, k: int, features: Floats) -> Regression:
    """Regression k on the features of each class; zeros if its logits have overflowed."""
    classes, size = features.shape
    start = k * readout.u.size
    w, b = readout.weights[start : start + size], readout.weights[start + size : start + size + classes]
    with np.errstate(all="ignore"):
        logits = features @ w + b
    if not np.isfinite(logits).all():
        return Regression(np.zeros(size), np.zeros(classes), np.zeros(classes))
    return Regression(w, b, logits)


def log_odds(logits: Floats) -> Floats:
    """The logarithm of p_c / (1 - p_c) of each class."""
    return np.array([one - np.logaddexp.reduce(np.delete(logits, c)) for c, one in enumerate(logits)])


def through_odds(logits: Floats, factors: Floats) -> tuple[Floats, float]:
    """The factors of logits, given those of the log odds of the classes, and a constant."""
    found, odds = factors.copy(), log_odds(logits)
    for c in np.flatnonzero(factors):
        q = np.exp(np.minimum(logits - (logits[c] - odds[c]), 0.0))
        q[c] = 0.0
        found -= factors[c] * q
    return found, float(factors @ odds - found @ logits)


def log_secant(odds: Floats) -> Floats:
    """(f(L) - f(0)) / L for f(L) = log(sigmoid(L) + LOG_FLOOR)."""
    zero = np.abs(odds) < 1e-8
    safe = np.where(zero, 1.0, odds)
    change = np.log((0.5 + 0.5 * np.tanh(0.5 * safe) + LOG_FLOOR) / (0.5 + LOG_FLOOR))
    return np.where(zero, 0.25 / (0.5 + LOG_FLOOR), change / safe)


def majority_signs(own: Combination, classes: int) -> Floats:
    """A row for each voter for the most frequent label: +1 for its class, otherwise -1."""
    named = own.labels[[0, LATELY], :classes].argmax(axis=1)
    return np.where(np.arange(classes) == named[:, None], 1.0, -1.0)


# margins --------------------------------------------------------------------------------------------------------------
def best_of_others(ratios: Floats) -> Floats:
    """The highest number of another row, for each number."""
    second, top = np.sort(ratios, axis=0)[-2:]
    return np.where(ratios == top, second, top)


def through_margins(ratios: Floats, factors: Floats) -> Floats:
    """The factors of ratios, given those of their margins; classes that tie for the best share it."""
    second, top = np.sort(ratios, axis=0)[-2:]
    first = ratios == top
    count, lone = first.sum(axis=0), second < top
    of_first = np.where(first, factors, 0.0).sum(axis=0)
    of_others = factors.sum(axis=0) - of_first
    tied = (of_first - factors) / np.maximum(count - 1, 1)
    next_best = ratios == second
    from_first = np.where(lone, next_best * (of_first / next_best.sum(axis=0)), first * tied)
    found: Floats = 0.5 * (factors - first * (of_others / count) - from_first)
    return found
