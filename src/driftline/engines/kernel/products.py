"""Sums of c prod_i (1 + e_i x_i) over rows e of factors: a function of every set of features, by few rows.

Row r has the factors ``factors[starts[r]:starts[r + 1]]`` at the columns beside them, in rising order; what is not
there is 0. Rows that are equal become one, found by ``slots``, a table of row numbers (plus one) by a hash of them.
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


class Table(NamedTuple):
    """Rows with coefficients; ``size`` is how many rows and entries are in use."""

    size: Offsets
    starts: Offsets
    columns: Indices
    factors: Floats
    coefficients: Floats
    slots: Indices


def empty(rows: int = 8, entries: int = 64, merges: bool = True) -> Table:
    """A table with room for so many rows and entries; one that does not merge keeps equal rows apart."""
    slots = 1 << (2 * rows).bit_length() if merges else 0
    return Table(
        np.zeros(2, np.uint64),
        np.zeros(rows + 1, np.uint64),
        np.zeros(entries, np.uint32),
        np.zeros(entries),
        np.zeros(rows),
        np.zeros(slots, np.uint32),
    )


def with_room(table: Table, rows: int, entries: int) -> Table:
    """The table, or a larger one with all its rows, that has room for so many more."""
    used, filled = int(table.size[ROWS]), int(table.size[ENTRIES])
    if used + rows <= table.coefficients.size and filled + entries <= table.factors.size:
        return table
    grown = empty(max(used + rows, 2 * used), max(filled + entries, 2 * filled), table.slots.size > 0)
    grown.size[:] = table.size
    grown.starts[: used + 1] = table.starts[: used + 1]
    grown.columns[:filled] = table.columns[:filled]
    grown.factors[:filled] = table.factors[:filled]
    grown.coefficients[:used] = table.coefficients[:used]
    if table.slots.size:
        index(grown)
    return grown


@inlined
def slot_of(table: Table, bits: Offsets, start: int, stop: int) -> int:
    """The slot of the row with these entries, or the one where it belongs; ``bits`` are those of the factors."""
    h = np.uint64(stop - start)
    for j in range(start, stop):
        h = (h ^ np.uint64(table.columns[j])) * FACTOR
        h = (h ^ bits[j]) * FACTOR
        h ^= h >> SHIFT
    last = np.uint64(table.slots.size - 1)
    at = h & last
    while table.slots[at] != 0:
        row = table.slots[at] - ONE
        first, end = table.starts[row], table.starts[row + ONE]
        alike = end - first == stop - start
        j = np.uint64(0)
        while alike and first + j < end:
            alike = table.columns[first + j] == table.columns[start + j] and bits[first + j] == bits[start + j]
            j += ONE
        if alike:
            break
        at = (at + ONE) & last
    return at


@jit
def index(table: Table) -> None:
    """Enter every row into the empty slots."""
    bits = table.factors.view(np.uint64)
    for row in range(table.size[ROWS]):
        table.slots[slot_of(table, bits, table.starts[row], table.starts[row + ONE])] = row + ONE


@inlined
def put(table: Table, bits: Offsets, stop: int, coefficient: float) -> None:
    """Add the row that is written behind the last one up to ``stop``; where there is an equal one, to that."""
    row, start = table.size[ROWS], table.size[ENTRIES]
    if table.slots.size > 0:
        at = slot_of(table, bits, start, stop)
        if table.slots[at] != 0:
            table.coefficients[table.slots[at] - ONE] += coefficient
            return
        table.slots[at] = row + ONE
    table.coefficients[row] = coefficient
    table.starts[row + ONE] = stop
    table.size[ROWS] = row + ONE
    table.size[ENTRIES] = stop


@jit
def add(table: Table, x: Floats, coefficient: float) -> None:
    """Add the row x."""
    bits = table.factors.view(np.uint64)
    stop = table.size[ENTRIES]
    for k in range(x.size):
        if x[k] != 0.0:
            table.columns[stop] = k
            table.factors[stop] = x[k]
            stop += ONE
    put(table, bits, stop, coefficient)


@jit
def add_products(table: Table, source: Table, x: Floats, coefficient: float) -> None:
    """Add e x for every row e of the source, its coefficient times this one."""
    bits = table.factors.view(np.uint64)
    for row in range(source.size[ROWS]):
        stop = table.size[ENTRIES]
        for j in range(source.starts[row], source.starts[row + ONE]):
            factor = source.factors[j] * x[source.columns[j]]
            if factor != 0.0:
                table.columns[stop] = source.columns[j]
                table.factors[stop] = factor
                stop += ONE
        put(table, bits, stop, coefficient * source.coefficients[row])


@inlined
def finite(total: float, power: int) -> float:
    """total 2^power; the largest float of its sign where that is too large."""
    value = math.ldexp(total, power)
    return min(max(value, -LARGEST), LARGEST)


@jit
def evaluate(table: Table, x: Floats) -> float:
    """The sum of c prod_i (1 + e_i x_i). Products may be far beyond the largest float: their powers of 2 are kept."""
    total = 0.0
    highest = 0
    for row in range(table.size[ROWS]):
        product = 1.0
        power = 0
        for j in range(table.starts[row], table.starts[row + ONE]):
            product *= 1.0 + table.factors[j] * x[table.columns[j]]
            while abs(product) > BIG:
                product *= SMALL
                power += POWER
        if power > highest:
            total = math.ldexp(total, highest - power)
            highest = power
        if power < highest:
            product = math.ldexp(product, power - highest)
        total += table.coefficients[row] * product
    return finite(total, highest)
