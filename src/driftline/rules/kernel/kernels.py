"""Kernels: inner products k(x, z) in a feature space, which give a linear rule curved boundaries.

    Gaussian      exp(-gamma |x - z|_2^2)
    Laplacian     exp(-gamma |x - z|_1)
    Polynomial    (gamma x.z + offset)^degree
    Linear        x.z
    Multilinear   prod_i (1 + x_i z_i): a coordinate for each set of features, their product
    Callable      any function of two vectors
    Precomputed   a matrix; an example is the number of its row

Each kernel is a small frozen class with its parameters. ``column`` is its plain numpy version;
engines have a compiled version of the kernels with a ``code``. The multilinear kernel is from
Gentile (2005); it is the all-subsets kernel of Khardon, Roth, Servedio (2005).
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
    """The parameters of one kernel, and the properties that its engine reads."""

    code: ClassVar[int] = NONE
    """The code of the kernel in the compiled table; NONE if it is computed in Python."""
    sees_bias: ClassVar[bool] = False
    """Whether a constant feature changes it."""
    unit: ClassVar[bool] = False
    """Whether k(x, x) = 1 for every x."""
    numbered: ClassVar[bool] = False
    """Whether an example is one feature, its row number in the kernel matrix."""

    def __post_init__(self) -> None:
        settle(self)

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError unless every parameter is in its range."""

    def params(self) -> tuple[float, float, float]:
        """The floats that the compiled version reads."""
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
    """x.z: a kernelised rule with this kernel is the linear rule, as a sum of examples."""

    code: ClassVar[int] = 0
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """Do nothing: the kernel has no parameters."""

    def column(self, x: Floats, Z: Floats) -> Floats:
        """x.z for each row z of Z."""
        return Z @ x


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x.z + offset)^degree: all products of up to ``degree`` features.

    Parameters
    ----------
    degree : int, default=2
        Degree, from 1 to 20.
    offset : float, default=1.0
        Constant, >= 0. With 0, only products of exactly ``degree`` features are used.
    gamma : float, default=1.0
        Factor of x.z, > 0.
    """

    degree: int = 2
    offset: float = 1.0
    gamma: float = 1.0
    code: ClassVar[int] = 1
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """An integer degree from 1 to 20, offset >= 0, gamma > 0."""
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
    """exp(-gamma |x - z|_2^2): the closer two examples, the more similar.

    Parameters
    ----------
    gamma : float, default=1.0
        1 / (2 width^2), > 0.
    """

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
    """exp(-gamma |x - z|_1): like the Gaussian, with a sharper peak and heavier tails.

    Parameters
    ----------
    gamma : float, default=1.0
        1 / width, > 0.
    """

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
    """prod_i (1 + x_i z_i): all products of different features.

    It can be as large as 2^n for n features: keep |x_i| <= 1 and n small.
    """

    code: ClassVar[int] = 4
    sees_bias: ClassVar[bool] = True

    def check(self) -> None:
        """Do nothing: the kernel has no parameters."""

    def column(self, x: Floats, Z: Floats) -> Floats:
        """prod_i (1 + x_i z_i) for each row z of Z."""
        return np.asarray(np.prod(1.0 + Z * x, axis=1))


@dataclass(frozen=True)
class Callable(Kernel):
    """A Python function k(x, z).

    A learner with this kernel cannot be saved.

    Parameters
    ----------
    function : callable
        A symmetric function of two 1-d arrays that returns a number. The arrays have one value for
        each feature known so far, and no constant feature.
    """

    function: Function[[Floats, Floats], float]

    def check(self) -> None:
        """``function`` is callable."""
        require(callable(self.function), "Callable", "function must be one of two vectors", self.function)

    def column(self, x: Floats, Z: Floats) -> Floats:
        """k(x, z) for each row z of Z; NaN if the function does not return a number."""
        return np.array([_number(self.function(x, z)) for z in Z], dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Precomputed(Kernel):
    """k(i, j) = matrix[i, j]: an example is a single feature, the number of its row in the matrix.

    A learner with this kernel cannot be saved. Sparse rows must store the row number 0 explicitly.

    Parameters
    ----------
    matrix : array-like of shape (n, n)
        The kernel matrix: finite and symmetric.

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
        """The entries of row x; NaN if x or z is not a row number of the matrix."""
        rows, known = _rows(Z[:, 0], len(self.matrix))
        row, good = _rows(x[:1], len(self.matrix))
        return np.where(known & good, self.matrix[row[0], rows], np.nan)


def same(a: Floats, b: Floats, x_sq: Floats | float, z_sq: Floats | float) -> np.ndarray:
    """Whether a = k(x, z) and b = k(z, x) are equal up to 1e-9 sqrt(k(x, x) k(z, z)).

    ``x_sq`` is k(x, x) and ``z_sq`` is k(z, z). The tolerance is not relative to a, because for
    almost orthogonal rows a consists of rounding errors.
    """
    return np.asarray(np.abs(a - b) <= 1e-9 * np.sqrt(x_sq) * np.sqrt(z_sq))


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _rows(values: Floats, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the row numbers, 0 for values that are not row numbers, and a mask of valid ones."""
    known = (values >= 0.0) & (values < size) & (values == np.floor(values))
    return np.where(known, values, 0.0).astype(np.intp), known


KERNELS = (Linear, Polynomial, Gaussian, Laplacian, Multilinear, Callable, Precomputed)
"""Every kernel."""
ALIASES = {"rbf": Gaussian, "poly": Polynomial}
"""Other names of some kernels."""
