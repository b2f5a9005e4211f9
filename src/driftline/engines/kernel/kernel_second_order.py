"""The engine of ``KernelSecondOrder``. The update is in its rule file.

Support vectors are stored in tiles, as ``kernel_columns`` reads them. Support vectors, the factor
L of a I + K, and z are only ever appended to. alpha follows from L and z.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, log, sqrt
from typing import Any

import numpy as np

from driftline.engines.array_checks import finite, of_shape, only
from driftline.engines.attribution import Attribution, occluded
from driftline.engines.engine import Engine
from driftline.engines.kernel.expansion_engine import LARGEST, NO_SCORE
from driftline.engines.kernel.python_kernel import (
    RefusedError,
    check_number,
    check_symmetry,
    dot_in_order,
    kernel_square,
    kernel_values,
)
from driftline.engines.kernel.row_fill import arrays_of, fill, is_finite
from driftline.engines.second_order.full import in_bytes
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Params, jit
from driftline.internals.numeric.cholesky import backward
from driftline.internals.rows import Rows, length
from driftline.rules.kernel.kernel_columns import TILE, column, constant_term, square
from driftline.rules.kernel.kernel_second_order import KernelSecondOrder, errs, update
from driftline.rules.kernel.kernels import NONE, Linear

START = TILE  # room for support vectors at first


@jit
def test_rows(
    kernel: int,
    params: Params,
    bias: float,
    shortest: float,
    tiles: Floats,
    alpha: Floats,
    k: Floats,
    x: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> tuple[int, float]:
    """Test the rows from ``start`` on, up to the first update; return its row and k(x, x).

    That row is then in ``x``, and its kernel values in ``k``. A row that is too long, or has no
    finite score, ends the loop too, with infinity.
    """
    first = constant_term(kernel, bias)
    for i in range(start, trials.shape[1]):
        fill(kernel, x, n, width, indptr, indices, values, i)
        score = column(kernel, params, tiles, alpha, k, 0, len(tiles), x, n, first)
        x_sq = square(kernel, params, x, n, first)
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        if not (x_sq <= LONGEST_SQ and abs(score) < np.inf):
            return i, np.inf
        if errs(trials[LABEL, i], score, x_sq, trials[WEIGHT, i], shortest):
            return i, x_sq
    return trials.shape[1], 0.0


@jit
def score_rows(
    kernel: int,
    params: Params,
    bias: float,
    tiles: Floats,
    alpha: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row; all unknown features are one feature, after the n that are known."""
    first = constant_term(kernel, bias)
    x, k = np.zeros(max(n + 1, width)), np.empty(alpha.size)
    for i in range(scores.size):
        fill(kernel, x, n + 1, width, indptr, indices, values, i)
        size = width if width > 0 else n + 1
        score = column(kernel, params, tiles, alpha, k, 0, len(tiles), x, size, first)
        scores[i] = score if is_finite(x, size) else np.nan


