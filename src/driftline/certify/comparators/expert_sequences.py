"""Experts to compare with: the best one, and the best succession of them at a price for every change.

    minimise  sum_t loss(t, i_t) + price #{t : i_t != i_(t-1)}     over all successions i_1, ..., i_T

by dynamic programming, O(T n): what costs least up to a round and ends with expert i either stayed with i, or came from
the cheapest of all. Bounds are linear in the loss and in the changes, so that one price stands for all numbers of them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from driftline import bounds
from driftline.internals.compiled import Floats, Indices, jit


@dataclass(frozen=True)
class Succession:
    """The expert ``who`` that one is compared with in each round, and what these have ``lost`` up to there."""

    who: np.ndarray
    lost: Floats

    @property
    def changes(self) -> np.ndarray:
        """How many there were up to each round."""
        return np.concatenate([[0], np.cumsum(self.who[1:] != self.who[:-1])])

    @property
    def moves(self) -> bool:
        """Whether it is more than one expert."""
        return self.segments > 1

    @property
    def segments(self) -> int:
        """Its pieces."""
        return int(self.changes[-1]) + 1

    @property
    def length(self) -> float:
        """Of its path: an expert is a unit vector, and two are sqrt(2) apart."""
        return float(np.sqrt(2.0) * self.changes[-1])

    def inputs(self, bound: bounds.Bound, rounds: np.ndarray) -> dict[str, np.ndarray]:
        """Those inputs of a bound that depend on how many rounds there were."""
        given = {one.name for one in fields(bound)}
        if isinstance(bound, bounds.ExponentialWeightsKnown):
            given -= {"T"}  # its rate was that for all rounds
        found = {"L": self.lost[rounds - 1], "T": rounds}
        if isinstance(bound, bounds.FixedShareLoss | bounds.VariableShareLoss):
            found["k"] = self.changes[rounds - 1]
        return {name: column for name, column in found.items() if name in given}


def best_expert(losses: Floats) -> Succession:
    """The expert that loses least, from the losses of each round and expert."""
    best = int(np.argmin(losses.sum(axis=0)))
    return Succession(np.full(len(losses), best), np.cumsum(losses[:, best]))


def best_succession(losses: Floats, price: float) -> Succession:
    """The succession that costs least, in units of loss.

    >>> losses = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> [best_succession(losses, price).who.tolist() for price in (0.9, 1.1)]
    [[0, 0, 1, 1, 0], [0, 0, 0, 0, 0]]
    """
    who = np.zeros(len(losses), np.uint32)
    follow(losses, price, who)
    return Succession(who, np.cumsum(losses[np.arange(len(losses)), who]))


@jit
def follow(losses: Floats, price: float, who: Indices) -> None:
    """Write the cheapest succession into who."""
    rounds, n = losses.shape
    cost = losses[0].copy()
    came = np.zeros((rounds, n), np.bool_)
    cheapest = np.zeros(rounds, np.uint32)
    for t in range(1, rounds):
        first = np.argmin(cost)
        cheapest[t] = first
        low = cost[first]
        for i in range(n):
            over = cost[i] - low  # costs are kept above the least, so that they stay exact in long runs
            came[t, i] = over > price
            cost[i] = min(over, price) + losses[t, i]
    last = np.argmin(cost)
    for t in range(rounds - 1, -1, -1):
        who[t] = last
        if came[t, last]:
            last = cheapest[t]
