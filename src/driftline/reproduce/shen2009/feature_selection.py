"""Feature selection for PA: select the k best features before each update, and train PA on them.

The weights of features that are not selected are kept and used again when the feature is selected
again. All numbers of features and both policies are processed in one pass over the stream, as
columns of a weight matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from driftline.features import game, pair_gain
from driftline.features.counted_gain import of_on_and_off
from driftline.internals.compiled import Floats
from driftline.reproduce.shen2009.data import row
from driftline.rules.rule import When

CANDIDATES, EVERY = 256, 50
"""Number of features in the game, and number of examples between two games."""


class Selector(Protocol):
    """A method of feature selection."""

    def observe(self, t: int, features: np.ndarray, y: float) -> None:
        """Observe example t, given by the features that are on and the label."""
        ...

    def best(self, k: int) -> np.ndarray:
        """Return the k features to use now."""
        ...


class ByGain:
    """Select the features with the largest information gain over all examples so far.

    Ties are broken by the lower index. The ranking is updated after every ``every`` examples, and
    after each one of the first ``every`` examples.
    """

    def __init__(self, features: int, every: int = 1) -> None:
        self.every = every
        self.on = np.zeros((2, features))
        self.size = np.zeros(2)
        self._order: np.ndarray | None = None

    def observe(self, t: int, features: np.ndarray, y: float) -> None:
        """Add an example to the counts."""
        side = int(y > 0.0)
        self.on[side, features] += 1.0
        self.size[side] += 1.0
        if t + 1 < self.every or (t + 1) % self.every == 0:
            self._order = None

    def order(self) -> np.ndarray:
        """Return all features, largest gain first."""
        if self._order is None:
            found = of_on_and_off(self.on[::-1], self.size[::-1])
            self._order = np.argsort(-found, kind="stable")
        return self._order

    def best(self, k: int) -> np.ndarray:
        """Return the k features with the largest gain."""
        return self.order()[:k]


class ByGame(ByGain):
    """Select features by the game among the CANDIDATES features of the largest gain.

    The game is played again after every EVERY examples. Before the first game, features are
    selected by information gain.
    """

    def __init__(self, on: np.ndarray, y: Floats, counts: Sequence[int]) -> None:
        super().__init__(on.shape[1])
        self.table, self.y, self.counts = on, y, counts
        self.played: dict[int, np.ndarray] = {}
        self._alike: dict[int, list[float]] = {k: [] for k in counts}

    def observe(self, t: int, features: np.ndarray, y: float) -> None:
        """Add an example to the counts, and play the game after every EVERY examples."""
        super().observe(t, features, y)
        if (t + 1) % EVERY == 0:
            among = self.order()[:CANDIDATES]
            M = pair_gain(self.table[: t + 1, among], self.y[: t + 1])
            self.played = {k: among[game(M, k).features] for k in self.counts}
            for k, features in self.played.items():
                self._alike[k].append(len(np.intersect1d(features, among[:k])) / k)

    def best(self, k: int) -> np.ndarray:
        """Return the features chosen in the last game, or by gain before the first game."""
        return self.played[k] if k in self.played else super().best(k)

    def alike(self, k: int) -> float:
        """Return the mean fraction of the game's k features that information gain also selects.

        It is 0 if no game was played.
        """
        return float(np.mean(self._alike[k] or [0.0]))


def mistakes(
    X: Any, y: Floats, on: np.ndarray, selector: Selector, counts: Sequence[int], whens: Sequence[When]
) -> dict[tuple[When, int], np.ndarray]:
    """Return, for each policy and number of features, the rounds in which PA made a mistake."""
    columns = [(when, k) for when in whens for k in counts]
    on_mistake = np.array([when == "mistake" for when, _ in columns])
    W, used = np.zeros((on.shape[1], len(columns))), np.zeros((on.shape[1], len(columns)), bool)
    wrong = np.zeros((len(y), len(columns)), bool)
    for t in range(len(y)):
        at, x = row(X, t)
        m = y[t] * (x @ (W[at] * used[at]))
        wrong[t] = m <= 0.0
        selector.observe(t, np.flatnonzero(on[t]), float(y[t]))
        for column in np.flatnonzero(wrong[t] | (~on_mistake & (m < 1.0))):
            used[:, column] = False
            used[selector.best(columns[column][1]), column] = True
            some = used[at, column]
            where, part = at[some], x[some]
            square = float(part @ part)
            loss = 1.0 - y[t] * float(part @ W[where, column])
            if square > 0.0 and loss > 0.0:
                W[where, column] += loss / square * y[t] * part
    return {key: wrong[:, k] for k, key in enumerate(columns)}
