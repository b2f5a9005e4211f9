"""e^x in operations that the compiler can vectorise, unlike the exp of the C library.

    x = k ln 2 + r with a whole k,   |r| <= ln(2) / 2,   e^x = 2^k (1 + r + r^2 / 2! + ... + r^13 / 13!)

The last bits of x / ln 2 + 1.5 2^52 are k. Shifting these bits into the exponent gives 2^k. The
error is at most two units in the last place, and e^0 = 1 exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from driftline.internals.compiled import fused, native

SHIFT = 1.5 * 2.0**52
PER_LN2 = 1.4426950408889634
LN2 = 0.6931471803691238  # its last bits are 0, so k LN2 is exact
LN2_REST = 1.9082149292705877e-10
LOWEST = -708.0


def _plain_bits_of(x: Any) -> Any:
    """``bits_of`` in Python."""
    return np.float64(x).view(np.int64)


def _plain_float_of(bits: Any) -> Any:
    """``float_of`` in Python."""
    return np.int64(bits).view(np.float64)


@native(_plain_bits_of)
def bits_of(typingctx: Any, x: Any) -> Any:
    """The bits of a float as an integer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@native(_plain_float_of)
def float_of(typingctx: Any, bits: Any) -> Any:
    """The float with these bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@fused
def exp_of(x: float) -> float:
    """e^x for x <= 0; 0 below ``LOWEST``."""
    shifted = x * PER_LN2 + SHIFT
    k = shifted - SHIFT
    r = (x - k * LN2) - k * LN2_REST
    sum_ = 1.0 / 6227020800.0
    sum_ = sum_ * r + 1.0 / 479001600.0
    sum_ = sum_ * r + 1.0 / 39916800.0
    sum_ = sum_ * r + 1.0 / 3628800.0
    sum_ = sum_ * r + 1.0 / 362880.0
    sum_ = sum_ * r + 1.0 / 40320.0
    sum_ = sum_ * r + 1.0 / 5040.0
    sum_ = sum_ * r + 1.0 / 720.0
    sum_ = sum_ * r + 1.0 / 120.0
    sum_ = sum_ * r + 1.0 / 24.0
    sum_ = sum_ * r + 1.0 / 6.0
    sum_ = sum_ * r + 0.5
    sum_ = sum_ * r + 1.0
    sum_ = sum_ * r + 1.0
    power = float_of((bits_of(shifted) + 1023) << 52)
    return sum_ * power if x >= LOWEST else 0.0
