"""Four phases over a labelled data set: the classes behind the two labels change while the labels stay.

Two classes P1, P2 count as +1 and two, N1, N2, as -1. Each example's class is drawn with probabilities that
move linearly within a phase, and then an instance of that class that was not drawn before:

    phase   (P1, P2, N1, N2) at its start      at its end
    0       (.7,  0, .3,  0)                   (.5,  0, .5,  0)
    1       (.5,  0, .5,  0)                   (.3, .2, .5,  0)
    2       ( 0, .5, .2, .3)                   ( 0, .5,  0, .5)
    3       ( 0, .5,  0, .5)                   ( 0, .3,  0, .7)

Shen, Dietterich. A Family of Large Margin Linear Classifiers and Its Application in Dynamic Environments.
SDM 2009, section 4.
Differs from the paper: nothing in the table, which jumps between phases 1 and 2 as printed. It does not say
whether instances come twice; here they do not until their class is used up, after which the class starts
over in a new order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.stream import Matrix, Stream, Vector

SCHEDULE = np.array(
    [
        [(0.7, 0.0, 0.3, 0.0), (0.5, 0.0, 0.5, 0.0)],
        [(0.5, 0.0, 0.5, 0.0), (0.3, 0.2, 0.5, 0.0)],
        [(0.0, 0.5, 0.2, 0.3), (0.0, 0.5, 0.0, 0.5)],
        [(0.0, 0.5, 0.0, 0.5), (0.0, 0.3, 0.0, 0.7)],
    ]
)
SIGNS = np.array([1.0, 1.0, -1.0, -1.0])
LISTED = 20
"""Classes named in an error, at most."""


class FourPhase(Stream[Any]):
    """Shen and Dietterich's schedule over any data set with at least four classes; ``4 * phase`` examples.

    Parameters
    ----------
    X
        One instance a row: a dense array, or a CSR matrix, which then is never made dense: the blocks are
        CSR. It is not copied.
    y
        The class of each instance; of any type.
    classes
        The four classes (P1, P2, N1, N2). The first two are +1. Instances of other classes are not used.
    phase
        Examples of a phase.
    seed, block
        See `Stream`.

    Attributes
    ----------
    rows
        The row of X that each example is.
    reused
        How often a class was used up and started over. Zero means that no example comes twice.

    Examples
    --------
    >>> import numpy as np
    >>> instances, digits = np.arange(4000.0).reshape(1000, 4), np.arange(1000) % 10
    >>> stream = FourPhase(instances, digits, classes=(3, 7, 8, 9), phase=40)
    >>> len(stream), stream.reused
    (160, 0)
    >>> [(X, y)] = stream
    >>> sorted(set(digits[stream.rows[:40]].tolist())), sorted(set(digits[stream.rows[120:]].tolist()))
    ([3, 8], [7, 9])
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        classes: Sequence[Any],
        *,
        phase: int = 500,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        where = type(self).__name__
        self.phase = parameters.whole(where, "phase", phase, 1)
        super().__init__(4 * self.phase, seed=seed, block=block)
        self.X = _matrix(where, X)
        self.classes = tuple(classes)
        parameters.require(
            len(set(self.classes)) == len(self.classes) == 4,
            where,
            "classes must be four different ones (P1, P2, N1, N2)",
            classes,
        )
        members = _members(where, np.asarray(y), self.X.shape[0], self.classes)
        rng = self._rng()
        drawn = self._drawn_classes(rng)
        self.rows, self.reused = _without_replacement(rng, drawn, members)
        self._labels = SIGNS[drawn]

    def phase_probabilities(self, phase_index: int) -> Matrix:
        """Return the probabilities of (P1, P2, N1, N2) for each example of phase 0, 1, 2 or 3: (phase, 4)."""
        index = parameters.whole(self._where, "phase_index", phase_index, 0)
        parameters.require(index < 4, self._where, "phase_index must be 0, 1, 2 or 3", phase_index)
        start, end = SCHEDULE[index]
        share = np.linspace(0.0, 1.0, self.phase)[:, None]
        p = start + share * (end - start)  # in this form never below 0, not even by rounding
        table: Matrix = p / p.sum(axis=1, keepdims=True)
        return table

    def _drawn_classes(self, rng: np.random.Generator) -> NDArray[np.intp]:
        """The class of each example: 0, 1, 2 or 3."""
        reach = np.concatenate([self.phase_probabilities(k) for k in range(4)]).cumsum(axis=1)
        u = rng.random((len(self), 1)) * reach[:, -1:]
        drawn: NDArray[np.intp] = (reach <= u).sum(axis=1)
        return drawn

    def _pieces(self) -> Iterator[tuple[Any, Vector]]:
        # Pieces are blocks here, so that CSR rows never have to be joined; what is drawn was drawn before.
        for start in range(0, len(self), self.block):
            some = slice(start, start + self.block)
            yield _float64(self.X[self.rows[some]]), self._labels[some].copy()


def _matrix(where: str, X: Any) -> Any:
    """Return X, as an array unless it is a CSR matrix."""
    if hasattr(X, "tocsr"):
        parameters.require(
            X.format == "csr",
            where,
            "X must be a dense array or a CSR matrix",
            X.format,
            "Use X.tocsr().",
        )
    else:
        X = np.asarray(X)
    parameters.require(len(X.shape) == 2, where, "X must have two dimensions", X.shape)
    parameters.require(X.dtype.kind in "buif", where, "X must hold real numbers", X.dtype)
    return X


def _float64(X: Any) -> Any:
    """Return rows of X, dense and contiguous or CSR, as float64."""
    return X.astype(np.float64) if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)


def _members(where: str, y: NDArray[Any], rows: int, classes: tuple[Any, ...]) -> list[NDArray[np.intp]]:
    """Return the rows of each of the classes."""
    parameters.require(y.shape == (rows,), where, f"y must hold one class for each of the {rows} rows of X", y.shape)
    found = sorted(set(y.tolist()), key=str)
    listed = ", ".join(repr(c) for c in found[:LISTED]) + (", ..." if len(found) > LISTED else "")
    for c in classes:
        parameters.require(c in found, where, "every class must occur in y", c, f"The classes of y are {listed}.")
    return [np.flatnonzero(y == c) for c in classes]


def _without_replacement(
    rng: np.random.Generator, drawn: NDArray[np.intp], members: list[NDArray[np.intp]]
) -> tuple[NDArray[np.intp], int]:
    """Return a row of each drawn class, and how often a class had to start over."""
    rows = np.empty(len(drawn), dtype=np.intp)
    reused = 0
    for c, member in enumerate(members):
        at = np.flatnonzero(drawn == c)
        passes = -(-len(at) // len(member))
        shuffled = rng.permuted(np.tile(member, (passes, 1)), axis=1)
        rows[at] = shuffled.ravel()[: len(at)]
        reused += max(0, passes - 1)
    return rows, reused
