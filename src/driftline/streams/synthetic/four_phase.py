"""Four phases over a labelled data set: the classes behind the two labels change over time.

The classes P1 and P2 have the label +1, the classes N1 and N2 the label -1. The class of each
example is drawn with probabilities that change linearly within a phase. Then an instance of that
class is drawn without replacement.

    phase   (P1, P2, N1, N2) at its start      at its end
    0       (.7,  0, .3,  0)                   (.5,  0, .5,  0)
    1       (.5,  0, .5,  0)                   (.3, .2, .5,  0)
    2       ( 0, .5, .2, .3)                   ( 0, .5,  0, .5)
    3       ( 0, .5,  0, .5)                   ( 0, .3,  0, .7)

Shen, Dietterich. A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments. SDM 2009, section 4.
Differs from the paper: nothing in the table, which jumps between phases 1 and 2 as printed. The
paper does not say whether instances repeat. Here an instance repeats only after all instances of
its class have been drawn; then the class starts over in a new order.
"""

from __future__ import annotations

import hashlib
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
"""Maximum number of classes listed in an error message."""


class FourPhase(Stream[Any]):
    """Shen and Dietterich's schedule over a data set with at least four classes.

    The stream has ``4 * phase`` examples.

    Parameters
    ----------
    X : array or CSR matrix
        One instance per row. It is not copied. Blocks of a CSR matrix are CSR.
    y : array-like
        The class of each instance, of any type.
    classes : sequence
        The four classes (P1, P2, N1, N2). The label of the first two is +1. Instances of other
        classes are not used.
    phase : int, default=500
        Number of examples in a phase.
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Attributes
    ----------
    rows : array
        The row of X that each example comes from.
    reused : int
        How often a class was exhausted and started over. If it is 0, no example repeats.

    Examples
    --------
    >>> import numpy as np
    >>> instances, digits = np.arange(4000.0).reshape(1000, 4), np.arange(1000) % 10
    >>> stream = FourPhase(instances, digits, classes=(3, 7, 8, 9), phase=40)
    >>> len(stream), stream.reused
    (160, 0)
    >>> [(X, y)] = stream
    >>> first, last = digits[stream.rows[:40]], digits[stream.rows[120:]]
    >>> sorted(set(first.tolist())), sorted(set(last.tolist()))
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
            "classes must be four different classes (P1, P2, N1, N2)",
            classes,
        )
        members = _members(where, np.asarray(y), self.X.shape[0], self.classes)
        rng = self._rng()
        drawn = self._drawn_classes(rng)
        self.rows, self.reused = _without_replacement(rng, drawn, members)
        self._labels = SIGNS[drawn]

    @property
    def identity(self) -> dict[str, Any]:
        """The class, its parameters, and a hash of the data."""
        digest = hashlib.sha256()
        parts = (self.X.indptr, self.X.indices, self.X.data) if hasattr(self.X, "tocsr") else (self.X,)
        for one in (*parts, self.rows, self._labels):
            digest.update(np.ascontiguousarray(one).data)
        return super().identity | {"data": digest.hexdigest()}

    def phase_probabilities(self, phase_index: int) -> Matrix:
        """Return the class probabilities for each example of a phase.

        Parameters
        ----------
        phase_index : int
            0, 1, 2 or 3.

        Returns
        -------
        array of shape (phase, 4)
            Probabilities of (P1, P2, N1, N2).
        """
        index = parameters.whole(self._where, "phase_index", phase_index, 0)
        parameters.require(index < 4, self._where, "phase_index must be 0, 1, 2 or 3", phase_index)
        start, end = SCHEDULE[index]
        share = np.linspace(0.0, 1.0, self.phase)[:, None]
        p = start + share * (end - start)  # this form is never negative, even with rounding
        table: Matrix = p / p.sum(axis=1, keepdims=True)
        return table

    def _drawn_classes(self, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw the class of each example: 0, 1, 2 or 3."""
        reach = np.concatenate([self.phase_probabilities(k) for k in range(4)]).cumsum(axis=1)
        u = rng.random((len(self), 1)) * reach[:, -1:]
        drawn: NDArray[np.intp] = (reach <= u).sum(axis=1)
        return drawn

    def _pieces(self) -> Iterator[tuple[Any, Vector]]:
        # Each piece is a whole block, so that CSR rows need not be concatenated.
        for start in range(0, len(self), self.block):
            some = slice(start, start + self.block)
            yield _float64(self.X[self.rows[some]]), self._labels[some].copy()


def _matrix(where: str, X: Any) -> Any:
    """Return X as a CSR matrix or an array; raise if it is neither."""
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
    """Return the row numbers of each class."""
    parameters.require(y.shape == (rows,), where, f"y must hold one class for each of the {rows} rows of X", y.shape)
    found = sorted(set(y.tolist()), key=str)
    listed = ", ".join(repr(c) for c in found[:LISTED]) + (", ..." if len(found) > LISTED else "")
    for c in classes:
        parameters.require(c in found, where, "every class must occur in y", c, f"The classes of y are {listed}.")
    return [np.flatnonzero(y == c) for c in classes]


def _without_replacement(
    rng: np.random.Generator, drawn: NDArray[np.intp], members: list[NDArray[np.intp]]
) -> tuple[NDArray[np.intp], int]:
    """Return one row for each drawn class, and how often a class started over."""
    rows = np.empty(len(drawn), dtype=np.intp)
    reused = 0
    for c, member in enumerate(members):
        at = np.flatnonzero(drawn == c)
        passes = -(-len(at) // len(member))
        shuffled = rng.permuted(np.tile(member, (passes, 1)), axis=1)
        rows[at] = shuffled.ravel()[: len(at)]
        reused += max(0, passes - 1)
    return rows, reused
