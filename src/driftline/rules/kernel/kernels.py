"""Kernels: inner products k(x, z) of examples mapped elsewhere, so that a linear rule draws curved boundaries.

    Gaussian      exp(-gamma |x - z|_2^2)
    Laplacian     exp(-gamma |x - z|_1)
    Polynomial    (gamma x.z + offset)^degree
    Linear        x.z
    Multilinear   prod_i (1 + x_i z_i): one coordinate for each set of features, the product of its values
    Callable      any function of two vectors
    Precomputed   a matrix; an example is the number of its row

Each is a small frozen class with its parameters. ``column`` is the plain way to compute one; engines have a fast one
for those with a ``code``.
Gentile (2005) for the multilinear one, which is Khardon, Roth, Servedio's (2005) all-subsets kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable as Function
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import at_least, positive, require, whole
from driftline.rules.rule import settle

NONE = -1


@dataclass(frozen=True)
class Kernel(ABC):
    """The parameters of one kernel, and what an engine must know of it."""

    code: ClassVar[int] = NONE
    """Its number in the compiled table of kernels; NONE where it has to be asked in Python."""
    sees_bias: ClassVar[bool] = False
    """Whether a constant feature changes it."""
    unit: ClassVar[bool] = False
    """Whether k(x, x) = 1 for every x."""
    numbered: ClassVar[bool] = False
    """Whether an example is one feature, a number by which the kernel knows it."""

    def __post_init__(self) -> None:
        settle(self)

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError unless every parameter is in its range."""

    def params(self) -> tuple[float, float, float]:
        """The floats that its compiled form reads."""
        return 0.0, 0.0, 0.0

    @abstractmethod
    def column(self, x: Floats, Z: Floats) -> Floats:
        """k(x, z) for each row z of Z."""

    def between(self, X: Floats, Z: Floats) -> Floats:
        """k(x, z) for each row x of X and each row z of Z.

        >>> Linear().between(np.eye(2), np.ones((1, 2))).tolist()
        [[1.0], [1.0]]
        """
        return np.array([self.column(x, Z) for x in X]).reshape(len(X), len(Z))


