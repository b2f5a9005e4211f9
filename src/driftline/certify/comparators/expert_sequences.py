"""Comparators of expert learners: the best expert, and the best sequence with a penalty per
change.

    minimise  sum_t loss(t, i_t) + price #{t : i_t != i_(t-1)}     over all sequences i_1, ..., i_T

by dynamic programming in O(T n): the cheapest sequence that ends with expert i either had expert i
before, or comes from the cheapest sequence of all. Bounds are linear in the loss and in the number
of changes, so one penalty covers all numbers of changes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from driftline import bounds
from driftline.internals.compiled import Floats, Indices, jit


@dataclass(frozen=True)
class Succession:
    """A sequence of experts: the expert of each round (``who``) and its cumulative loss
    (``lost``).
    """

    who: np.ndarray
    lost: Floats

    @property
    def changes(self) -> np.ndarray:
        """The number of changes up to each round."""
        return np.concatenate([[0], np.cumsum(self.who[1:] != self.who[:-1])])

    @property
    def moves(self) -> bool:
        """Whether it has more than one expert."""
        return self.segments > 1

    @property
    def segments(self) -> int:
        """The number of its pieces."""
        return int(self.changes[-1]) + 1

    @property
    def length(self) -> float:
        """The length of its path. Experts are unit vectors, so two of them are sqrt(2) apart."""
        return float(np.sqrt(2.0) * self.changes[-1])

    def inputs(self, bound: bounds.Bound, rounds: np.ndarray) -> dict[str, np.ndarray]:
        """Return the inputs of a bound that depend on the number of rounds."""
        given = {one.name for one in fields(bound)}
        if isinstance(bound, bounds.ExponentialWeightsKnown):
            given -= {"T"}  # its learning rate is for all rounds
        found = {"L": self.lost[rounds - 1], "T": rounds}
        if isinstance(bound, bounds.FixedShareLoss | bounds.VariableShareLoss):
            found["k"] = self.changes[rounds - 1]
        return {name: column for name, column in found.items() if name in given}


def best_expert(losses: Floats) -> Succession:
    """Return the expert with the smallest loss, given the losses of each round and expert."""
    best = int(np.argmin(losses.sum(axis=0)))
    return Succession(np.full(len(losses), best), np.cumsum(losses[:, best]))


def best_succession(losses: Floats, price: float) -> Succession:
    """Return the sequence with the smallest total of losses and penalties; ``price`` is the
    penalty of a change.

    >>> losses = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> [best_succession(losses, price).who.tolist() for price in (0.9, 1.1)]
    [[0, 0, 1, 1, 0], [0, 0, 0, 0, 0]]
    """
    who = np.zeros(len(losses), np.uint32)
    follow(losses, price, who)
    return Succession(who, np.cumsum(losses[np.arange(len(losses)), who]))


@jit
def follow(losses: Floats, price: float, who: Indices) -> None:
    """Write the cheapest sequence into ``who``."""
    rounds, n = losses.shape
    cost = losses[0].copy()
    came = np.zeros((rounds, n), np.bool_)
    cheapest = np.zeros(rounds, np.uint32)
    for t in range(1, rounds):
        first = np.argmin(cost)
        cheapest[t] = first
        low = cost[first]
        for i in range(n):
            over = cost[i] - low  # costs are kept relative to the smallest, so that they stay exact in long runs
            came[t, i] = over > price
            cost[i] = min(over, price) + losses[t, i]
    last = np.argmin(cost)
    for t in range(rounds - 1, -1, -1):
        who[t] = last
        if came[t, last]:
            last = cheapest[t]
