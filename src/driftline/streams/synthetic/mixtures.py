"""Two Gaussian mixtures, one per class, with moving means and a gap at the Bayes boundary.

    p(x | y) = mean over the components k of N(x; mu_yk, sd^2 I),    mu_yk in [-box, box]^d
    x is kept if  y (log p(x | +1) - log p(x | -1)) > keep

At any time the current Bayes rule makes no mistake, but no fixed rule stays accurate for long.

Kivinen, Smola, Williamson. Large Margin Classification for Moving Targets. ALT 2002, section 5.
Differs from the paper: the paper specifies two dimensions, one mixture per class, the purpose of
the filter, the intervals of 10 and 1000 trials, and 10,000 trials. The rest is our choice: two
equally likely components per class; means uniform in the square; sd = 0.3; keep = 1; steps of
N(0, 0.05^2) in each coordinate, with reflection at the sides. "A very large change" redraws all
means. The label is drawn first, then x until one is kept, so both labels are equally likely.
A concept is rejected if fewer than 2 of 200 draws in either class are kept. A switching stream
then redraws the means, a drifting stream redraws the step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.stream import UNIT, Matrix, Stream, Vector

EXAMPLES, CONCEPTS = 0, 1
TRIES, LEAST = 200, 2
"""Number of test draws per class for a new concept, and how many of them must be kept."""
REFUSALS = 1000
"""Number of concepts rejected in a row before an error is raised."""
AT_ONCE = 8
"""Number of candidates drawn at once for an example; the first one kept is used."""


class MovingMixtures(Stream[Matrix]):
    """Examples of two mixtures whose means change every ``every`` trials; see the subclasses."""

    def __init__(
        self,
        n: int | None,
        *,
        every: int,
        d: int,
        components: int,
        box: float,
        sd: float,
        keep: float,
        seed: int,
        block: int,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.every = parameters.whole(self._where, "every", every, 1)
        self.d = parameters.whole(self._where, "d", d, 1)
        self.components = parameters.whole(self._where, "components", components, 1)
        self.box = parameters.positive(self._where, "box", box)
        self.sd = parameters.positive(self._where, "sd", sd)
        self.keep = parameters.not_negative(self._where, "keep", keep)
        next(self.concepts())  # raises if no concept is possible with these parameters

    @abstractmethod
    def _moved(self, rng: np.random.Generator, means: Vector) -> Vector:
        """Return the next means."""

    def concepts(self) -> Iterator[Vector]:
        """Yield the means of each interval of ``every`` trials, without end.

        Yields
        ------
        array of shape (2, components, d)
            The means of the class +1, then those of -1.
        """
        rng = self._rng(CONCEPTS)
        means = self._first_usable(rng, None)
        while True:
            yield means
            means = self._first_usable(rng, means)

    def log_odds(self, X: Matrix, means: Vector) -> Vector:
        """Return log p(x | +1) - log p(x | -1) for each row x of X.

        Parameters
        ----------
        X : array of shape (rows, d)
            Examples.
        means : array of shape (2, components, d)
            Means as ``concepts`` yields them.

        Returns
        -------
        array
            One number per row, positive where the Bayes rule predicts +1.
        """
        offset = (X - means[:, :, None, :]) / self.sd
        log_p = np.logaddexp.reduce(-0.5 * np.einsum("skid,skid->ski", offset, offset), axis=1)
        odds: Vector = log_p[0] - log_p[1]
        return odds

    def _first_usable(self, rng: np.random.Generator, last: Vector | None) -> Vector:
        """Draw successors of the last means until one is usable."""
        for _ in range(REFUSALS):
            means = self._uniform_means(rng) if last is None else self._moved(rng, last)
            if self._usable(rng, means):
                return means
        what = "box, sd and keep must leave room between the classes"
        raise ValueError(
            f"{self._where}: {what}, got {self.box!r}, {self.sd!r} and {self.keep!r}. "
            "Use a smaller sd or keep, or a larger box."
        )

    def _uniform_means(self, rng: np.random.Generator) -> Vector:
        """Draw means uniformly in the box."""
        return rng.uniform(-self.box, self.box, (2, self.components, self.d))

    def _usable(self, rng: np.random.Generator, means: Vector) -> bool:
        """Return whether enough of TRIES test draws in each class are kept."""
        y = np.repeat([1.0, -1.0], TRIES)
        _, kept = self._tried(rng, means, y)
        return bool(kept.reshape(2, TRIES).sum(axis=1).min() >= LEAST)

    def _tried(self, rng: np.random.Generator, means: Vector, y: Vector) -> tuple[Matrix, NDArray[np.bool_]]:
        """Draw one x for each label; return them and a mask of those that are kept."""
        component = rng.integers(self.components, size=len(y))
        centre = means[np.where(y > 0.0, 0, 1), component]
        X = centre + self.sd * rng.standard_normal((len(y), self.d))
        return X, y * self.log_odds(X, means) > self.keep

    def _examples(self, rng: np.random.Generator, means: Vector, size: int) -> tuple[Matrix, Vector]:
        """Draw labels, and for each label draw x until one is kept."""
        y = np.where(rng.integers(2, size=size) == 1, 1.0, -1.0)
        X = np.empty((size, self.d))
        left = np.arange(size)
        while len(left):
            tried, kept = self._tried(rng, means, np.repeat(y[left], AT_ONCE))
            kept = kept.reshape(len(left), AT_ONCE)
            found = kept.any(axis=1)
            first = kept.argmax(axis=1)
            X[left[found]] = tried.reshape(len(left), AT_ONCE, self.d)[found, first[found]]
            left = left[~found]
        return X, y

    def _pieces(self) -> Iterator[tuple[Matrix, Vector]]:
        rng = self._rng(EXAMPLES)
        for means in self.concepts():
            for start in range(0, self.every, UNIT):
                yield self._examples(rng, means, min(UNIT, self.every - start))


class DriftingMixtures(MovingMixtures):
    """Every mean takes a small random step every ``every`` trials: slow drift.

    Means are reflected at the sides of the box.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    every : int, default=10
        Number of trials between two steps.
    drift : float, default=0.05
        Standard deviation of a step, in each coordinate of each mean.
    d : int, default=2
        Number of features.
    components : int, default=2
        Number of Gaussians per class.
    box : float, default=1.0
        The means stay in [-box, box]^d.
    sd : float, default=0.3
        Standard deviation of every Gaussian.
    keep : float, default=1.0
        An example is kept only if the log odds in favour of its label exceed this value; >= 0.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = DriftingMixtures(n=1000, seed=3)
    >>> [(X, y)] = stream
    >>> means = next(stream.concepts())
    >>> means.shape, bool((y[:10] * stream.log_odds(X[:10], means) > 1.0).all())
    ((2, 2, 2), True)
    """

    def __init__(
        self,
        n: int | None = 10_000,
        *,
        every: int = 10,
        drift: float = 0.05,
        d: int = 2,
        components: int = 2,
        box: float = 1.0,
        sd: float = 0.3,
        keep: float = 1.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, every=every, d=d, components=components, box=box, sd=sd, keep=keep, seed=seed, block=block)
        self.drift = parameters.not_negative(self._where, "drift", drift)

    def _moved(self, rng: np.random.Generator, means: Vector) -> Vector:
        return reflected(means + self.drift * rng.standard_normal(means.shape), self.box)


class SwitchingMixtures(MovingMixtures):
    """All means are redrawn every ``every`` trials: sudden drift.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    every : int, default=1000
        Number of trials between two switches.
    d : int, default=2
        Number of features.
    components : int, default=2
        Number of Gaussians per class.
    box : float, default=1.0
        The means are uniform in [-box, box]^d.
    sd : float, default=0.3
        Standard deviation of every Gaussian.
    keep : float, default=1.0
        An example is kept only if the log odds in favour of its label exceed this value; >= 0.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> stream = SwitchingMixtures(n=3000, seed=3)
    >>> for (X, y), means in zip(stream, stream.concepts()):
    ...     print(X.shape, bool((y * stream.log_odds(X, means) > 1.0).all()))
    (1000, 2) True
    (1000, 2) True
    (1000, 2) True
    """

    def __init__(
        self,
        n: int | None = 10_000,
        *,
        every: int = 1000,
        d: int = 2,
        components: int = 2,
        box: float = 1.0,
        sd: float = 0.3,
        keep: float = 1.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, every=every, d=d, components=components, box=box, sd=sd, keep=keep, seed=seed, block=block)

    def _moved(self, rng: np.random.Generator, means: Vector) -> Vector:
        return self._uniform_means(rng)


def reflected(position: Vector, box: float) -> Vector:
    """Reflect positions at the ends of [-box, box] until they are inside."""
    turn = np.mod(position + box, 4.0 * box)
    return np.minimum(turn, 4.0 * box - turn) - box
