"""Comparisons of float32 numbers, sixteen at a time.

``at_most`` says which of sixteen numbers are at most a limit, as the bits of an integer, ``highest_bit``
finds the last of them, and ``fifth_minimum`` is an upper limit of the fifth smallest of many numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils

from driftline.internals.compiled import jit, native
from driftline.internals.numeric.simd import LANE, data, strides

SIXTEEN = 16
SINGLES = ir.VectorType(ir.FloatType(), SIXTEEN)


Singles = npt.NDArray[np.float32]


@jit
def plain_at_most(numbers: Singles, at: int, limit: np.float32) -> int:
    """``at_most`` as a plain loop."""
    mask = 0
    for k in range(SIXTEEN):
        mask |= int(numbers[at + k] <= limit) << k
    return mask


@jit
def plain_highest_bit(word: int) -> int:
    """``highest_bit`` as a plain loop."""
    k = SIXTEEN - 1
    while not word >> k & 1:
        k -= 1
    return k


@jit
def plain_fifth_minimum(numbers: Singles, start: int, stop: int, again: int, end: int) -> np.float32:
    """``fifth_minimum`` as a plain loop."""
    minima = np.full(SIXTEEN, np.inf, np.float32)
    for first, last in ((start, stop), (again, end)):
        for at in range(np.int64(first), np.int64(last) - SIXTEEN + 1, SIXTEEN):
            for k in range(SIXTEEN):
                minima[k] = min(minima[k], numbers[at + k])
    return np.sort(minima)[4]


def loaded(builder: Any, pointer: Any) -> Any:
    """Sixteen numbers from a pointer on."""
    numbers = builder.load(builder.bitcast(pointer, SINGLES.as_pointer()))
    numbers.align = 4
    return numbers


@native(plain_at_most)
def at_most(typingctx: Any, numbers: Any, at: Any, limit: Any) -> tuple[Any, Callable[..., Any]]:
    """Bit k says whether ``numbers[at + k] <= limit``, for k from 0 to 15."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.gep(data(context, builder, signature.args[0], args[0]), [args[1]])
        nothing = ir.Constant(SINGLES, ir.Undefined)
        limits = builder.insert_element(nothing, args[2], LANE(0))
        limits = builder.shuffle_vector(limits, nothing, ir.Constant(ir.VectorType(LANE, SIXTEEN), [0] * SIXTEEN))
        mask = builder.bitcast(builder.fcmp_ordered("<=", loaded(builder, first), limits), ir.IntType(SIXTEEN))
        return builder.zext(mask, ir.IntType(64))

    return types.int64(numbers, at, types.float32), codegen


@native(plain_highest_bit)
def highest_bit(typingctx: Any, word: Any) -> tuple[Any, Callable[..., Any]]:
    """The number of the highest bit of a positive integer below 2^16."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.IntType(1)(0))
        return builder.sub(ir.IntType(64)(63), zeros)

    return types.int64(types.int64), codegen


@native(plain_fifth_minimum)
def fifth_minimum(
    typingctx: Any, numbers: Any, start: Any, stop: Any, again: Any, end: Any
) -> tuple[Any, Callable[..., Any]]:
    """The fifth smallest of sixteen minima: of the numbers from ``start`` and ``again`` on, every sixteenth.

    At least five numbers in these two ranges are not above it. The second range ends before ``end``. Up to
    fifteen numbers at the end of each range are left out; without numbers a minimum is infinite.
    """

    def smaller(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", a, b), a, b)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = data(context, builder, signature.args[0], args[0])
        infinite = ir.Constant(ir.FloatType(), float("inf"))
        minima = cgutils.alloca_once_value(builder, ir.Constant(SINGLES, [infinite] * SIXTEEN))

        def lower(at: Any) -> None:
            builder.store(smaller(builder, loaded(builder, builder.gep(first, [at])), builder.load(minima)), minima)

        for low, high in (args[1:3], args[3:5]):
            at = cgutils.alloca_once_value(builder, low)
            strides(builder, at, high, SIXTEEN, lower)
        found, rows = builder.load(minima), [infinite] * 5
        for k in range(SIXTEEN):
            value = builder.extract_element(found, LANE(k))
            for place, row in enumerate(rows):  # insert the value into the five smallest so far
                below = builder.fcmp_ordered("<", value, row)
                rows[place], value = builder.select(below, value, row), builder.select(below, row, value)
        return rows[-1]

    return types.float32(numbers, types.int64, types.int64, types.int64, types.int64), codegen
