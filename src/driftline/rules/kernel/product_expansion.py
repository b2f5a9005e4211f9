"""v = sum_e c_e Phi(e): a vector over all products of features, as rows e with coefficients c_e.

    Phi(x) = (prod_{i in S} x_i for every set S of features)
    Phi(e).Phi(x) = prod_i (1 + e_i x_i),    Phi(e) Phi(x) = Phi(e x)  element by element

Row r has the factors ``factors[starts[r]:starts[r + 1]]`` in the columns
``columns[starts[r]:starts[r + 1]]``, in increasing order; its other factors are 0. Equal rows are
merged: ``slots`` is a hash table from rows to row numbers plus one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit

ROWS, ENTRIES = 0, 1
BIG, POWER = 2.0**200, 200
SMALL = 1.0 / BIG
LARGEST = float(np.finfo(np.float64).max)
FACTOR, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
ONE = np.uint64(1)


class ProductExpansion(NamedTuple):
    """Rows with coefficients; ``size`` has the number of rows and of entries in use."""

    size: Offsets
    starts: Offsets
    columns: Indices
    factors: Floats
    coefficients: Floats
    slots: Indices


def empty(rows: int = 8, entries: int = 64, merges: bool = True) -> ProductExpansion:
    """v = 0, with room for ``rows`` and ``entries``; ``merges``: whether equal rows are merged."""
    slots = 1 << (2 * rows).bit_length() if merges else 0
    return ProductExpansion(
        np.zeros(2, np.uint64),
        np.zeros(rows + 1, np.uint64),
        np.zeros(entries, np.uint32),
        np.zeros(entries),
        np.zeros(rows),
        np.zeros(slots, np.uint32),
    )


def with_room(v: ProductExpansion, rows: int, entries: int) -> ProductExpansion:
    """The same expansion with room for ``rows`` and ``entries`` more: itself, or a larger copy."""
    used, filled = int(v.size[ROWS]), int(v.size[ENTRIES])
    if used + rows <= v.coefficients.size and filled + entries <= v.factors.size:
        return v
    grown = empty(max(used + rows, 2 * used), max(filled + entries, 2 * filled), v.slots.size > 0)
    grown.size[:] = v.size
    grown.starts[: used + 1] = v.starts[: used + 1]
    grown.columns[:filled] = v.columns[:filled]
    grown.factors[:filled] = v.factors[:filled]
    grown.coefficients[:used] = v.coefficients[:used]
    if v.slots.size:
        index(grown)
    return grown


@inlined
def slot_of(v: ProductExpansion, bits: Offsets, start: int, stop: int) -> int:
    """The slot of the row with these entries, or the empty slot for it.

    ``bits`` are the factors as integers.
    """
    h = np.uint64(stop - start)
    for j in range(start, stop):
        h = (h ^ np.uint64(v.columns[j])) * FACTOR
        h = (h ^ bits[j]) * FACTOR
        h ^= h >> SHIFT
    last = np.uint64(v.slots.size - 1)
    at = h & last
    while v.slots[at] != 0:
        row = v.slots[at] - ONE
        first, end = v.starts[row], v.starts[row + ONE]
        alike = end - first == stop - start
        j = np.uint64(0)
        while alike and first + j < end:
            alike = v.columns[first + j] == v.columns[start + j] and bits[first + j] == bits[start + j]
            j += ONE
        if alike:
            break
        at = (at + ONE) & last
    return at


@jit
def index(v: ProductExpansion) -> None:
    """Fill the empty hash table with every row."""
    bits = v.factors.view(np.uint64)
    for row in range(v.size[ROWS]):
        v.slots[slot_of(v, bits, v.starts[row], v.starts[row + ONE])] = row + ONE


@inlined
def put(v: ProductExpansion, bits: Offsets, stop: int, coefficient: float) -> None:
    """Add the row written after the last one, up to ``stop``; merge it with an equal row."""
    row, start = v.size[ROWS], v.size[ENTRIES]
    if v.slots.size > 0:
        at = slot_of(v, bits, start, stop)
        if v.slots[at] != 0:
            v.coefficients[v.slots[at] - ONE] += coefficient
            return
        v.slots[at] = row + ONE
    v.coefficients[row] = coefficient
    v.starts[row + ONE] = stop
    v.size[ROWS] = row + ONE
    v.size[ENTRIES] = stop


@jit
def add_phi(v: ProductExpansion, x: Floats, c: float) -> None:
    """v += c Phi(x): one row."""
    bits = v.factors.view(np.uint64)
    stop = v.size[ENTRIES]
    for k in range(x.size):
        if x[k] != 0.0:
            v.columns[stop] = k
            v.factors[stop] = x[k]
            stop += ONE
    put(v, bits, stop, c)


@jit
def add_phi_times(v: ProductExpansion, x: Floats, u: ProductExpansion, c: float) -> None:
    """v += c Phi(x) u, element by element: the row e x for every row e of u."""
    bits = v.factors.view(np.uint64)
    for row in range(u.size[ROWS]):
        stop = v.size[ENTRIES]
        for j in range(u.starts[row], u.starts[row + ONE]):
            factor = u.factors[j] * x[u.columns[j]]
            if factor != 0.0:
                v.columns[stop] = u.columns[j]
                v.factors[stop] = factor
                stop += ONE
        put(v, bits, stop, c * u.coefficients[row])


@inlined
def finite(total: float, power: int) -> float:
    """total 2^power; where that is too large, the largest float of its sign."""
    value = math.ldexp(total, power)
    return min(max(value, -LARGEST), LARGEST)


@jit
def dot_phi(v: ProductExpansion, x: Floats) -> float:
    """v.Phi(x) = sum_e c_e prod_i (1 + e_i x_i).

    Powers of 2 are kept apart, because products may exceed the largest float.
    """
    total = 0.0
    highest = 0
    for row in range(v.size[ROWS]):
        product = 1.0
        power = 0
        for j in range(v.starts[row], v.starts[row + ONE]):
            product *= 1.0 + v.factors[j] * x[v.columns[j]]
            while abs(product) > BIG:
                product *= SMALL
                power += POWER
        if power > highest:
            total = math.ldexp(total, highest - power)
            highest = power
        if power < highest:
            product = math.ldexp(product, power - highest)
        total += v.coefficients[row] * product
    return finite(total, highest)
