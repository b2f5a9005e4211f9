"""Inner loops over many columns of weights at once: w_k.x and w_k += factor_k x for all columns k.

Weights are stored as ``V[feature, column]``, so the weights of one feature in all columns are
adjacent and fill the lanes of vectors. Each column is summed over features in the same order and
with the same fused operations as ``euclidean.dot_sparse`` and ``simd.dot_dense``. So a column has
the same bits as a single learner. The loops are written in LLVM's vector instructions, like
``simd``. ``column_loops`` has the same functions as plain loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from driftline.internals.compiled import PLAIN_LOOPS, Floats, Indices, Weights, inlined, native
from driftline.internals.numeric import column_loops
from driftline.internals.numeric.alignment import LINE
from driftline.internals.numeric.simd import (
    DOUBLE,
    DOUBLES,
    INDEX,
    LANE,
    LANES,
    UNROLLED,
    data,
    load,
    multiply_add,
    splat,
    store,
    strides,
)
from driftline.internals.numeric.simd_exp import every

WIDE, NARROW = 4, 1  # vectors per tile
WIDE_COLUMNS, NARROW_COLUMNS = np.uint64(WIDE * LANES), np.uint64(NARROW * LANES)
ORDER = ((0, 4), (2, 6)), ((1, 5), (3, 7))  # the order in which ``simd.joined`` adds eight lanes


class Tile:
    """The weights of all features in adjacent columns; a row has ``vectors`` vectors."""

    def __init__(self, context: Any, builder: Any, kind: Any, V: Any, first: Any, vectors: int) -> None:
        array = context.make_array(kind)(context, builder, V)
        self.builder = builder
        self.start = builder.gep(array.data, [first])
        self.width = cgutils.unpack_tuple(builder, array.shape)[1]
        self.vectors = vectors

    def row(self, feature: Any) -> Any:
        """Pointer to the weights of a feature."""
        return self.builder.gep(self.start, [self.builder.mul(feature, self.width)])

    def sums(self) -> list[Any]:
        """Allocate one sum per column."""
        return [cgutils.alloca_once(self.builder, DOUBLES) for _ in range(self.vectors)]

    def clear(self, *sums: list[Any]) -> None:
        """Set sums to 0."""
        for vectors in sums:
            for one in vectors:
                self.builder.store(every(0.0), one)

    def add_product(self, sums: list[Any], feature: Any, x: Any) -> None:
        """sums += w x with the weights of this feature."""
        row, by = self.row(feature), splat(self.builder, x)
        for k, one in enumerate(sums):
            w = load(self.builder, row, INDEX(k * LANES), LANES)
            self.builder.store(multiply_add(self.builder, w, by, self.builder.load(one)), one)

    def move(self, factors: list[Any], moved: list[Any], feature: Any, x: Any) -> None:
        """w += factor x for this feature in the columns selected by ``moved``.

        The other columns keep every bit.
        """
        row, by = self.row(feature), splat(self.builder, x)
        for k, (factor, some) in enumerate(zip(factors, moved, strict=True)):
            w = load(self.builder, row, INDEX(k * LANES), LANES)
            there = multiply_add(self.builder, factor, by, w)
            store(self.builder, self.builder.select(some, there, w), row, INDEX(k * LANES), LANES)

    def read(self, numbers: Any) -> list[Any]:
        """Load the numbers of these columns from an array with one number per column."""
        return [load(self.builder, numbers, INDEX(k * LANES), LANES) for k in range(self.vectors)]

    def write(self, vectors: list[Any], numbers: Any) -> None:
        """Store the numbers of these columns to an array with one number per column."""
        for k, value in enumerate(vectors):
            store(self.builder, value, numbers, INDEX(k * LANES), LANES)


def element(builder: Any, pointer: Any, at: Any) -> Any:
    """Load one element; an index is extended to the width of an address."""
    value = builder.load(builder.gep(pointer, [at]))
    return value if value.type == DOUBLE else builder.zext(value, INDEX)


def added(builder: Any, *terms: list[Any]) -> list[Any]:
    """The sum of two or four lists of vectors: a + b, or (a + b) + (c + d)."""
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=True)
        terms = tuple([builder.fadd(x, y) for x, y in zip(a, b, strict=True)] for a, b in pairs)
    return terms[0]


def over_sparse(vectors: int, fill: Callable[..., None]) -> Any:
    """A loop over the entries of a sparse row, for a tile."""

    def typed(typingctx: Any, V: Any, first: Any, indices: Any, values: Any, start: Any, stop: Any, each: Any) -> Any:
        return types.void(V, first, indices, values, start, stop, each), codegen

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        tile = Tile(context, builder, kinds[0], args[0], args[1], vectors)
        indices, values, each = (data(context, builder, kinds[at], args[at]) for at in (2, 3, 6))
        at = cgutils.alloca_once(builder, INDEX)
        builder.store(args[4], at)

        def entry(place: Any) -> tuple[Any, Any]:
            return element(builder, indices, place), element(builder, values, place)

        fill(builder, tile, entry, at, args[5], builder.gep(each, [args[1]]))
        return context.get_dummy_value()

    return intrinsic(typed)


def over_dense(vectors: int, fill: Callable[..., None]) -> Any:
    """A loop over the values of a dense row, for a tile."""

    def typed(typingctx: Any, V: Any, first: Any, values: Any, start: Any, size: Any, each: Any) -> Any:
        return types.void(V, first, values, start, size, each), codegen

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        tile = Tile(context, builder, kinds[0], args[0], args[1], vectors)
        values, each = (data(context, builder, kinds[at], args[at]) for at in (2, 5))
        values = builder.gep(values, [args[3]])
        at = cgutils.alloca_once(builder, INDEX)
        builder.store(INDEX(0), at)

        def entry(place: Any) -> tuple[Any, Any]:
            return place, element(builder, values, place)

        fill(builder, tile, entry, at, args[4], builder.gep(each, [args[1]]))
        return context.get_dummy_value()

    return intrinsic(typed)


def _plain_fetch(V: Any, indices: Any, start: Any, stop: Any) -> None:
    """``fetch`` in Python: nothing to do."""


@native(_plain_fetch)
def fetch(typingctx: Any, V: Any, indices: Any, start: Any, stop: Any) -> Any:
    """Prefetch the weights of the features of a sparse row into the cache."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        tile = Tile(context, builder, kinds[0], args[0], INDEX(0), 0)
        indices = data(context, builder, kinds[1], args[1])
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, LANE, LANE, LANE])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        line = LINE // (kinds[0].dtype.bitwidth // 8)
        at, column = cgutils.alloca_once(builder, INDEX), cgutils.alloca_once(builder, INDEX)
        builder.store(args[2], at)

        def one(place: Any) -> None:
            row = tile.row(element(builder, indices, place))
            builder.store(INDEX(0), column)

            def one_line(here: Any) -> None:
                address = builder.bitcast(builder.gep(row, [here]), byte)
                builder.call(prefetch, [address, LANE(0), LANE(2), LANE(1)])

            strides(builder, column, tile.width, line, one_line)

        strides(builder, at, args[3], 1, one)
        return context.get_dummy_value()

    return types.void(V, indices, start, stop), codegen


