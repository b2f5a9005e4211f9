"""The double nearest to w * 10^q, ties to even, as ``float`` rounds a decimal number.

The Eisel-Lemire algorithm: the product of w and the first 128 bits of 5^q has the 53 bits of the
result at the top, followed by enough bits to decide the rounding. If there are more digits than
fit into w, the result is one of two neighbouring doubles, and arbitrary-precision integers decide
which.

D. Lemire. Number Parsing at a Gigabyte per Second. Software: Practice and Experience 51 (2021),
section 5.
N. Mushtak, D. Lemire. Fast Number Parsing Without Fallback. Same journal 53 (2023): 128 bits are
always enough.
Differs from the paper: nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types

from driftline.internals.compiled import Offsets, inlined, jit, native

Word = int | np.uint64
Limbs = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]

LOWEST, HIGHEST = -342, 308
"""For q < LOWEST every 64-bit w gives zero, for q > HIGHEST every w > 0 gives infinity."""

MOST_DIGITS = 800
"""No halfway point between two doubles has more digits. Of further digits it only matters whether
all are zero."""
LIMBS = 128
"""The number of 32-bit limbs that hold 800 digits, or 5^1142 times 54 bits."""

ONE = np.uint64(1)
NINE_BITS = np.uint64(0x1FF)
LIMB = np.uint64(32)
LOW_LIMB = np.uint64(0xFFFFFFFF)
HIDDEN = np.uint64(1 << 52)
INFINITE = np.uint64(0x7FF << 52)


def _five_to(q: int) -> int:
    """Return the first 128 bits of 5^q, rounded up if w / 5^-q can be whole.

    Rounded down, such a quotient would appear to be smaller than a whole number.
    """
    power = 5 ** abs(q)
    bits = power.bit_length()
    if q >= 0:
        return power << 128 >> bits
    return (1 << (bits + 127)) // power + (q >= -27)


FIVES: Offsets = np.array(
    [half for q in range(LOWEST, HIGHEST + 1) for half in divmod(_five_to(q), 1 << 64)], np.uint64
)
LIMB_FIVES: Offsets = np.array([5**k for k in range(14)], np.uint64)
"""The powers of five that fit into a limb."""
TENS = np.array([float(10**k) for k in range(23)])
"""The powers of ten that are exact doubles."""


def _plain_product(a: Any, b: Any) -> Any:
    """``product`` in Python."""
    high, low = divmod(int(a) * int(b), 1 << 64)
    return np.uint64(high), np.uint64(low)


def _plain_leading_zeros(word: Any) -> Any:
    """``leading_zeros`` in Python."""
    return np.uint64(64 - int(word).bit_length())


@native(_plain_product)
def product(typing_context: Any, a: Any, b: Any) -> Any:
    """Return the high and the low word of a * b."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        whole = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        word = args[0].type
        halves = [builder.trunc(builder.lshr(whole, wide(64)), word), builder.trunc(whole, word)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


@native(_plain_leading_zeros)
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """Return the number of leading zero bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@inlined
def nearest(w: Word, q: int) -> float:
    """Return the double nearest to w * 10^q.

    If w and 10^|q| are exact doubles, a single operation rounds correctly.
    """
    if w <= np.uint64(1 << 53):
        if -22 <= q < 0:
            return np.float64(w) / TENS[np.uint64(-q)]
        if 0 <= q <= 22:
            return np.float64(w) * TENS[np.uint64(q)]
    return np.uint64(nearest_bits(np.uint64(w), q)).view(np.float64)


@jit
def nearest_bits(w: Word, q: int) -> Word:
    """Return the bits of the double nearest to w * 10^q, for all w and q."""
    if w == 0 or q < LOWEST:
        return np.uint64(0)
    if q > HIGHEST:
        return INFINITE
    zeros = leading_zeros(w)
    w = w << zeros
    at = np.uint64(2 * (q - LOWEST))
    high, low = product(w, FIVES[at])
    if high & NINE_BITS == NINE_BITS:
        carried, _ = product(w, FIVES[at + ONE])
        low += carried
        high += np.uint64(low < carried)
    top = high >> np.uint64(63)
    m = high >> (top + np.uint64(9))
    exponent = ((217706 * q) >> 16) + 63 + 1023 + np.int64(top) - np.int64(zeros)
    if exponent <= 0:
        if exponent <= -63:
            return np.uint64(0)
        m = m >> np.uint64(1 - exponent)
        return (m + (m & ONE)) >> ONE
    if low <= ONE and -4 <= q <= 23 and m & np.uint64(3) == ONE and m << (top + np.uint64(9)) == high:
        m -= ONE
    m = (m + (m & ONE)) >> ONE
    # adding the hidden bit to the exponent also handles a mantissa that was rounded up to 2^53
    bits = m + (np.uint64(exponent - 1) << np.uint64(52))
    return min(bits, INFINITE)


@jit
def between(below: Word, digits: Bytes, q: int) -> Word:
    """Return the bits of the double nearest to ``digits`` * 10^q: ``below`` or the next double.

    The number and the halfway point of the two are scaled to integers by powers of two and five,
    and compared.
    """
    exponent = np.int64(below >> np.uint64(52))
    m = below & (HIDDEN - ONE)
    if exponent > 0:
        m += HIDDEN
        exponent -= 1
    twos = q + 1075 - exponent
    number = np.zeros(LIMBS, np.uint32)
    size = 0
    for first in range(0, digits.size, 9):
        piece, scale = np.uint64(0), ONE
        for digit in digits[first : first + 9]:
            piece, scale = piece * np.uint64(10) + np.uint64(digit), scale * np.uint64(10)
        size = times_plus(number, size, scale, piece)
    number_size = times_five_to(number, size, q)
    halfway = np.zeros(LIMBS, np.uint32)
    size = times_plus(halfway, 0, ONE, m >> np.uint64(31))
    size = times_plus(halfway, size, np.uint64(1 << 32), ((m << ONE) | ONE) & LOW_LIMB)
    halfway_size = times_five_to(halfway, size, -q)
    if twos > 0:
        number_size = times_two_to(number, number_size, twos)
    else:
        halfway_size = times_two_to(halfway, halfway_size, -twos)
    order = compared(number, number_size, halfway, halfway_size)
    return below + np.uint64(order > 0 or (order == 0 and below & ONE == ONE))


@jit
def times_plus(limbs: Limbs, size: int, factor: Word, carry: Word) -> int:
    """Compute limbs = limbs * factor + carry; return the new number of limbs."""
    for k in range(size):
        carry += np.uint64(limbs[k]) * factor
        limbs[k] = np.uint32(carry & LOW_LIMB)
        carry = carry >> LIMB
    if carry != 0:
        limbs[size] = np.uint32(carry)
        size += 1
    return size


@jit
def times_five_to(limbs: Limbs, size: int, q: int) -> int:
    """Compute limbs *= 5^q; q < 0 leaves them unchanged. Return the new number of limbs."""
    while q > 0:
        step = min(q, LIMB_FIVES.size - 1)
        size = times_plus(limbs, size, LIMB_FIVES[step], np.uint64(0))
        q -= step
    return size


@jit
def times_two_to(limbs: Limbs, size: int, twos: int) -> int:
    """Compute limbs *= 2^twos; return the new number of limbs."""
    while twos > 0:
        step = min(twos, 31)
        size = times_plus(limbs, size, ONE << np.uint64(step), np.uint64(0))
        twos -= step
    return size


@jit
def compared(a: Limbs, a_size: int, b: Limbs, b_size: int) -> int:
    """Return 1 if a > b, 0 if a == b, else -1."""
    if a_size != b_size:
        return 1 if a_size > b_size else -1
    for k in range(a_size - 1, -1, -1):
        if a[k] != b[k]:
            return 1 if a[k] > b[k] else -1
    return 0
