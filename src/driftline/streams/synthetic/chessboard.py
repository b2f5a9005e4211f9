"""A chessboard that turns and shifts: a curved target for kernels, without any linear part.

    y_t = +1 if floor(cells b1) + floor(cells b2) is even else -1, flipped with probability noise
    b = m + R(-angle t) (x_t - m) - shift t v,    x_t uniform in the unit square,    m = (1/2, 1/2)

R(a) is the rotation by a, and v a random unit vector. At t = 0 the board fits the square.

Elwell, Polikar. Incremental Learning of Concept Drift in Nonstationary Environments. IEEE
Transactions on Neural Networks 22 (2011) (the rotating checkerboard).
Differs from the paper: the board turns about the centre of the square in every round, and may also
shift. The paper rotates the board between batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.label_noise import flipped
from driftline.streams.synthetic.rotation import rotated
from driftline.streams.synthetic.sphere import directions
from driftline.streams.synthetic.stream import UNIT, Matrix, Stream, Vector

EXAMPLES, BOARD = 0, 1
CENTRE = 0.5


class MovingChessboard(Stream[Matrix]):
    """Points in the unit square, labelled by the colour of a cell; the board turns and shifts.

    On a board of 4 by 4 cells, no linear rule is much better than chance. If ``cells`` is even and
    ``shift`` is 0, both labels are equally likely in every round, and a quarter turn exchanges the
    colours. The error of the best rule is ``min(noise, 1 - noise)``.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    cells : int, default=4
        Number of cells along a side of the square, at least 2.
    angle : float, default=0.001
        Angle by which the board turns about the centre of the square every round, in radians, from
        0 to pi.
    shift : float, default=0.0
        Distance by which the board moves every round, in sides of the square. The direction is
        random; it is fixed with respect to the board, and turns with it.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> import math
    >>> stream = MovingChessboard(n=1000, cells=2, angle=math.pi / 2000, seed=1)
    >>> [(X, y)] = stream
    >>> bool((y == stream.target(X, range(1000))).all())
    True
    >>> corners = [[0.1, 0.1], [0.1, 0.9], [0.9, 0.9]]
    >>> stream.target(corners, 0).tolist(), stream.target(corners, 1000).tolist()
    ([1.0, -1.0, 1.0], [-1.0, 1.0, -1.0])
    """

    def __init__(
        self,
        n: int | None = 10_000,
        *,
        cells: int = 4,
        angle: float = 0.001,
        shift: float = 0.0,
        noise: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.cells = parameters.whole(self._where, "cells", cells, 2)
        self.angle = parameters.finite(self._where, "angle", angle)
        parameters.require(0.0 <= self.angle <= math.pi, self._where, "angle must be in [0, pi]", angle)
        self.shift = parameters.not_negative(self._where, "shift", shift)
        self.noise = parameters.fraction(self._where, "noise", noise)
        self._direction = directions(self._rng(BOARD), 1, 2)

    def target(self, X: ArrayLike, t: ArrayLike) -> Vector:
        """Return the label of each row of X, without noise.

        Parameters
        ----------
        X : array of shape (rows, 2)
            Points of the plane.
        t : int or array of ints
            The round, or one round per row; the first is 0.

        Returns
        -------
        array
            +1.0 for an even cell, -1.0 for an odd one.
        """
        points = parameters.examples(self._where, X, 2)
        return self._colours(points, parameters.rounds_of_rows(self._where, t, len(points)))

    def _colours(self, X: Matrix, t: NDArray[np.int64]) -> Vector:
        on_board = CENTRE + rotated(X - CENTRE, -self.angle * t) - self.shift * t[:, None] * self._direction
        parity = np.floor(self.cells * on_board).sum(axis=1) % 2.0
        return np.where(parity == 0.0, 1.0, -1.0)

    def _pieces(self) -> Iterator[tuple[Matrix, Vector]]:
        rng = self._rng(EXAMPLES)
        for t in count(0, UNIT):
            X = rng.random((UNIT, 2))
            yield X, flipped(rng, self._colours(X, np.arange(t, t + UNIT)), self.noise)
