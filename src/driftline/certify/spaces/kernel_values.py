"""Kernel values k(x, z) between the examples of a run, with the formulas of the kernel learners."""

from __future__ import annotations

import numpy as np

from driftline.certify.evidence import Evidence
from driftline.internals.compiled import Floats, Indices, Offsets, Params, jit
from driftline.rules.kernel.kernels import NONE, Gaussian, Kernel, Laplacian, Linear, Multilinear, Polynomial

LINEAR, POLYNOMIAL, GAUSSIAN, LAPLACIAN = Linear.code, Polynomial.code, Gaussian.code, Laplacian.code
MULTILINEAR = Multilinear.code


@jit
def row_of_values(
    code: int, params: Params, indptr: Offsets, indices: Indices, values: Floats, one: int, x: Floats, out: Floats
) -> None:
    """Write k(x, z) for row ``one`` as x and every row z; ``x`` is a buffer of zeros, and zero
    again at the end.
    """
    start, stop = indptr[one], indptr[one + 1]
    seen = np.full(x.size, -1)
    for j in range(start, stop):
        x[indices[j]] = values[j]
    for row in range(out.size):
        total = 1.0 if code == MULTILINEAR else 0.0
        for j in range(indptr[row], indptr[row + 1]):
            i, z = indices[j], values[j]
            if code == GAUSSIAN:
                total += (x[i] - z) ** 2
                seen[i] = row
            elif code == LAPLACIAN:
                total += abs(x[i] - z)
                seen[i] = row
            elif code == MULTILINEAR:
                total *= 1.0 + x[i] * z
            else:
                total += x[i] * z
        if code in (GAUSSIAN, LAPLACIAN):
            for j in range(start, stop):  # features of x that are not in z
                i = indices[j]
                if seen[i] != row:
                    total += x[i] ** 2 if code == GAUSSIAN else abs(x[i])
            total = np.exp(-params[0] * total)
        elif code == POLYNOMIAL:
            total = (params[0] * total + params[1]) ** params[2]
        out[row] = total
    for j in range(start, stop):
        x[indices[j]] = 0.0


@jit
def squares_of_rows(code: int, params: Params, indptr: Offsets, values: Floats, out: Floats) -> None:
    """Write k(x, x) for every row."""
    for row in range(out.size):
        total = 1.0 if code == MULTILINEAR else 0.0
        for j in range(indptr[row], indptr[row + 1]):
            if code == MULTILINEAR:
                total *= 1.0 + values[j] ** 2
            elif code in (LINEAR, POLYNOMIAL):
                total += values[j] ** 2
        if code in (GAUSSIAN, LAPLACIAN):
            total = 1.0
        elif code == POLYNOMIAL:
            total = (params[0] * total + params[1]) ** params[2]
        out[row] = total


class KernelValues:
    """The values of a kernel between the rows of a run."""

    def __init__(self, kernel: Kernel, evidence: Evidence) -> None:
        self.kernel = kernel
        self._evidence = evidence
        self._X = np.zeros((0, 0))
        if kernel.code == NONE:  # a Python kernel does not see the constant feature, which is the first column
            self._X = evidence.dense()[:, 1:]

    @property
    def same_on_every_round(self) -> bool:
        """Whether a Python kernel saw all features from the first round on; other kernels need
        not.
        """
        rounds = self._evidence
        sizes = np.diff(rounds.indptr) - np.uint64(1 if np.any(rounds.indices == 0) else 0)
        return self.kernel.code != NONE or bool(np.all(sizes == self._X.shape[1]))

    def between(self, chosen: np.ndarray) -> Floats:
        """Return k(x, z) for the x of each chosen round (rows) and the z of every round (columns)."""
        rounds = self._evidence
        found = np.empty((len(chosen), len(rounds)))
        x = np.zeros(rounds.width)
        for k, one in enumerate(chosen.tolist()):
            if self.kernel.code == NONE:
                found[k] = self.kernel.column(self._X[one], self._X)
            else:
                rows = rounds.indptr, rounds.indices, rounds.values
                row_of_values(self.kernel.code, self.kernel.params(), *rows, one, x, found[k])
        return found

    def among(self, chosen: np.ndarray) -> Floats:
        """Return the kernel matrix of the chosen rounds."""
        return KernelValues(self.kernel, self._evidence.part(chosen)).between(np.arange(len(chosen)))

    def squares(self) -> Floats:
        """Return k(x, x) of every round."""
        rounds = self._evidence
        found = np.empty(len(rounds))
        if self.kernel.code == NONE:
            return np.array([self.kernel.column(x, x[None, :])[0] for x in self._X])
        squares_of_rows(self.kernel.code, self.kernel.params(), rounds.indptr, rounds.values, found)
        return found
