"""The digits of a seven-segment display, among irrelevant attributes that change places with them.

    digit uniform in 0..9;    segment i is that of the digit, inverted with probability noise
    17 further attributes are fair coins;    every ``every`` rounds, ``swaps`` segments change places
    with as many of the coins

Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984, chapter 2.
Bifet, Holmes, Kirkby, Pfahringer. MOA: Massive Online Analysis. JMLR 11 (2010) (attributes that
change places).
Differs from the papers: MOA exchanges attributes once. Here they are exchanged after every
interval.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.stream import UNIT, Labels, Matrix, Stream

EXAMPLES, CONCEPTS = 0, 1
DIGITS, RELEVANT, ATTRIBUTES = 10, 7, 24
LIT = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)
"""The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom."""
SEGMENTS = np.array([[segment == "1" for segment in digit] for digit in LIT])


class LED(Stream[Matrix]):
    """Ten digits by 24 attributes of 0 and 1, of which seven matter; their places change.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    noise : float, default=0.1
        Probability that a segment is inverted, in [0, 1).
    every : int, default=1000
        Number of rounds between two changes.
    swaps : int, default=3
        Number of segments that change places with irrelevant attributes, from 0 (no drift) to 7.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = LED(n=2000, noise=0.0, seed=1)
    >>> (X, y), _ = stream
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 24), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    >>> columns = stream.concepts()
    >>> next(columns).tolist(), len(set(next(columns).tolist()) & set(range(7)))
    ([0, 1, 2, 3, 4, 5, 6], 4)
    >>> X[y == 1][:, :7].mean(axis=0).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    >>> round(LED(noise=0.1).bayes_error, 2)
    0.26
    """

    def __init__(
        self,
        n: int | None = 10_000,
        *,
        noise: float = 0.1,
        every: int = 1000,
        swaps: int = 3,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.noise = parameters.fraction(self._where, "noise", noise)
        self.every = parameters.whole(self._where, "every", every, 1)
        self.swaps = parameters.whole(self._where, "swaps", swaps, 0)
        parameters.require(self.swaps <= RELEVANT, self._where, f"swaps must be <= {RELEVANT}", swaps)

    @property
    def bayes_error(self) -> float:
        """The error of the best rule, which knows the places of the segments."""
        patterns = (np.arange(2**RELEVANT)[:, None] >> np.arange(RELEVANT)) & 1
        inverted = (patterns[:, None, :] != SEGMENTS).sum(axis=2)
        p = self.noise**inverted * (1.0 - self.noise) ** (RELEVANT - inverted)
        return float(1.0 - p.max(axis=1).sum() / DIGITS)

    def concepts(self) -> Iterator[NDArray[np.intp]]:
        """Yield the columns of the seven segments in each interval of ``every`` rounds, without end.

        Yields
        ------
        array of shape (7,)
            The columns of the segments: top, upper left, upper right, middle, lower left, lower
            right, bottom.
        """
        rng = self._rng(CONCEPTS)
        columns = np.arange(RELEVANT)
        while True:
            yield columns.copy()
            irrelevant = np.setdiff1d(np.arange(ATTRIBUTES), columns)
            columns[rng.permutation(RELEVANT)[: self.swaps]] = rng.permutation(irrelevant)[: self.swaps]

    def _pieces(self) -> Iterator[tuple[Matrix, Labels]]:
        rng = self._rng(EXAMPLES)
        for columns in self.concepts():
            for start in range(0, self.every, UNIT):
                yield self._examples(rng, columns, min(UNIT, self.every - start))

    def _examples(self, rng: np.random.Generator, columns: NDArray[np.intp], size: int) -> tuple[Matrix, Labels]:
        """Draw digits, and an example of each."""
        digit = rng.integers(DIGITS, size=size)
        X = rng.integers(2, size=(size, ATTRIBUTES)).astype(np.float64)
        X[:, columns] = SEGMENTS[digit] != (rng.random((size, RELEVANT)) < self.noise)
        return X, digit
