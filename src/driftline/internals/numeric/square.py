"""Loops over a square matrix A in explicit vectors: g = A z, and A = grow (A - u u^T).

The matrix is stored row by row, from ``start`` on; the length of a row is a multiple of four. Every
number is the result of the same fused operations in the same order, whatever the length of the
vectors. The vectoriser leaves up to 31 numbers of each row to a scalar loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from driftline.internals.compiled import Floats, inlined, native
from driftline.internals.numeric.multiply_add import multiplied_and_added
from driftline.internals.numeric.simd import DOUBLE, INDEX, LANE, LANES, data, load, store, strides

HALF = LANES // 2
TILE = 4  # vectors whose sums are computed at a time


@inlined
def plain_times(A: Floats, start: int, z: Floats, size: int, width: int, g: Floats) -> None:
    """``times`` as a plain loop."""
    for j in range(np.uint64(width)):
        g[j] = 0.0
    for i in range(np.uint64(size)):
        for j in range(np.uint64(width)):
            g[j] = multiplied_and_added(A[start + i * width + j], z[i], g[j])


@inlined
def plain_downdate(A: Floats, start: int, u: Floats, grow: float, size: int, width: int) -> None:
    """``downdate`` as a plain loop."""
    for i in range(np.uint64(size)):
        for j in range(np.uint64(width)):
            k = start + i * width + j
            A[k] = multiplied_and_added(-u[i], u[j], A[k]) * grow


def spread(builder: Any, value: Any, lanes: int) -> Any:
    """A vector with the same value in every lane."""
    nothing = ir.Constant(ir.VectorType(DOUBLE, lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, LANE(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(LANE, lanes), [0] * lanes))


def fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding, lane by lane."""
    kind = ir.FunctionType(a.type, [a.type] * 3)
    name = f"llvm.fma.v{a.type.count}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [a, b, c])


@native(plain_times)
def times(typingctx: Any, A: Any, start: Any, z: Any, size: Any, width: Any, g: Any) -> tuple[Any, Callable[..., Any]]:
    """g = A z over the first ``size`` rows; A is symmetric, so its rows are added up."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        types_ = signature.args
        matrix = builder.gep(data(context, builder, types_[0], args[0]), [args[1]])
        vector, out = data(context, builder, types_[2], args[2]), data(context, builder, types_[5], args[5])
        size, width = args[3], args[4]

        def columns(lanes: int, vectors: int) -> Callable[[Any], None]:
            """Write ``vectors`` vectors of g."""

            def write(at: Any) -> None:
                zeros = ir.Constant(ir.VectorType(DOUBLE, lanes), [0.0] * lanes)
                sums = [cgutils.alloca_once_value(builder, zeros) for _ in range(vectors)]
                place = [builder.add(at, INDEX(k * lanes)) for k in range(vectors)]
                with cgutils.for_range(builder, size, intp=INDEX) as loop:
                    value = spread(builder, builder.load(builder.gep(vector, [loop.index])), lanes)
                    row = builder.mul(loop.index, width)
                    for k, sum_ in enumerate(sums):
                        entry = load(builder, matrix, builder.add(row, place[k]), lanes)
                        builder.store(fused(builder, entry, value, builder.load(sum_)), sum_)
                for k, sum_ in enumerate(sums):
                    store(builder, builder.load(sum_), out, place[k], lanes)

            return write

        at = cgutils.alloca_once(builder, INDEX)
        builder.store(INDEX(0), at)
        strides(builder, at, width, TILE * LANES, columns(LANES, TILE))
        strides(builder, at, width, LANES, columns(LANES, 1))
        strides(builder, at, width, HALF, columns(HALF, 1))
        return context.get_dummy_value()

    return types.void(A, start, z, size, width, g), codegen


@native(plain_downdate)
def downdate(
    typingctx: Any, A: Any, start: Any, u: Any, grow: Any, size: Any, width: Any
) -> tuple[Any, Callable[..., Any]]:
    """A = grow (A - u u^T) in the first ``size`` rows."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        types_ = signature.args
        matrix = builder.gep(data(context, builder, types_[0], args[0]), [args[1]])
        vector, grow, size, width = data(context, builder, types_[2], args[2]), args[3], args[4], args[5]
        growing = {lanes: spread(builder, grow, lanes) for lanes in (LANES, HALF)}
        at = cgutils.alloca_once(builder, INDEX)
        with cgutils.for_range(builder, size, intp=INDEX) as loop:
            row = builder.mul(loop.index, width)
            minus = builder.fneg(builder.load(builder.gep(vector, [loop.index])))

            def columns(lanes: int) -> Callable[[Any], None]:
                factor = spread(builder, minus, lanes)

                def write(here: Any) -> None:
                    place = builder.add(row, here)
                    entry = load(builder, matrix, place, lanes)
                    moved = fused(builder, factor, load(builder, vector, here, lanes), entry)
                    store(builder, builder.fmul(moved, growing[lanes]), matrix, place, lanes)

                return write

            builder.store(INDEX(0), at)
            strides(builder, at, width, LANES, columns(LANES))
            strides(builder, at, width, HALF, columns(HALF))
        return context.get_dummy_value()

    return types.void(A, start, u, grow, size, width), codegen
