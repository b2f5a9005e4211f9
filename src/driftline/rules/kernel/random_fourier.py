"""Random Fourier features: n cosines with an inner product close to the Gaussian kernel.

    z_j(x) = sqrt(2 / n) cos(w_j.x + b_j),      w_j ~ N(0, 2 gamma I),  b_j ~ U(0, 2 pi)
    E z(x).z(y) = exp(-gamma |x - y|^2),        standard error about 1 / sqrt(n)

Any linear rule can run on these features. Use them if the budget of a kernel learner is too small:
an example costs O(n) per feature, and there are n weights for a stream of any length.

Rahimi, Recht. Random features for large-scale kernel machines. NIPS 20 (2007), algorithm 1.
Differs from the paper: w_j and b_j are functions of the seed, j and the feature index, so that
features may appear at any time. A feature that was never learned changes a score too: it moves the
example away from all learned examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import positive, whole
from driftline.internals.rows import DenseRows, Rows, SparseRows, length
from driftline.rules.kernel.fourier_waves import TURN, fill, map_dense, map_sparse, start
from driftline.rules.rule import settle

MOST = 1 << 20
LAST_SEED = (1 << 63) - 1
ROOM = 1 << 23  # upper limit of the frequencies in the table: 64 MB
PIECE = 1 << 20  # values computed at a time


@dataclass(frozen=True)
class RandomFourier:
    """Random Fourier features for the Gaussian kernel, for ``scale=`` or with ``transform``.

    Parameters
    ----------
    n : int, default=256
        Number of features to make, from 1 to 2^20.
    gamma : float, default=1.0
        Parameter of the kernel exp(-gamma |x - y|^2), > 0.
    seed : int, default=0
        Seed of the random frequencies, from 0 to 2^63 - 1.

    Examples
    --------
    >>> x, y = [[0.0, 0.0]], [[0.6, -0.8]]
    >>> waves = RandomFourier(n=4096, gamma=0.5)
    >>> round((waves.transform(x) @ waves.transform(y).T).item(), 1)  # exp(-0.5)
    0.6
    """

    n: int = 256
    gamma: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        settle(self)

    def check(self) -> None:
        """An integer n from 1 to 2^20, gamma > 0, an integer seed from 0 to 2^63 - 1."""
        whole("RandomFourier", "n", self.n, 1, MOST)
        positive("RandomFourier", "gamma", self.gamma)
        whole("RandomFourier", "seed", self.seed, 0, LAST_SEED)
        object.__setattr__(self, "n", int(self.n))
        object.__setattr__(self, "seed", int(self.seed))

    def transform(self, X: Any) -> Floats:
        """Return the random Fourier features of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (rows, n)
        """
        sparse = hasattr(type(X), "tocsr")
        try:
            given: Any = X.tocsr() if sparse else np.ascontiguousarray(X, dtype=np.float64)
            values = np.asarray(given.data, dtype=np.float64) if sparse else given
            good = given.ndim == 2 and bool(np.isfinite(values).all())
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ValueError(
                f"RandomFourier: X must be a 2-d array or sparse matrix of finite numbers, got {_kind(X)}. "
                "Reshape it, or leave missing values out"
            )
        rows: Rows = DenseRows(values)
        if sparse:
            rows = SparseRows(given.indptr.astype(np.uint64), given.indices.astype(np.uint32), values)
        return Waves(self).scale(rows, given.shape[1], False).X


class Waves:
    """The map of a RandomFourier, with a table of the frequencies of the first features.

    Nothing is learned here. Frequencies that do not fit into the table are computed again each
    time, with the same bits.
    """

    def __init__(self, given: RandomFourier) -> None:
        self.given = given
        self.seed = np.uint64(given.seed)
        self.size = math.sqrt(2.0) * math.sqrt(given.gamma) / TURN
        self.phases = np.empty(given.n)
        start(self.seed, self.phases)
        self.table = np.empty((0, given.n))

    def __reduce__(self) -> tuple[type[Waves], tuple[RandomFourier]]:
        return Waves, (self.given,)

    @property
    def width(self) -> int:
        """The number of features that the map makes."""
        return self.given.n

    @property
    def step(self) -> int:
        """The number of rows to compute at a time."""
        return max(1, PIECE // self.given.n)

    def scale(self, rows: Rows, features: int, learn: bool) -> DenseRows:
        """Return the waves of the rows.

        ``features`` is the number of known features; all unknown ones may have this index.
        """
        table = self._table(features)
        out = np.empty((length(rows), self.given.n))
        if isinstance(rows, DenseRows):
            map_dense(self.seed, self.size, table, self.phases, rows.X, out)
        else:
            map_sparse(self.seed, self.size, features, table, self.phases, *rows, out)
        return DenseRows(out)

    def _table(self, features: int) -> Floats:
        """The table of frequencies, extended for new features; at least doubled, up to a limit."""
        table = self.table
        room = max(1, ROOM // self.given.n)
        if len(table) < min(features, room):
            grown = np.empty((min(room, max(features, 2 * len(table))), self.given.n))
            grown[: len(table)] = table
            fill(self.seed, len(table), self.size, grown)
            self.table = table = grown
        return table


def _kind(X: Any) -> str:
    shape = getattr(X, "shape", None)
    return type(X).__name__ if shape is None else f"{type(X).__name__} of shape {shape}"
