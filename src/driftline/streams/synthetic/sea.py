"""SEA concepts: an abruptly changing threshold on the sum of two features out of three.

    y = +1 if x1 + x2 <= theta else -1,    x1, x2, x3 uniform in [0, 10]
    theta = 8, 9, 7, 9.5 in turn

Street, Kim. A Streaming Ensemble Algorithm (SEA) for Large-Scale Classification. KDD 2001.
Differs from the paper: its class noise of about 10% is read as flipping each label with
probability 0.1. There is no hold-out set. With ``every``, the first concept follows the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.label_noise import flipped
from driftline.streams.synthetic.stream import UNIT, Matrix, Stream, Vector


class SEA(Stream[Matrix]):
    """Three features, of which the third is irrelevant, and four thresholds in turn: sudden drift.

    A linear learner needs a bias feature here, since the boundaries do not pass through the
    origin.

    Parameters
    ----------
    n : int or None, default=60_000
        Number of examples; None for an endless stream, which requires ``every``.
    noise : float, default=0.1
        Probability that a label is flipped, in [0, 1).
    every : int or None, default=None
        Number of examples per concept. None divides n equally among the thresholds.
    thetas : sequence of floats, default=(8.0, 9.0, 7.0, 9.5)
        The thresholds, one per concept.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = SEA(n=4000, noise=0.0)
    >>> [float(stream.theta(t)) for t in (0, 999, 1000, 2000, 3999)]
    [8.0, 8.0, 9.0, 7.0, 9.5]
    >>> for X, y in stream:
    ...     print(X.shape, bool((X[y > 0, 0] + X[y > 0, 1]).max() <= 9.5))
    (1000, 3) True
    (1000, 3) True
    (1000, 3) True
    (1000, 3) True
    """

    def __init__(
        self,
        n: int | None = 60_000,
        *,
        noise: float = 0.1,
        every: int | None = None,
        thetas: Sequence[float] = (8.0, 9.0, 7.0, 9.5),
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.noise = parameters.fraction(self._where, "noise", noise)
        parameters.require(
            n is not None or every is not None,
            self._where,
            "every must be a number when n is None",
            every,
            "Give the length of a concept, such as every=15000.",
        )
        self.every = None if every is None else parameters.whole(self._where, "every", every, 1)
        self.thetas = tuple(parameters.finite(self._where, "every theta", theta) for theta in thetas)
        parameters.require(len(self.thetas) > 0, self._where, "thetas must hold at least one number", thetas)

    @property
    def identity(self) -> dict[str, Any]:
        """The class and its parameters; n too if it determines the length of a concept."""
        return super().identity | ({"n": self.n} if self.every is None else {})

    def theta(self, t: ArrayLike) -> Vector:
        """Return the threshold at example t.

        Parameters
        ----------
        t : int or array of ints
            The number of the example; the first is 0.

        Returns
        -------
        array
            The threshold; for an array of examples, one threshold each.
        """
        t = parameters.rounds(self._where, t)
        concepts = len(self.thetas)
        number = t * concepts // len(self) if self.every is None else t // self.every
        return np.asarray(self.thetas)[number % concepts]

    def _pieces(self) -> Iterator[tuple[Matrix, Vector]]:
        rng = self._rng()
        for t in count(0, UNIT):
            X = rng.uniform(0.0, 10.0, (UNIT, 3))
            y = np.where(X[:, 0] + X[:, 1] <= self.theta(np.arange(t, t + UNIT)), 1.0, -1.0)
            yield X, flipped(rng, y, self.noise)