def products_by_four(builder: Any, tile: Tile, entry: Any, at: Any, stop: Any, dots: Any) -> None:
    """w_k.x in the order of ``dot_sparse``: four sums per column."""
    sums = [tile.sums() for _ in range(UNROLLED)]
    tile.clear(*sums)

    def four(place: Any) -> None:
        for k in range(UNROLLED):
            tile.add_product(sums[k], *entry(builder.add(place, INDEX(k))))

    strides(builder, at, stop, UNROLLED, four)
    strides(builder, at, stop, 1, lambda place: tile.add_product(sums[0], *entry(place)))
    tile.write(added(builder, *([builder.load(one) for one in each] for each in sums)), dots)


def products_by_lanes(builder: Any, tile: Tile, entry: Any, at: Any, stop: Any, dots: Any) -> None:
    """w_k.x in the order of ``dot_dense``.

    The four vectors of eight lanes of ``dot_dense`` are 32 sums per column here, computed one lane
    after another.
    """
    sums, rest = [tile.sums() for _ in range(UNROLLED)], tile.sums()
    lane = cgutils.alloca_once(builder, INDEX)
    totals = cgutils.alloca_once(builder, DOUBLES, LANES * tile.vectors)

    def one_lane(here: Any) -> None:
        tile.clear(*sums)
        builder.store(INDEX(0), at)

        def four(place: Any) -> None:
            for k in range(UNROLLED):
                tile.add_product(sums[k], *entry(builder.add(builder.add(place, here), INDEX(k * LANES))))

        strides(builder, at, stop, UNROLLED * LANES, four)
        strides(builder, at, stop, LANES, lambda place: tile.add_product(sums[0], *entry(builder.add(place, here))))
        total = added(builder, *([builder.load(one) for one in each] for each in sums))
        for k, one in enumerate(total):
            builder.store(one, builder.gep(totals, [builder.add(builder.mul(here, INDEX(tile.vectors)), INDEX(k))]))

    builder.store(INDEX(0), lane)
    strides(builder, lane, INDEX(LANES), 1, one_lane)
    tile.clear(rest)
    builder.store(builder.and_(stop, INDEX(-LANES)), at)
    strides(builder, at, stop, 1, lambda place: tile.add_product(rest, *entry(place)))

    def of_lane(k: int) -> list[Any]:
        return [builder.load(builder.gep(totals, [INDEX(k * tile.vectors + one)])) for one in range(tile.vectors)]

    halves = [added(builder, *(added(builder, *map(of_lane, pair)) for pair in half)) for half in ORDER]
    tile.write(added(builder, added(builder, *halves), [builder.load(one) for one in rest]), dots)