@dataclass(frozen=True)
class Linear(Kernel):
    """x.z: a kernelised rule with it is the rule itself, written as a sum of examples."""

    code: ClassVar[int] = 0
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """Nothing to check."""

    def column(self, x: Floats, Z: Floats) -> Floats:
        """x.z for each row z of Z."""
        return Z @ x


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x.z + offset)^degree: every product of up to ``degree`` features (of exactly so many for offset 0)."""

    degree: int = 2
    offset: float = 1.0
    gamma: float = 1.0
    code: ClassVar[int] = 1
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """A whole degree from 1 to 20, offset >= 0, gamma > 0."""
        whole("Polynomial", "degree", self.degree, 1, 20)
        object.__setattr__(self, "degree", int(self.degree))
        at_least("Polynomial", "offset", self.offset, 0.0)
        positive("Polynomial", "gamma", self.gamma)

    def params(self) -> tuple[float, float, float]:
        """gamma, offset, degree."""
        return float(self.gamma), float(self.offset), float(self.degree)

    def column(self, x: Floats, Z: Floats) -> Floats:
        """(gamma x.z + offset)^degree for each row z of Z."""
        return np.asarray((self.gamma * (Z @ x) + self.offset) ** self.degree)


@dataclass(frozen=True)
class Gaussian(Kernel):
    """exp(-gamma |x - z|_2^2), gamma > 0: the closer, the more alike; gamma is 1 / (2 width^2)."""

    gamma: float = 1.0
    code: ClassVar[int] = 2
    unit: ClassVar[bool] = True

    def check(self) -> None:
        """gamma > 0."""
        positive("Gaussian", "gamma", self.gamma)

    def params(self) -> tuple[float, float, float]:
        """gamma."""
        return float(self.gamma), 0.0, 0.0

    def column(self, x: Floats, Z: Floats) -> Floats:
        """exp(-gamma |x - z|_2^2) for each row z of Z."""
        return np.asarray(np.exp(-self.gamma * np.sum((Z - x) ** 2, axis=1)))


@dataclass(frozen=True)
class Laplacian(Kernel):
    """exp(-gamma |x - z|_1), gamma > 0: as the Gaussian, with a peak and longer tails."""

    gamma: float = 1.0
    code: ClassVar[int] = 3
    unit: ClassVar[bool] = True

    def check(self) -> None:
        """gamma > 0."""
        positive("Laplacian", "gamma", self.gamma)

    def params(self) -> tuple[float, float, float]:
        """gamma."""
        return float(self.gamma), 0.0, 0.0

    def column(self, x: Floats, Z: Floats) -> Floats:
        """exp(-gamma |x - z|_1) for each row z of Z."""
        return np.asarray(np.exp(-self.gamma * np.sum(np.abs(Z - x), axis=1)))


@dataclass(frozen=True)
class Multilinear(Kernel):
    """prod_i (1 + x_i z_i): all products of different features. It reaches 2^n: keep |x_i| <= 1 and n small."""

    code: ClassVar[int] = 4
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """Nothing to check."""

    def column(self, x: Floats, Z: Floats) -> Floats:
        """prod_i (1 + x_i z_i) for each row z of Z."""
        return np.asarray(np.prod(1.0 + Z * x, axis=1))


@dataclass(frozen=True)
class Callable(Kernel):
    """Any Python function k(x, z) of two 1-d arrays, without a constant feature; it must be symmetric.

    Both have as many values as there are features known by then. A learner with it cannot be saved.
    """

    function: Function[[Floats, Floats], float]

    def check(self) -> None:
        """It can be called."""
        require(callable(self.function), "Callable", "function must be one of two vectors", self.function)

    def column(self, x: Floats, Z: Floats) -> Floats:
        """k(x, z) for each row z of Z; NaN where the function answers with no number."""
        return np.array([_number(self.function(x, z)) for z in Z], dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Precomputed(Kernel):
    """k(i, j) = matrix[i, j]: an example is one feature, always the same: the number of its row.

    The matrix is square, finite and symmetric. A learner with it cannot be saved.
    Sparse rows must store the number 0 too.

    >>> Precomputed([[1.0, 0.5], [0.5, 1.0]]).column(np.array([1.0]), np.array([[0.0], [1.0]])).tolist()
    [0.5, 1.0]
    """

    matrix: Any
    numbered: ClassVar[bool] = True

    def check(self) -> None:
        """Square, finite, symmetric."""
        try:
            matrix = np.array(self.matrix, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
        require(square, "Precomputed", "matrix must be a square array of numbers", np.shape(matrix))
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            i, j = bad[0].tolist()
            require(False, "Precomputed", f"matrix[{i}, {j}] must be finite", float(matrix[i, j]))
        squares = np.maximum(0.0, np.diagonal(matrix))
        uneven = np.argwhere(~same(matrix, matrix.T, squares[:, None], squares))
        if len(uneven):
            i, j = uneven[0].tolist()
            pair = float(matrix[i, j]), float(matrix[j, i])
            require(False, "Precomputed", f"matrix[{i}, {j}] and matrix[{j}, {i}] must be equal", pair)
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def __repr__(self) -> str:
        return f"Precomputed(matrix of {len(self.matrix)} examples)"

    def column(self, x: Floats, Z: Floats) -> Floats:
        """The entries of row x; NaN where either is no row of the matrix."""
        rows, known = _rows(Z[:, 0], len(self.matrix))
        row, good = _rows(x[:1], len(self.matrix))
        return np.where(known & good, self.matrix[row[0], rows], np.nan)


def same(a: Floats, b: Floats, x_sq: Floats | float, z_sq: Floats | float) -> np.ndarray:
    """Where a = k(x, z) is b = k(z, x), but for 1e-9 of the largest that k(x, x) = x_sq and k(z, z) = z_sq allow.

    Of rows that are almost orthogonal the value itself is nothing but rounding.
    """
    return np.asarray(np.abs(a - b) <= 1e-9 * np.sqrt(x_sq) * np.sqrt(z_sq))


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _rows(values: Floats, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers, 0 where there is no such row, and where there is one."""
    known = (values >= 0.0) & (values < size) & (values == np.floor(values))
    return np.where(known, values, 0.0).astype(np.intp), known


KERNELS = (Linear, Polynomial, Gaussian, Laplacian, Multilinear, Callable, Precomputed)
"""Every kernel."""
ALIASES = {"rbf": Gaussian, "poly": Polynomial}
"""Other names that some of them go by."""
