"""Feature selection beside PA: before each update the k features that look best so far; PA scores and learns on them.

Weights of features that are not selected are kept aside and count again when the feature comes back. All numbers of
features and both policies go through a stream together, as the columns of one table of weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.shen2009 import gain
from driftline.reproduce.shen2009.data import row
from driftline.reproduce.shen2009.game import chosen
from driftline.rules.rule import When

CANDIDATES, EVERY = 256, 50
"""The game is among so many features of the largest gain, and played anew after so many examples."""


class Selector(Protocol):
    """Says which features to use."""

    def see(self, t: int, features: np.ndarray, y: float) -> None:
        """Example t has these features on."""
        ...

    def best(self, k: int) -> np.ndarray:
        """The k features to use now."""
        ...


class ByGain:
    """The largest information gain over all examples so far; of equal ones the first.

    With ``every`` it looks again only after so many examples; before the first so many, on each.
    """

    def __init__(self, features: int, every: int = 1) -> None:
        self.every = every
        self.on = np.zeros((2, features))
        self.size = np.zeros(2)
        self._order: np.ndarray | None = None

    def see(self, t: int, features: np.ndarray, y: float) -> None:
        """Count an example."""
        side = int(y > 0.0)
        self.on[side, features] += 1.0
        self.size[side] += 1.0
        if t + 1 < self.every or (t + 1) % self.every == 0:
            self._order = None

    def order(self) -> np.ndarray:
        """All features, the largest gain first."""
        if self._order is None:
            found = gain.of_features(self.on[1], self.on[0], self.size[1], self.size[0])
            self._order = np.argsort(-found, kind="stable")
        return self._order

    def best(self, k: int) -> np.ndarray:
        """The first k of them."""
        return self.order()[:k]


class ByGame(ByGain):
    """The game among the CANDIDATES of the largest gain, played anew after every EVERY examples; before that, gain."""

    def __init__(self, on: np.ndarray, y: Floats, counts: Sequence[int]) -> None:
        super().__init__(on.shape[1])
        self.table, self.y, self.counts = on, y, counts
        self.played: dict[int, np.ndarray] = {}
        self._alike: dict[int, list[float]] = {k: [] for k in counts}

    def see(self, t: int, features: np.ndarray, y: float) -> None:
        """Count an example, and play where it is time."""
        super().see(t, features, y)
        if (t + 1) % EVERY == 0:
            among = self.order()[:CANDIDATES]
            M = gain.of_pairs(self.table[: t + 1, among], self.y[: t + 1])
            self.played = {k: among[chosen(M, k)] for k in self.counts}
            for k, features in self.played.items():
                self._alike[k].append(len(np.intersect1d(features, among[:k])) / k)

    def best(self, k: int) -> np.ndarray:
        """What the last game chose."""
        return self.played[k] if k in self.played else super().best(k)

    def alike(self, k: int) -> float:
        """The part of k features of the game that gain would have chosen too, mean over the games; 0 without any."""
        return float(np.mean(self._alike[k] or [0.0]))


def mistakes(
    X: Any, y: Floats, on: np.ndarray, selector: Selector, counts: Sequence[int], whens: Sequence[When]
) -> dict[tuple[When, int], np.ndarray]:
    """Whether PA, with each policy and number of features, was mistaken in each round."""
    lanes = [(when, k) for when in whens for k in counts]
    cautious = np.array([when == "mistake" for when, _ in lanes])
    W, used = np.zeros((on.shape[1], len(lanes))), np.zeros((on.shape[1], len(lanes)), bool)
    wrong = np.zeros((len(y), len(lanes)), bool)
    for t in range(len(y)):
        at, x = row(X, t)
        m = y[t] * (x @ (W[at] * used[at]))
        wrong[t] = m <= 0.0
        selector.see(t, np.flatnonzero(on[t]), float(y[t]))
        for lane in np.flatnonzero(wrong[t] | (~cautious & (m < 1.0))):
            used[:, lane] = False
            used[selector.best(lanes[lane][1]), lane] = True
            some = used[at, lane]
            where, part = at[some], x[some]
            square = float(part @ part)
            loss = 1.0 - y[t] * float(part @ W[where, lane])
            if square > 0.0 and loss > 0.0:
                W[where, lane] += loss / square * y[t] * part
    return {lane: wrong[:, k] for k, lane in enumerate(lanes)}
