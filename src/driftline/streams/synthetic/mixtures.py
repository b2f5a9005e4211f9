"""Two Gaussian mixtures, one a class, whose means move; examples near the Bayes boundary are left out.

    p(x | y) = mean over the components k of N(x; mu_yk, sd^2 I),    mu_yk in [-box, box]^d
    x is kept if  y (log p(x | +1) - log p(x | -1)) > keep

so the Bayes rule of the moment makes no mistake, and no fixed rule does well for long.

Kivinen, Smola, Williamson. Large Margin Classification for Moving Targets. ALT 2002, section 5.
Differs from the paper: it gives two dimensions, one mixture a class, the filter's purpose, the intervals of
10 and 1000 trials and 10,000 trials. The rest is our choice: two equally likely components a class, means
uniform in the square, sd = 0.3, keep = 1, a step of N(0, 0.05^2) for each coordinate with reflection at the
sides; "a very large change" is all means drawn anew; the label is drawn first and x until one is kept, so
both labels are equally likely.
A concept so crowded that of 200 tries in either class fewer than 2 are kept is refused and drawn again: a
switching stream draws other means, a drifting one another step from the last means.
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
"""Tries in each class that judge a concept, and how many must be kept."""
REFUSALS = 1000
"""Concepts refused one after the other before the parameters are blamed."""
AT_ONCE = 8
"""Tries drawn together for an example; the first that is kept counts."""


class MovingMixtures(Stream[Matrix]):
    """Examples of two mixtures whose means change every so many trials; a subclass says how."""

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
        next(self.concepts())  # complains of parameters that no concept can meet

    @abstractmethod
    def _moved(self, rng: np.random.Generator, means: Vector) -> Vector:
        """Return the means that follow."""

    def concepts(self) -> Iterator[Vector]:
        """Yield the means of the first ``every`` trials, of the next, and so on without end.

        Each is an array (2, components, d): first the means of +1, then those of -1.
        """
        rng = self._rng(CONCEPTS)
        means = self._first_usable(rng, None)
        while True:
            yield means
            means = self._first_usable(rng, means)

    def log_odds(self, X: Matrix, means: Vector) -> Vector:
        """Return log p(x | +1) - log p(x | -1) for each row x of X: positive where the Bayes rule says +1."""
        offset = (X - means[:, :, None, :]) / self.sd
        log_p = np.logaddexp.reduce(-0.5 * np.einsum("skid,skid->ski", offset, offset), axis=1)
        odds: Vector = log_p[0] - log_p[1]
        return odds

    def _first_usable(self, rng: np.random.Generator, last: Vector | None) -> Vector:
        """Draw means that may follow the last ones until they are usable."""
        for _ in range(REFUSALS):
            means = self._anywhere(rng) if last is None else self._moved(rng, last)
            if self._usable(rng, means):
                return means
        what = "box, sd and keep must leave room between the classes"
        raise ValueError(
            f"{self._where}: {what}, got {self.box!r}, {self.sd!r} and {self.keep!r}. "
            "Use a smaller sd or keep, or a larger box."
        )

    def _anywhere(self, rng: np.random.Generator) -> Vector:
        """Means uniform in the box."""
        return rng.uniform(-self.box, self.box, (2, self.components, self.d))

    def _usable(self, rng: np.random.Generator, means: Vector) -> bool:
        """Whether enough of TRIES tries in each class are kept."""
        y = np.repeat([1.0, -1.0], TRIES)
        _, kept = self._tried(rng, means, y)
        return bool(kept.reshape(2, TRIES).sum(axis=1).min() >= LEAST)

    def _tried(self, rng: np.random.Generator, means: Vector, y: Vector) -> tuple[Matrix, NDArray[np.bool_]]:
        """Draw an x of each label, and say which are kept."""
        component = rng.integers(self.components, size=len(y))
        centre = means[np.where(y > 0.0, 0, 1), component]
        X = centre + self.sd * rng.standard_normal((len(y), self.d))
        return X, y * self.log_odds(X, means) > self.keep

    def _examples(self, rng: np.random.Generator, means: Vector, size: int) -> tuple[Matrix, Vector]:
        """Draw labels, and for each of them x until one is kept."""
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
    """Every mean takes a small random step every 10 trials, reflected at the sides of the box. Slow drift.

    Parameters
    ----------
    n
        Number of examples; None for no end.
    every
        Trials between two steps.
    drift
        Standard deviation of a step, in each coordinate of each mean.
    d
        Number of features.
    components
        Gaussians of a class.
    box
        The means stay in [-box, box]^d.
    sd
        Standard deviation of every Gaussian.
    keep
        Examples whose log odds in favour of their label do not exceed this are left out; >= 0.
    seed, block
        See `Stream`.

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
    """All means are drawn anew every 1000 trials. Sudden drift.

    Parameters
    ----------
    n
        Number of examples; None for no end.
    every
        Trials between two switches.
    d
        Number of features.
    components
        Gaussians of a class.
    box
        The means are uniform in [-box, box]^d.
    sd
        Standard deviation of every Gaussian.
    keep
        Examples whose log odds in favour of their label do not exceed this are left out; >= 0.
    seed, block
        See `Stream`.

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
        return self._anywhere(rng)


def reflected(position: Vector, box: float) -> Vector:
    """Fold positions back into [-box, box] as by mirrors at its ends, as often as it takes."""
    turn = np.mod(position + box, 4.0 * box)
    return np.minimum(turn, 4.0 * box - turn) - box
