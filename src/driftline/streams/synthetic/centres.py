"""Several classes of Gaussians whose centres move in straight lines inside a cube.

    p_t(x | class k) = mean over the components j of N(x; c_kj(t), sd^2 I)
    c_kj(t) = c_kj(0) + speed t v_kj, reflected at the sides of [-1, 1]^d

The centres c(0) are uniform in the cube, the directions v uniform on the unit sphere, and all
classes are equally likely.

Bifet, Holmes, Pfahringer, Kirkby, Gavalda. New Ensemble Methods for Evolving Data Streams. KDD 2009
(the random RBF generator with drift).
Differs from the paper: all components have the same weight and the same spread, each class has
equally many, and every component moves. The cube is [-1, 1]^d, not [0, 1]^d.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.class_labels import as_labels
from driftline.streams.synthetic.label_noise import replaced
from driftline.streams.synthetic.mixtures import reflected
from driftline.streams.synthetic.sphere import directions
from driftline.streams.synthetic.stream import UNIT, Labels, Matrix, Stream, Vector

EXAMPLES, CENTRES = 0, 1
BOX = 1.0
"""The centres stay in [-BOX, BOX]^d."""


class MovingCentres(Stream[Matrix]):
    """Classes made of Gaussians whose centres move at a constant speed: slow, steady drift.

    This is the random RBF stream of other libraries, with the same number of Gaussians per class.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    d : int, default=10
        Number of features.
    classes : int, default=5
        Number of classes, at least 2. The labels are 0 to ``classes - 1``; with two classes they
        are -1.0 and +1.0.
    components : int, default=2
        Number of Gaussians per class.
    speed : float, default=0.001
        Distance that every centre moves in a round; 0 for no drift.
    sd : float, default=0.3
        Standard deviation of every Gaussian, in each coordinate.
    noise : float, default=0.0
        Probability that a label is replaced by another class, in [0, 1).
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> import numpy as np
    >>> stream = MovingCentres(n=1000, d=3, classes=4, sd=0.05, speed=0.01, seed=1)
    >>> [(X, y)] = stream
    >>> y.dtype.name, sorted(set(y.tolist()))
    ('int64', [0, 1, 2, 3])
    >>> float(np.mean(y == stream.target(X, range(1000)))) > 0.95
    True
    >>> stream.centres([0, 500, 1000]).shape
    (3, 4, 2, 3)
    """

    def __init__(
        self,
        n: int | None = 10_000,
        d: int = 10,
        *,
        classes: int = 5,
        components: int = 2,
        speed: float = 0.001,
        sd: float = 0.3,
        noise: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.d = parameters.whole(self._where, "d", d, 1)
        self.classes = parameters.whole(self._where, "classes", classes, 2)
        self.components = parameters.whole(self._where, "components", components, 1)
        self.speed = parameters.not_negative(self._where, "speed", speed)
        self.sd = parameters.positive(self._where, "sd", sd)
        self.noise = parameters.fraction(self._where, "noise", noise)
        rng = self._rng(CENTRES)
        shape = (self.classes, self.components, self.d)
        self._start = rng.uniform(-BOX, BOX, shape)
        self._direction = directions(rng, self.classes * self.components, self.d).reshape(shape)

    def centres(self, t: ArrayLike) -> Vector:
        """Return the centres of all Gaussians in a round.

        Parameters
        ----------
        t : int or array of ints
            The round; the first is 0.

        Returns
        -------
        array of shape (classes, components, d)
            The centres; for an array of rounds, one such array per round.
        """
        moved = self.speed * parameters.rounds(self._where, t)[..., None, None, None]
        return reflected(self._start + moved * self._direction, BOX)

    def target(self, X: ArrayLike, t: ArrayLike) -> Labels:
        """Return the label of the most likely class of each row of X, before label noise.

        Parameters
        ----------
        X : array of shape (rows, d)
            Examples.
        t : int or array of ints
            The round, or one round per row; the first is 0.

        Returns
        -------
        array
            One label per row: the Bayes rule.
        """
        points = parameters.examples(self._where, X, self.d)
        centres = self.centres(parameters.rounds_of_rows(self._where, t, len(points)))
        offset = (points[:, None, None, :] - centres) / self.sd
        log_p = np.logaddexp.reduce(-0.5 * np.einsum("rkjd,rkjd->rkj", offset, offset), axis=2)
        return as_labels(log_p.argmax(axis=1), self.classes)

    def _pieces(self) -> Iterator[tuple[Matrix, Labels]]:
        rng = self._rng(EXAMPLES)
        for t in count(0, UNIT):
            number: NDArray[np.int64] = rng.integers(self.classes, size=UNIT)
            drawn = number, rng.integers(self.components, size=UNIT)
            moved = self.speed * np.arange(t, t + UNIT)[:, None]
            centre = reflected(self._start[drawn] + moved * self._direction[drawn], BOX)
            X = centre + self.sd * rng.standard_normal((UNIT, self.d))
            yield X, as_labels(replaced(rng, number, self.classes, self.noise), self.classes)
