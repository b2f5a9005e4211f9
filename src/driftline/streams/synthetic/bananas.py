"""Two interleaved bananas that turn about their common centre: a curved target.

    x_t = R(angle t) (y_t (cos a - 1/2, sin a - 1/4) + sd z),    a uniform in [0, pi],  z ~ N(0, I)

R is the rotation by an angle, and both labels are equally likely. The arc of -1 is the arc of +1
turned by pi, so half a turn exchanges the classes: a rule that was right is then wrong everywhere.

Rätsch, Onoda, Müller. Soft Margins for AdaBoost. Machine Learning 42 (2001) (the banana data).
Differs from the paper: the bananas are half-circles, and they turn. Label noise is added last.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import numpy as np

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.label_noise import flipped
from driftline.streams.synthetic.rotation import rotated
from driftline.streams.synthetic.stream import UNIT, Matrix, Stream, Vector


class RotatingBananas(Stream[Matrix]):
    """Two half-circles with Gaussian spread that turn by the same angle every round: slow drift.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    angle : float, default=0.001
        Angle by which both shapes turn every round, in radians, from 0 (no drift) to pi.
    sd : float, default=0.15
        Standard deviation of the spread around the half-circles, which have radius 1; >= 0.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> import numpy as np
    >>> stream = RotatingBananas(n=1000, angle=np.pi / 500, sd=0.0)
    >>> stream.arcs(0, points=3).round(2).tolist()  # of the class +1, then of -1
    [[[0.5, -0.25], [-0.5, 0.75], [-1.5, -0.25]], [[-0.5, 0.25], [0.5, -0.75], [1.5, 0.25]]]
    >>> bool(np.allclose(stream.arcs(500)[0], stream.arcs(0)[1]))
    True
    >>> [(X, y)] = stream
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 2), [-1.0, 1.0])
    """

    def __init__(
        self,
        n: int | None = 10_000,
        *,
        angle: float = 0.001,
        sd: float = 0.15,
        noise: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.angle = parameters.finite(self._where, "angle", angle)
        parameters.require(0.0 <= self.angle <= math.pi, self._where, "angle must be in [0, pi]", angle)
        self.sd = parameters.not_negative(self._where, "sd", sd)
        self.noise = parameters.fraction(self._where, "noise", noise)

    def arcs(self, t: int, points: int = 100) -> Vector:
        """Return points on the two half-circles in a round, at equal distances.

        The density of a class is close to the mean of Gaussians with these means, if ``points`` is
        large.

        Parameters
        ----------
        t : int
            The round; the first is 0.
        points : int, default=100
            Number of points per half-circle, at least 2.

        Returns
        -------
        array of shape (2, points, 2)
            The half-circle of the class +1, then that of -1.
        """
        t = parameters.whole(self._where, "t", t, 0)
        points = parameters.whole(self._where, "points", points, 2)
        arc = half_circle(np.linspace(0.0, math.pi, points))
        return rotated(np.stack([arc, -arc]), self.angle * t)

    def _pieces(self) -> Iterator[tuple[Matrix, Vector]]:
        rng = self._rng()
        for t in count(0, UNIT):
            y = np.where(rng.integers(2, size=UNIT) == 1, 1.0, -1.0)
            X = y[:, None] * half_circle(rng.uniform(0.0, math.pi, UNIT)) + self.sd * rng.standard_normal((UNIT, 2))
            yield rotated(X, self.angle * np.arange(t, t + UNIT)), flipped(rng, y, self.noise)


def half_circle(a: Vector) -> Matrix:
    """Return the points of the half-circle of the class +1 at the angles a, before any turn."""
    return np.stack([np.cos(a) - 0.5, np.sin(a) - 0.25], axis=-1)
