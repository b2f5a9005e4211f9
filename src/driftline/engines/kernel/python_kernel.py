"""Kernels without compiled code (a Python function or a matrix): checked values."""

from __future__ import annotations

import numpy as np

from driftline.engines.kernel.row_fill import arrays_of
from driftline.engines.state import LONGEST_SQ
from driftline.internals.compiled import Floats, jit
from driftline.internals.rows import Rows
from driftline.rules.kernel.kernels import Kernel, same


class RefusedError(ValueError):
    """A value of the kernel cannot be used; the message says what must hold, and the remedy."""


def kernel_values(kernel: Kernel, x: Floats, Z: Floats) -> Floats:
    """k(x, z) for each row z of Z; RefusedError unless all are finite."""
    found = kernel.column(x, Z)
    if not np.isfinite(found).all():
        wrong = found[~np.isfinite(found)][0]
        raise RefusedError(f"must have finite values with {kernel!r}, got {wrong}. Correct the kernel, or x")
    return found


def kernel_square(kernel: Kernel, x: Floats) -> float:
    """k(x, x); RefusedError if it is negative or too large."""
    x_sq = float(kernel_values(kernel, x, x[None, :])[0])
    if not 0.0 <= x_sq <= LONGEST_SQ:
        raise RefusedError(f"must have k(x, x) >= 0 and <= 1e120, got {x_sq}. Correct the kernel, or x")
    return x_sq


def check_symmetry(kernel: Kernel, k: Floats, x: Floats, Z: Floats, x_sq: float, squares: Floats) -> None:
    """RefusedError unless k, the k(x, z) for each row z of Z, are the k(z, x) too.

    ``x_sq`` is k(x, x), and ``squares`` are the k(z, z).
    """
    back = np.array([kernel_values(kernel, z, x[None, :])[0] for z in Z])
    wrong = ~same(k, back, x_sq, squares)
    if wrong.any():
        z = int(np.argmax(wrong))
        raise RefusedError(f"must have k(x, z) = k(z, x), got {k[z]} and {back[z]}. Make it symmetric")


def check_number(kernel: Kernel, rows: Rows, i: int) -> None:
    """RefusedError unless row i is one number, for a kernel that identifies examples by it."""
    if not kernel.numbered:
        return
    width, indptr, indices, _ = arrays_of(rows)
    size = width or int(indptr[i + 1] - indptr[i])
    if size != 1 or (width == 0 and indices[indptr[i]] != 0):
        what = f"{size} features" if size != 1 else "another feature than before"
        raise RefusedError(
            f"must be one feature, always the same: the number of its row with {kernel!r}, got {what}. Pass only that"
        )


@jit
def dot_in_order(c: Floats, k: Floats) -> float:
    """c.k, summed in the order of the numbers."""
    total = 0.0
    for j in range(c.size):
        total += c[j] * k[j]
    return total
