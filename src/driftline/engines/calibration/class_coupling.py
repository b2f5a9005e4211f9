"""Probabilities of several classes from one probability p_k for each class against the others.

    q_k = p_k^beta (1 - p_k)^-gamma / (sum over all classes)

beta = 1 and gamma = 0 divide the p_k by their sum. beta = gamma compares the odds, which is right
if the classes are scored independently. Both numbers are learned by Newton steps on the log loss,
with f_k = (ln p_k, -ln(1 - p_k)) and m = sum_k q_k f_k:

    H = STAYS H + (1 - STAYS) PRECISION I + sum_k q_k (f_k - m)(f_k - m)^T
    (beta, gamma) += H^-1 (f_y - m)
"""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, finite, of_shape
from driftline.internals.compiled import Floats, jit

# places of the array: beta, gamma, the entries of H, and the examples that the engine had seen when
# the last round was learned, -1 if there was none
BETA, GAMMA, H11, H12, H22, DONE, SIZE = 0, 1, 2, 3, 4, 5, 6
STAYS, PRECISION = 0.999, 10.0
LEAST = 1e-9  # the distance of p from 0 and 1
LEAST_BETA, LARGEST = 0.05, 3.0
LARGEST_H, LEAST_ANGLE = 1e7, 1e-6  # in model files


def new_coupling() -> Floats:
    """The array before the first round."""
    return np.array([1.0, 0.0, PRECISION, 0.0, PRECISION, -1.0])


def restored_coupling(arrays: Arrays) -> Floats:
    """The array from a model file; ValueError if no learner can have it.

    Files of earlier versions have none.
    """
    made = new_coupling()
    if "coupling" in arrays:
        given = finite("coupling", of_shape(arrays, "coupling", "float64", (DONE,)))
        beta, gamma, h11, h12, h22 = given.tolist()
        limited = LEAST_BETA <= beta <= LARGEST and 0.0 <= gamma <= LARGEST
        sized = 1.0 <= h11 <= LARGEST_H and 1.0 <= h22 <= LARGEST_H
        if not (limited and sized and h12 * h12 <= (1.0 - LEAST_ANGLE) * h11 * h22):
            raise ValueError(f"coupling {given.tolist()}")
        made[:DONE] = given
    return made


@jit
def couple(coupling: Floats, each: Floats, known: int) -> None:
    """Replace the p_k of the first ``known`` classes in ``each`` by q_k.

    Before the first step the p_k are divided by their sum, which is exactly 1 after a switch from
    two labels.
    """
    beta, gamma = coupling[BETA], coupling[GAMMA]
    total, highest = 0.0, -np.inf
    if beta != 1.0 or gamma != 0.0:
        for k in range(known):
            p = min(1.0 - LEAST, max(LEAST, each[k]))
            each[k] = beta * np.log(p) - gamma * np.log(1.0 - p)
            highest = max(highest, each[k])
        for k in range(known):
            each[k] = np.exp(each[k] - highest)
    for k in range(known):
        total += each[k]
    for k in range(known):
        each[k] /= total


@jit
def couple_all(coupling: Floats, each: Floats) -> None:
    """``couple`` for every row of ``each``."""
    for i in range(len(each)):
        couple(coupling, each[i], each.shape[1])


@jit
def learn_coupling(coupling: Floats, p: Floats, q: Floats, known: int, y: int) -> None:
    """Learn class y, given the p_k and q_k of a round."""
    m1, m2 = 0.0, 0.0
    for k in range(known):
        own = min(1.0 - LEAST, max(LEAST, p[k]))
        m1 += q[k] * np.log(own)
        m2 -= q[k] * np.log(1.0 - own)
    c11, c12, c22 = 0.0, 0.0, 0.0
    for k in range(known):
        own = min(1.0 - LEAST, max(LEAST, p[k]))
        f1, f2 = np.log(own) - m1, -np.log(1.0 - own) - m2
        c11 += q[k] * f1 * f1
        c12 += q[k] * f1 * f2
        c22 += q[k] * f2 * f2
    right = min(1.0 - LEAST, max(LEAST, p[y]))
    g1, g2 = np.log(right) - m1, -np.log(1.0 - right) - m2
    coupling[H11] = STAYS * coupling[H11] + (1.0 - STAYS) * PRECISION + c11
    coupling[H12] = STAYS * coupling[H12] + c12
    coupling[H22] = STAYS * coupling[H22] + (1.0 - STAYS) * PRECISION + c22
    h11, h12, h22 = coupling[H11], coupling[H12], coupling[H22]
    determinant = h11 * h22 - h12 * h12
    beta = coupling[BETA] + (h22 * g1 - h12 * g2) / determinant
    gamma = coupling[GAMMA] + (h11 * g2 - h12 * g1) / determinant
    coupling[BETA] = min(LARGEST, max(LEAST_BETA, beta))
    coupling[GAMMA] = min(LARGEST, max(0.0, gamma))


@jit
def couple_rounds(coupling: Floats, known: int, y: Floats, weights: Floats, each: Floats, due: float) -> None:
    """Replace the p_k in ``each`` by q_k, a row for each round, and learn the class of each round.

    ``known`` is the number of classes before the first round. A class that appears is not learned
    in its first round, nor is a round of weight 0. ``due`` is written to the place DONE.
    """
    q = np.zeros(each.shape[1])
    for i in range(len(each)):
        k = int(y[i])
        for j in range(known):
            q[j] = each[i, j]
        couple(coupling, q, known)
        if k < known and weights[i] > 0.0:
            learn_coupling(coupling, each[i], q, known, k)
        for j in range(known):
            each[i, j] = q[j]
        known = max(known, k + 1)
    coupling[DONE] = due
