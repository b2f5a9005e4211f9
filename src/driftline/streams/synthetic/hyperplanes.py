"""A moving linear target that is known: the comparator in bounds for drifting targets.

    y_t = sign(u_t.x_t), flipped with probability noise;    |x_t| = 1,    |u_t.x_t| >= margin

``target(t)`` returns the unit vector u_t for any t. The path length, the margins and the noise of
a stream are therefore known exactly. `RotatingHyperplane` rotates u by a small angle every round,
`SwitchingHyperplane` redraws it at regular intervals.

Hulten, Spencer, Domingos. Mining Time-Changing Data Streams. KDD 2001 (the moving hyperplane).
Kivinen, Smola, Williamson. Large Margin Classification for Moving Targets. ALT 2002 (targets that
move while a margin is kept).
Differs from the papers: x is uniform on the unit sphere, not in a cube, and the target has no
threshold. All examples therefore have norm 1, and both labels are equally likely. The target
rotates in one plane by a constant angle, where Hulten et al. change single weights. Noise is added
last, so a flipped example has the margin y u.x <= -margin.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.label_noise import flipped
from driftline.streams.synthetic.sphere import directions, orthogonal, points_beyond_margin
from driftline.streams.synthetic.stream import UNIT, Matrix, Stream, Vector

EXAMPLES, TARGETS = 0, 1


class MovingHyperplane(Stream[Matrix]):
    """Examples labelled by a unit vector that changes by round; subclasses define ``target``."""

    def __init__(self, n: int | None, d: int, *, noise: float, margin: float, seed: int, block: int) -> None:
        super().__init__(n, seed=seed, block=block)
        self.d = parameters.whole(self._where, "d", d, 2)
        self.noise = parameters.fraction(self._where, "noise", noise)
        self.margin = parameters.fraction(self._where, "margin", margin)

    @abstractmethod
    def target(self, t: ArrayLike) -> Vector:
        """Return the target of a round.

        Parameters
        ----------
        t : int or array of ints
            The round; the first is 0.

        Returns
        -------
        array
            The unit vector u_t; for an array of rounds, one u_t per row.
        """

    def _pieces(self) -> Iterator[tuple[Matrix, Vector]]:
        rng = self._rng(EXAMPLES)
        for t in count(0, UNIT):
            X, y = points_beyond_margin(rng, self.target(np.arange(t, t + UNIT)), self.margin)
            yield X, flipped(rng, y, self.noise)


class RotatingHyperplane(MovingHyperplane):
    """A target that rotates by the same angle every round, in a random plane: slow, steady drift.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    d : int, default=10
        Number of features, at least 2.
    angle : float, default=0.001
        Angle between the targets of two successive rounds, in radians, from 0 (no drift) to pi.
        The path length per round is ``2 sin(angle / 2)``.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    margin : float, default=0.0
        Minimum distance of an example from the target's hyperplane, in [0, 1), up to rounding.
        Rejected examples do not count as rounds.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = RotatingHyperplane(n=1000, d=4, angle=0.01, margin=0.1, seed=1)
    >>> [(X, y)] = stream
    >>> U = stream.target(range(1000))
    >>> bool((y * (X * U).sum(axis=1) > 0.0999).all())
    True
    >>> round(float(stream.target(0) @ stream.target(100)), 6)  # cos(100 * 0.01)
    0.540302
    """

    def __init__(
        self,
        n: int | None = 10_000,
        d: int = 10,
        *,
        angle: float = 0.001,
        noise: float = 0.0,
        margin: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, d, noise=noise, margin=margin, seed=seed, block=block)
        self.angle = parameters.finite(self._where, "angle", angle)
        parameters.require(0.0 <= self.angle <= math.pi, self._where, "angle must be in [0, pi]", angle)
        rng = self._rng(TARGETS)
        first = directions(rng, 1, self.d)
        self._plane = np.concatenate([first, orthogonal(rng, first)])

    def target(self, t: ArrayLike) -> Vector:
        """Return u_t = cos(angle t) a + sin(angle t) b, where (a, b) is a basis of the plane."""
        turned = self.angle * parameters.rounds(self._where, t)
        a, b = self._plane
        u: Vector = np.cos(turned)[..., None] * a + np.sin(turned)[..., None] * b
        return u


class SwitchingHyperplane(MovingHyperplane):
    """A target that is redrawn, uniformly and independently, every ``every`` rounds: sudden drift.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    d : int, default=10
        Number of features, at least 2.
    every : int, default=1000
        Number of rounds between two switches: round t has the target number ``t // every``.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    margin : float, default=0.0
        Minimum distance of an example from the target's hyperplane, in [0, 1), up to rounding.
        Rejected examples do not count as rounds.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = SwitchingHyperplane(n=None, d=20, every=500, seed=1)
    >>> u = stream.target([0, 499, 500, 999])
    >>> bool((u[0] == u[1]).all()), bool((u[1] == u[2]).any()), bool((u[2] == u[3]).all())
    (True, False, True)
    """

    def __init__(
        self,
        n: int | None = 10_000,
        d: int = 10,
        *,
        every: int = 1000,
        noise: float = 0.0,
        margin: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, d, noise=noise, margin=margin, seed=seed, block=block)
        self.every = parameters.whole(self._where, "every", every, 1)

    def target(self, t: ArrayLike) -> Vector:
        """Return target number ``t // every``; each number has its own generator."""
        number = parameters.rounds(self._where, t) // self.every
        numbers, which = np.unique(number.ravel(), return_inverse=True)
        U = [directions(self._rng(TARGETS, int(k)), 1, self.d) for k in numbers]
        return np.concatenate([np.empty((0, self.d)), *U])[which].reshape(*number.shape, self.d)
