"""A mixture of probabilities and of running shares of the positive label, weighed by log loss.

    p = sum_k v_k p_k,   then v_k *= the probability that p_k gave to the label,
    then v_k = (1 - ALPHA) v_k / (sum of all v) + ALPHA / K

The last components are the share of positive labels so far, and lately. Fixed share: Herbster,
Warmuth. Tracking the best expert. Machine Learning 32 (1998). With log loss the mixture loses at
most ln K to its best component, and little more to a sequence of components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, jit

STAYS = (1.0, 0.999, 0.99)
"""The memories of the running shares of the positive label."""
ALPHA = 3e-4
LEAST = 1e-6  # lower limit of a probability when components are weighed
LEAST_RATE = 1e-4  # and of a running share


class Mixture(NamedTuple):
    """The components other than regressions, and the weights of all components.

    ``rates`` has a row for each memory: the number of positive labels and of all labels, with
    forgetting. ``shares`` has the weight of each component, ``guesses`` its probability in this
    round, which is overwritten. ``learned`` is the number of labels learned.
    """

    rates: Floats
    shares: Floats
    learned: Floats
    guesses: Floats


def new_mixture(others: int) -> Mixture:
    """The mixture of ``others`` components and the running shares before the first round."""
    size = others + len(STAYS)
    rates = np.array([[0.5, 1.0]] * len(STAYS))
    return Mixture(rates, np.full(size, 1.0 / size), np.zeros(1), np.zeros(size))


@jit
def mixed(mixture: Mixture) -> float:
    """The probability of the mixture, given those of the other components in ``guesses``."""
    rates, shares, guesses = mixture.rates, mixture.shares, mixture.guesses
    first = shares.size - len(STAYS)
    for k in range(len(STAYS)):
        guesses[first + k] = min(1.0 - LEAST_RATE, max(LEAST_RATE, rates[k, 0] / rates[k, 1]))
    total = 0.0
    for k in range(shares.size):
        total += shares[k] * guesses[k]
    return min(1.0, total)


@jit
def weigh(mixture: Mixture, y: float) -> None:
    """Learn label y = 0 or 1 after ``mixed``."""
    rates, shares, guesses = mixture.rates, mixture.shares, mixture.guesses
    total = 0.0
    for k in range(shares.size):
        shares[k] *= max(LEAST, guesses[k] if y > 0.0 else 1.0 - guesses[k])
        total += shares[k]
    kept, given = (1.0 - ALPHA) / total, ALPHA / shares.size
    for k in range(shares.size):
        shares[k] = kept * shares[k] + given
    for k in range(len(STAYS)):
        rates[k, 0] = STAYS[k] * rates[k, 0] + y
        rates[k, 1] = STAYS[k] * rates[k, 1] + 1.0
    mixture.learned[0] += 1.0
