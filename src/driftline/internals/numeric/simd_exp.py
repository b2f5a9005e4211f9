"""exp in explicit vectors of eight doubles, to about one unit in the last place.

    exp(a) = 2^n exp(r),    n = round(a / ln 2),    r = a - n ln 2,    |r| <= ln(2) / 2

exp(r) is computed as 1 + r + r^2 q(r), where q has degree 9 and interpolates at the Chebyshev
points. The error of q is 2e-17, less than the rounding errors. Adding 1.5 * 2^52 rounds a / ln 2
to n and puts n into the lowest bits, which are then shifted into the exponent.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

from driftline.internals.numeric.simd import DOUBLES, LANES, multiply_add

BITS = ir.VectorType(ir.IntType(64), LANES)
LOWEST = -707.0
"""Arguments below this limit give 0 (the exact result would be less than 1e-307)."""
ROUNDER = 6755399441055744.0
PER_LN_2 = 1.4426950408889634
LN_2_HIGH, LN_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
Q = (
    0.5,
    0.16666666666666669,
    0.04166666666662413,
    0.008333333333330062,
    0.0013888888917213717,
    0.00019841269863053618,
    2.4801521295954376e-05,
    2.7557268459997064e-06,
    2.7620088445409746e-07,
    2.510038549551032e-08,
)


def every(value: float) -> Any:
    """A vector of eight lanes with the same constant."""
    return ir.Constant(DOUBLES, [value] * LANES)


def larger(builder: Any, a: Any, b: Any) -> Any:
    """The larger of a and b, lane by lane."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def exp(builder: Any, a: Any) -> Any:
    """Exp of eight numbers <= 0."""
    inside = larger(builder, a, every(LOWEST))
    rounded = multiply_add(builder, inside, every(PER_LN_2), every(ROUNDER))
    n = builder.fsub(rounded, every(ROUNDER))
    r = multiply_add(builder, n, every(-LN_2_HIGH), inside)
    r = multiply_add(builder, n, every(-LN_2_LOW), r)
    q = every(Q[-1])
    for coefficient in reversed(Q[:-1]):
        q = multiply_add(builder, q, r, every(coefficient))
    p = builder.fadd(every(1.0), multiply_add(builder, builder.fmul(r, r), q, r))
    shift = builder.shl(builder.bitcast(rounded, BITS), ir.Constant(BITS, [52] * LANES))
    power = builder.bitcast(builder.add(builder.bitcast(p, BITS), shift), DOUBLES)
    return builder.select(builder.fcmp_ordered("<", a, every(LOWEST)), every(0.0), power)


def magnitude(builder: Any, a: Any) -> Any:
    """|a| of eight numbers."""
    name = f"llvm.fabs.v{LANES}f64"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(DOUBLES, [DOUBLES]), name)
    return builder.call(function, [a])