def moves(builder: Any, tile: Tile, entry: Any, at: Any, stop: Any, factors: Any) -> None:
    """w_k += factor_k x, as in ``add_sparse`` and ``add_dense``."""
    each = tile.read(factors)
    moved = [builder.fcmp_unordered("!=", one, every(0.0)) for one in each]
    strides(builder, at, stop, 1, lambda place: tile.move(each, moved, *entry(place)))


dots_sparse_wide, dots_sparse_narrow = (over_sparse(vectors, products_by_four) for vectors in (WIDE, NARROW))
dots_dense_wide, dots_dense_narrow = (over_dense(vectors, products_by_lanes) for vectors in (WIDE, NARROW))
move_sparse_wide, move_sparse_narrow = (over_sparse(vectors, moves) for vectors in (WIDE, NARROW))
move_dense_wide, move_dense_narrow = (over_dense(vectors, moves) for vectors in (WIDE, NARROW))


@inlined
def tiled_dots_of(
    V: Weights, columns: int, indices: Indices, values: Floats, start: int, stop: int, dots: Floats
) -> None:
    """Write w_k.x of every column k to ``dots``; x is dense if ``columns`` > 0, else sparse."""
    width = np.uint64(V.shape[1])
    first = np.uint64(0)
    while first + WIDE_COLUMNS <= width:
        if columns > 0:
            dots_dense_wide(V, first, values, start, columns, dots)
        else:
            dots_sparse_wide(V, first, indices, values, start, stop, dots)
        first += WIDE_COLUMNS
    while first < width:
        if columns > 0:
            dots_dense_narrow(V, first, values, start, columns, dots)
        else:
            dots_sparse_narrow(V, first, indices, values, start, stop, dots)
        first += NARROW_COLUMNS


@inlined
def some(factors: Floats, first: int, size: int) -> bool:
    """Whether one of the ``size`` factors from ``first`` on is not 0."""
    found = False
    for k in range(first, first + size):
        found |= factors[k] != 0.0
    return found


@inlined
def tiled_move_all(
    V: Weights, columns: int, indices: Indices, values: Floats, start: int, stop: int, factors: Floats
) -> None:
    """w_k += factor_k x for every column whose factor is not 0; x as in ``dots_of``."""
    width = np.uint64(V.shape[1])
    first = np.uint64(0)
    while first + WIDE_COLUMNS <= width:
        if some(factors, first, WIDE_COLUMNS):
            if columns > 0:
                move_dense_wide(V, first, values, start, columns, factors)
            else:
                move_sparse_wide(V, first, indices, values, start, stop, factors)
        first += WIDE_COLUMNS
    while first < width:
        if some(factors, first, NARROW_COLUMNS):
            if columns > 0:
                move_dense_narrow(V, first, values, start, columns, factors)
            else:
                move_sparse_narrow(V, first, indices, values, start, stop, factors)
        first += NARROW_COLUMNS


dots_of = column_loops.dots_of if PLAIN_LOOPS else tiled_dots_of
move_all = column_loops.move_all if PLAIN_LOOPS else tiled_move_all
