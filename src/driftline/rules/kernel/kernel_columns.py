"""k(x, z) for one x and many support vectors z, and their weighted sum sum_z c_z k(x, z).

Support vectors are stored transposed, in tiles of ``TILE``: ``tiles[t, i, j]`` is feature i of
support vector TILE * t + j. A tile is read from start to end. Each of its vectors has one SIMD
lane, and x_i is the same in all lanes. The loops are LLVM vector instructions, as in
``internals.numeric.simd``, so that the order of every sum is fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from driftline.internals.compiled import PLAIN_LOOPS, Floats, Params, inlined, jit
from driftline.internals.numeric.simd import (
    DOUBLES,
    INDEX,
    LANES,
    data,
    joined,
    load,
    multiply_add,
    splat,
    store,
    strides,
)
from driftline.internals.numeric.simd_exp import every, exp, magnitude
from driftline.rules.kernel.kernels import Gaussian, Laplacian, Linear, Multilinear, Polynomial

VECTORS = 2
TILE = VECTORS * LANES
LINEAR, POLYNOMIAL, GAUSSIAN, LAPLACIAN = Linear.code, Polynomial.code, Gaussian.code, Laplacian.code
MULTILINEAR = Multilinear.code

Step = Callable[[Any, Any, Any, Any], Any]  # of builder, sum so far, x_i and z_i
Finish = Callable[[Any, Any, list[Any]], Any]  # of builder, sum and parameters


def add_product(builder: Any, so_far: Any, x: Any, z: Any) -> Any:
    """+ x z."""
    return multiply_add(builder, x, z, so_far)


def add_square(builder: Any, so_far: Any, x: Any, z: Any) -> Any:
    """+ (x - z)^2."""
    apart = builder.fsub(x, z)
    return multiply_add(builder, apart, apart, so_far)


def add_distance(builder: Any, so_far: Any, x: Any, z: Any) -> Any:
    """+ |x - z|."""
    return builder.fadd(so_far, magnitude(builder, builder.fsub(x, z)))


def times_product(builder: Any, so_far: Any, x: Any, z: Any) -> Any:
    """* (1 + x z)."""
    return builder.fmul(so_far, multiply_add(builder, x, z, every(1.0)))


def unchanged(builder: Any, total: Any, params: list[Any]) -> Any:
    """total."""
    return total


def exp_of(builder: Any, total: Any, params: list[Any]) -> Any:
    """exp(-gamma total)."""
    return exp(builder, builder.fmul(builder.fneg(splat(builder, params[0])), total))


def power_of(builder: Any, total: Any, params: list[Any]) -> Any:
    """(gamma total + offset)^degree."""
    factor = multiply_add(builder, splat(builder, params[0]), total, splat(builder, params[1]))
    power = cgutils.alloca_once_value(builder, every(1.0))
    at = cgutils.alloca_once(builder, INDEX)
    builder.store(INDEX(0), at)
    builder.store(every(1.0), power)
    degree = builder.fptoui(params[2], INDEX)
    strides(builder, at, degree, 1, lambda _: builder.store(builder.fmul(builder.load(power), factor), power))
    return builder.load(power)


def column_by(step: Step, finish: Finish) -> Any:
    """The loop over tiles for one kernel: k = finish(first + sum of steps), and sum_z c_z k."""

    def typed(
        typingctx: Any, tiles: Any, c: Any, k: Any, start: Any, stop: Any, x: Any, n: Any, first: Any, params: Any
    ) -> Any:
        return types.float64(tiles, c, k, start, stop, x, n, first, params), codegen

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        tiles = context.make_array(kinds[0])(context, builder, args[0])
        rows = builder.mul(cgutils.unpack_tuple(builder, tiles.shape)[1], INDEX(TILE))
        c, k, x = (data(context, builder, kinds[at], args[at]) for at in (1, 2, 5))
        stop, n, first = args[4], args[6], args[7]
        params = cgutils.unpack_tuple(builder, args[8])
        totals = [cgutils.alloca_once_value(builder, every(0.0)) for _ in range(VECTORS)]
        sums = [cgutils.alloca_once(builder, DOUBLES) for _ in range(VECTORS)]
        feature = cgutils.alloca_once(builder, INDEX)
        tile = cgutils.alloca_once_value(builder, args[3])

        def one_tile(at: Any) -> None:
            z = builder.gep(tiles.data, [builder.mul(at, rows)])
            for one in sums:
                builder.store(splat(builder, first), one)
            builder.store(INDEX(0), feature)

            def one_feature(i: Any) -> None:
                x_i = splat(builder, builder.load(builder.gep(x, [i])))
                row = builder.mul(i, INDEX(TILE))
                for lanes, one in enumerate(sums):
                    z_i = load(builder, z, builder.add(row, INDEX(lanes * LANES)), LANES)
                    builder.store(step(builder, builder.load(one), x_i, z_i), one)

            strides(builder, feature, n, 1, one_feature)
            for lanes, (one, total) in enumerate(zip(sums, totals, strict=True)):
                here = builder.add(builder.mul(at, INDEX(TILE)), INDEX(lanes * LANES))
                value = finish(builder, builder.load(one), params)
                store(builder, value, k, here, LANES)
                weighted = multiply_add(builder, load(builder, c, here, LANES), value, builder.load(total))
                builder.store(weighted, total)

        strides(builder, tile, stop, 1, one_tile)
        return joined(builder, [builder.load(total) for total in totals])

    return intrinsic(typed)


linear = column_by(add_product, unchanged)
polynomial = column_by(add_product, power_of)
gaussian = column_by(add_square, exp_of)
laplacian = column_by(add_distance, exp_of)
multilinear = column_by(times_product, unchanged)


@inlined
def tiled_column(
    code: int,
    params: Params,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    start: int,
    stop: int,
    x: Floats,
    n: int,
    first: float,
) -> float:
    """Write k(x, z) of the support vectors in tiles start to stop; return sum_z c_z k(x, z).

    The c_z are the first row of ``slots``. x has ``n`` features. ``first`` is ``constant_term``.
    """
    a, b, d = np.uint64(start), np.uint64(stop), np.uint64(n)
    if code == GAUSSIAN:
        return gaussian(tiles, slots, k, a, b, x, d, first, params)
    if code == LINEAR:
        return linear(tiles, slots, k, a, b, x, d, first, params)
    if code == POLYNOMIAL:
        return polynomial(tiles, slots, k, a, b, x, d, first, params)
    if code == LAPLACIAN:
        return laplacian(tiles, slots, k, a, b, x, d, first, params)
    return multilinear(tiles, slots, k, a, b, x, d, first, params)


@jit
def plain_value(code: int, params: Params, tiles: Floats, t: int, j: int, x: Floats, n: int, first: float) -> float:
    """k(x, z) of support vector j of tile t."""
    total = first
    for i in range(n):
        z = tiles[t, i, j]
        if code == GAUSSIAN:
            total += (x[i] - z) * (x[i] - z)
        elif code == LAPLACIAN:
            total += abs(x[i] - z)
        elif code == MULTILINEAR:
            total *= 1.0 + x[i] * z
        else:
            total += x[i] * z
    if code in (GAUSSIAN, LAPLACIAN):
        return np.exp(-params[0] * total)
    if code != POLYNOMIAL:
        return total
    power = 1.0
    for _ in range(int(params[2])):
        power *= params[0] * total + params[1]
    return power


@jit
def plain_column(
    code: int,
    params: Params,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    start: int,
    stop: int,
    x: Floats,
    n: int,
    first: float,
) -> float:
    """``tiled_column`` in plain loops, which can be interpreted and checked for bounds."""
    c = slots.reshape(-1)
    dot = 0.0
    for t in range(start, stop):
        for j in range(TILE):
            at = t * TILE + j
            k[at] = plain_value(code, params, tiles, t, j, x, n, first)
            dot += c[at] * k[at]
    return dot


column = plain_column if PLAIN_LOOPS else tiled_column


@inlined
def constant_term(code: int, bias: float) -> float:
    """The share of the constant feature ``bias``: the sum or product over features starts here."""
    if code == MULTILINEAR:
        return 1.0 + bias * bias
    return 0.0 if code in (GAUSSIAN, LAPLACIAN) else bias * bias


@jit
def square(code: int, params: Params, x: Floats, n: int, first: float) -> float:
    """k(x, x)."""
    if code in (GAUSSIAN, LAPLACIAN):
        return 1.0
    total = first
    if code == MULTILINEAR:
        for i in range(n):
            total *= 1.0 + x[i] * x[i]
        return total
    for i in range(n):
        total += x[i] * x[i]
    if code == LINEAR:
        return total
    power = 1.0
    for _ in range(int(params[2])):
        power *= params[0] * total + params[1]
    return power