class KernelSecondOrderEngine(Engine):
    """The second-order Perceptron over support vectors."""

    def __init__(self, rule: KernelSecondOrder, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.a, self.kernel, self.most = rule.a, rule.kernel, rule.most
        self.hides_bad_values = rule.kernel.code == NONE  # Python may do anything with them
        self.kernel_params: Params = rule.kernel.params()
        self.features = 0
        self.support = 0
        self.tiles = np.zeros((0, 1, TILE))
        self.lower, self.z, self.alpha = np.zeros(0), np.zeros(0), np.zeros(0)
        self.why = ""

    # room ----------------------------------------------------------------------------------------
    def wider(self, features: int) -> dict[str, Any]:
        """The support vectors of ``features`` features (maybe fewer than before) and an unknown one."""
        if features < self.tiles.shape[1]:
            return {"features": features}
        size = max(features + 1, min(2 * self.tiles.shape[1], features + 1024))
        if 8 * len(self.tiles) * size * TILE > LARGEST:
            raise MemoryError
        tiles = np.zeros((len(self.tiles), size, TILE))
        tiles[:, : self.tiles.shape[1]] = self.tiles
        return {"features": features, "tiles": tiles}

    def _grow(self, most: int) -> bool:
        """Have room for ``most`` support vectors; False where memory is too small, see ``why``."""
        room = -(-min(self.most, most) // TILE) * TILE
        size = 8 * room * (self.tiles.shape[1] + room // 2)
        if size > LARGEST:
            self.why = (
                f"must fit into memory, got one more than {self.support} support vectors of {self.features} features; "
                f"room for {room} takes {in_bytes(size)}. Lower most, hash features to fewer bits, or use "
                "Kernelized with a budget"
            )
            return False
        tiles = np.zeros((room // TILE, *self.tiles.shape[1:]))
        tiles[: len(self.tiles)] = self.tiles
        self.lower, self.z, self.alpha = (
            np.concatenate([array, np.zeros(size - array.size)])
            for array, size in ((self.lower, room * (room + 1) // 2), (self.z, room), (self.alpha, room))
        )
        self.tiles = tiles
        return True

    def vectors(self) -> Floats:
        """The support vectors, a row each."""
        by_slot = self.tiles.transpose(0, 2, 1).reshape(-1, self.tiles.shape[1])
        return by_slot[: self.support, : self.features]

    # rounds --------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows up to the first refused one."""
        done = 0
        given, x = arrays_of(rows), np.zeros(self.features + 1)
        while True:
            k = np.zeros(self.alpha.size)
            done, x_sq = self._test(given, rows, trials, done, x, k)
            if done == trials.shape[1]:
                break
            if not self._add(x, k, x_sq, float(trials[LABEL, done] * trials[WEIGHT, done])):
                break
            trials[EVENT, done] = UPDATED
            self.state[UPDATES] += 1.0
            done += 1
        tally(self.state, trials, done)
        return done

    def _test(
        self,
        given: tuple[int, Offsets, Indices, Floats],
        rows: Rows,
        trials: Floats,
        start: int,
        x: Floats,
        k: Floats,
    ) -> tuple[int, float]:
        """Test rows from ``start`` on, up to the first update or the first refused row."""
        bias, shortest = float(self.state[BIAS]), float(self.state[SHORTEST_SQ])
        if self.kernel.code == NONE:
            return self._test_in_python(rows, trials, start, x, k)
        done, x_sq = test_rows(
            self.kernel.code, self.kernel_params, bias, shortest, self.tiles, self.alpha, k, x, self.features, *given,
            trials, start,
        )  # fmt: skip
        if not isfinite(x_sq):
            self.why = (
                "must have k(x, x) <= 1e120 and a finite score, got more. Scale the features, or set scale='unit'"
            )
        return done, x_sq

    def _add(self, x: Floats, k: Floats, x_sq: float, y: float) -> bool:
        """Add a support vector; False if it cannot be added: ``why`` says why."""
        m = self.support
        if not isfinite(x_sq):
            return False
        if m == self.most:
            self.why = (
                f"must find room, got one that would be support vector {m + 1} of at most {m}. "
                "Raise most (an update costs O(most^2)), or use Kernelized with a budget"
            )
            return False
        if m == self.alpha.size:
            if not self._grow(max(START, 2 * m)):
                return False
            k = np.concatenate([k, np.zeros(self.alpha.size - k.size)])
        self.tiles[m // TILE, : self.features, m % TILE] = x[: self.features]
        self.support = m + 1  # before alpha changes, so that an interrupted update can be undone
        update(self.lower, self.z, self.alpha, m, k, x_sq, y, self.a)
        return True

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if self.kernel.code == NONE:
            self._score_in_python(rows, scores)
            return
        bias = float(self.state[BIAS])
        known = self.kernel.code, self.kernel_params, bias, self.tiles, self.alpha, self.features
        score_rows(*known, *arrays_of(rows), scores)

    # kernels without compiled code ---------------------------------------------------------------
    def _test_in_python(self, rows: Rows, trials: Floats, start: int, x: Floats, k: Floats) -> tuple[int, float]:
        """``test_rows`` for a kernel without a code."""
        Z, squares = self.vectors(), np.zeros(self.support)
        for i in range(start, trials.shape[1]):
            self._fill(rows, i, x)
            one = x[: self.features]
            try:
                check_number(self.kernel, rows, i)
                x_sq = kernel_square(self.kernel, one)
                if i == start:
                    squares[:] = [kernel_square(self.kernel, z) for z in Z]
                k[: len(Z)] = kernel_values(self.kernel, one, Z)
                check_symmetry(self.kernel, k[: len(Z)], one, Z, x_sq, squares)
                score = dot_in_order(self.alpha, k)
                if not isfinite(score):
                    raise RefusedError(NO_SCORE)
            except RefusedError as error:
                self.why = str(error)
                return i, np.inf
            trials[SCORE, i] = score
            trials[EVENT, i] = 0.0
            if errs(trials[LABEL, i], score, x_sq, trials[WEIGHT, i], self.state[SHORTEST_SQ]):
                return i, x_sq
        return trials.shape[1], 0.0

    def _score_in_python(self, rows: Rows, scores: Floats) -> None:
        """``score`` for a kernel without a code."""
        Z, x, k = self.vectors(), np.zeros(self.tiles.shape[1]), np.zeros(self.alpha.size)
        scores[:] = 0.0
        for i in range(length(rows) if self.support > 0 else 0):
            self._fill(rows, i, x)
            try:
                check_number(self.kernel, rows, i)
                k[: len(Z)] = kernel_values(self.kernel, x[: self.features], Z)
            except RefusedError as error:
                raise ValueError(f"KernelSecondOrder: x {error}") from None
            scores[i] = dot_in_order(self.alpha, k)

    def _fill(self, rows: Rows, i: int, x: Floats) -> None:
        fill(self.kernel.code, x, self.features + 1, *arrays_of(rows), i)

    # refused rows --------------------------------------------------------------------------------
    def refusal(self) -> str:
        """Why the row at which it stopped was refused."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that undoes the learning of the next rows: it removes what was appended."""
        state, support = self.state.copy(), self.support

        def undo() -> None:
            changed = self.support != support
            self.state[:] = state
            self.support = support
            if changed:
                self._forget()

        return undo

    def _forget(self) -> None:
        """Clear what follows the last support vector, and recompute alpha."""
        m = self.support
        self.tiles[m // TILE, :, m % TILE :] = 0.0
        self.tiles[m // TILE + 1 :] = 0.0
        self.lower[m * (m + 1) // 2 :] = 0.0
        self.z[m:] = 0.0
        self.alpha[:] = 0.0
        backward(self.lower, m, self.z, self.alpha)

    # what is learned -----------------------------------------------------------------------------
    @property
    def logdet(self) -> float:
        """sum_i ln(1 + lambda_i / a) over the eigenvalues of the kernel matrix."""
        return float(2.0 * np.log(self._diagonal()).sum() - self.support * log(self.a))

    def _diagonal(self) -> Floats:
        m = np.arange(self.support)
        return self.lower[m * (m + 3) // 2]

    def attribute(self, row: Rows) -> Attribution:
        """The terms of w.x if the kernel is linear; otherwise the effect of leaving out an entry."""
        if self.kernel.numbered:
            raise ValueError(
                "KernelSecondOrder: x must have features to be explained, got a row number of a kernel matrix. "
                "Use a kernel of the features"
            )
        return super().attribute(row) if isinstance(self.kernel, Linear) else occluded(self.score_of, row)

    def weights(self) -> Floats:
        """The weights A^-1 w of a linear kernel, the constant feature first; else zeros."""
        w = np.zeros(FIRST + self.features)
        if isinstance(self.kernel, Linear):
            alpha = self.alpha[: self.support]
            w[0] = self.state[BIAS] * alpha.sum()
            w[FIRST:] = alpha @ self.vectors()
        return w

    def extent(self) -> tuple[float, int]:
        """|A^-1 w|, by alpha.K alpha = |z|^2 - a |alpha|^2, and the number of support vectors."""
        z, alpha = self.z[: self.support], self.alpha[: self.support]
        return sqrt(max(0.0, float(z @ z - self.a * (alpha @ alpha)))), self.support

    # model files ---------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        return {"state": self.state, "alpha": self.alpha[: self.support], **self.saved(self.features)}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The support vectors, the factor of their kernel matrix, and z."""
        m = self.support
        vectors = self.vectors()[:, :features].copy()
        return {"vectors": vectors, "lower": self.lower[: m * (m + 1) // 2], "z": self.z[:m]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Take over the arrays that ``saved`` returned."""
        only(arrays, "vectors", "lower", "z")
        m = arrays["z"].size
        if m > self.most:
            raise ValueError(f"{m} support vectors, expected at most {self.most}")
        z = finite("z", of_shape(arrays, "z", "float64", (m,)))
        lower = finite("lower", of_shape(arrays, "lower", "float64", (m * (m + 1) // 2,)))
        vectors = finite("vectors", of_shape(arrays, "vectors", "float64", (m, features)))
        self.reserve(features)
        if m > 0 and not self._grow(m):
            raise ValueError(f"{m} support vectors of {features} features")
        at = np.arange(m)
        self.support = m
        self.tiles[at // TILE, :features, at % TILE] = vectors
        self.z[:m], self.lower[: lower.size] = z, lower
        if not (self._diagonal() >= sqrt(self.a) * (1.0 - 1e-9)).all():
            raise ValueError("a kernel matrix that is not positive")
        backward(self.lower, m, self.z, self.alpha)
