"""Parse decimal numbers from bytes, bit for bit as ``float`` does, eight digits at a time.

A text is passed as an address, not as an array: numba counts references whenever an array is
passed, which took longer than parsing a number. Functions return how far they read. Numba supports
only little-endian machines, so the first byte of a word is the lowest.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from driftline.internals.compiled import inlined, jit, native
from driftline.streams.files.scan.powers_of_ten import MOST_DIGITS, Word, between, nearest, nearest_bits

ONE = np.uint64(1)
EIGHT = np.uint64(8)
ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)
TOPS = np.uint64(0x8080808080808080)
PAIRS = np.uint64(0x000000FF000000FF)
FIRST_PAIRS = np.uint64(100 + (1000000 << 32))
SECOND_PAIRS = np.uint64(1 + (10000 << 32))
TO_BYTE = np.uint64(0x38)
LAST_BYTE = np.uint64(0xFF)
POINT_DIGIT = np.uint64(ord(".") ^ ord("0"))
UP_TO_EIGHT = np.array([10**k for k in range(9)], np.uint64)

PLUS, MINUS, POINT, ZERO, NINE, LETTER_E = (np.uint8(ord(c)) for c in "+-.09e")
LOWER = np.uint8(0x20)
FARTHEST = 10**12
"""Exponents are clamped to this value; no literal is long enough to compensate for it."""


def _loaded(bits: int) -> Any:
    """Return a code generator that loads ``bits`` bits from an address plus offset."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(args[0], args[1]), ir.IntType(bits).as_pointer())
        loaded = builder.load(pointer)
        loaded.align = 1
        return loaded

    return generate


def _plain_byte(text: Any, at: Any) -> Any:
    """``byte`` in Python."""
    return np.uint8(ctypes.c_uint8.from_address(int(text) + int(at)).value)


def _plain_word(text: Any, at: Any) -> Any:
    """``word`` in Python."""
    return np.uint64(ctypes.c_uint64.from_address(int(text) + int(at)).value)


def _plain_trailing_zeros(word: Any) -> Any:
    """``trailing_zeros`` in Python."""
    bits = int(word)
    return np.uint64((bits & -bits).bit_length() - 1 if bits else 64)


@native(_plain_byte)
def byte(typing_context: Any, text: Any, at: Any) -> Any:
    """Return one byte of a text."""
    return types.uint8(types.uint64, types.uint64), _loaded(8)


@native(_plain_word)
def word(typing_context: Any, text: Any, at: Any) -> Any:
    """Return eight bytes of a text from ``at`` on."""
    return types.uint64(types.uint64, types.uint64), _loaded(64)


@native(_plain_trailing_zeros)
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Return the number of trailing zero bits; 64 if all are zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@jit
def part_of_word(text: Word, at: Word, stop: Word) -> Word:
    """Return the bytes from ``at`` to ``stop``, fewer than eight, padded with zeros."""
    part = np.uint64(0)
    while stop > at:
        stop -= ONE
        part = (part << EIGHT) | np.uint64(byte(text, stop))
    return part


@inlined
def next_word(text: Word, at: Word, stop: Word) -> Word:
    """Return the eight bytes from ``at`` on, with zeros from ``stop`` on."""
    if at + EIGHT <= stop:
        return word(text, at)
    return part_of_word(text, at, stop)


@inlined
def digits_at(text: Word, at: Word, stop: Word) -> tuple[Word, Word]:
    """Return the number of leading digits in the next eight bytes, and their value."""
    digits = next_word(text, at, stop) ^ ZEROS
    others = (digits | (digits + ABOVE_NINE)) & TOPS
    if others == 0:
        return EIGHT, number_of(digits)
    bits = trailing_zeros(others) & TO_BYTE
    return bits >> np.uint64(3), number_of((digits << EIGHT) << (np.uint64(56) - bits))


@inlined
def number_of(digits: Word) -> Word:
    """Return the value of eight digits, one per byte: combine pairs, then all at once."""
    pairs = digits * np.uint64(10) + (digits >> EIGHT)
    first, second = pairs & PAIRS, (pairs >> np.uint64(16)) & PAIRS
    return (first * FIRST_PAIRS + second * SECOND_PAIRS) >> np.uint64(32)


@inlined
def short_decimal(text: Word, at: Word, stop: Word) -> tuple[Word, Word, int]:
    """Parse a number of at most eight bytes with a point; return size, digits and exponent.

    Most numbers in files have this form; their digits are combined at once. Size 0 means that the
    text is not of this form. The digits are those without the point.
    """
    none = np.uint64(0), np.uint64(0), 0
    if at + EIGHT >= stop:
        return none
    digits = word(text, at) ^ ZEROS
    others = (digits | (digits + ABOVE_NINE)) & TOPS
    before = trailing_zeros(others) & TO_BYTE  # bits before the point
    if others == 0 or (digits >> before) & LAST_BYTE != POINT_DIGIT:
        return none
    others &= others - ONE
    bits = trailing_zeros(others) & TO_BYTE if others != 0 else np.uint64(64)
    size = bits >> np.uint64(3)
    end = byte(text, at + size)
    if size == ONE or end - ZERO <= NINE - ZERO or end | LOWER == LETTER_E:
        return none
    low = (ONE << before) - ONE
    joined = (digits & low) | ((digits >> EIGHT) & ~low)
    return size, number_of(joined << (np.uint64(72) - bits)), -np.int64(size - ONE - (before >> np.uint64(3)))


@inlined
def number(text: Word, at: Word, stop: Word) -> tuple[float, Word]:
    """Return the number that begins at ``at`` and its end; the end is ``at`` if there is none.

    Nothing is read at ``stop`` or beyond. Infinity and NaN are parsed too, so that callers can
    report them as not finite.
    """
    start = at
    negative = False
    if at < stop and (byte(text, at) == MINUS or byte(text, at) == PLUS):
        negative = byte(text, at) == MINUS
        at += ONE
    first = at
    size, w, q = short_decimal(text, at, stop)
    if size != 0:
        value = nearest(w, q)
        return -value if negative else value, at + size
    count, w = digits_at(text, at, stop)
    at += count
    while count == EIGHT:
        count, more = digits_at(text, at, stop)
        w = w * UP_TO_EIGHT[count] + more
        at += count
    digits = at - first
    q = 0
    if at < stop and byte(text, at) == POINT:
        at += ONE
        fraction = at
        count = EIGHT
        while count == EIGHT:
            count, more = digits_at(text, at, stop)
            w = w * UP_TO_EIGHT[count] + more
            at += count
        digits += at - fraction
        q = -np.int64(at - fraction)
    if digits == 0:
        return spelled(text, start, stop)
    last = at
    if at < stop and byte(text, at) | LOWER == LETTER_E:
        power, at = exponent(text, at + ONE, stop)
        if at == 0:
            return 0.0, start
        q += power
    value = nearest(w, q) if digits <= np.uint64(19) else long_number(text, first, last, q)
    return -value if negative else value, at


@jit
def exponent(text: Word, at: Word, stop: Word) -> tuple[int, Word]:
    """Return the exponent that begins at ``at`` and its end; the end is 0 if there is none."""
    negative = False
    if at < stop and (byte(text, at) == MINUS or byte(text, at) == PLUS):
        negative = byte(text, at) == MINUS
        at += ONE
    first = at
    power = 0
    while at < stop and ZERO <= byte(text, at) <= NINE:
        power = min(10 * power + np.int64(byte(text, at) - ZERO), FARTHEST)
        at += ONE
    if at == first:
        return 0, np.uint64(0)
    return -power if negative else power, at


@jit
def long_number(text: Word, first: Word, last: Word, q: int) -> float:
    """Return digits * 10^q for more digits than fit into a word; a point among them is skipped."""
    digits = np.empty(MOST_DIGITS + 1, np.uint8)
    size, dropped, rest = 0, 0, False
    w = np.uint64(0)
    for at in range(first, last):
        if byte(text, at) == POINT:
            continue
        digit = byte(text, at) - ZERO
        if size == MOST_DIGITS:
            dropped += 1
            rest |= digit != 0
        elif size > 0 or digit != 0:
            if size < 19:
                w = w * np.uint64(10) + np.uint64(digit)
            digits[size] = digit
            size += 1
    if size <= 19:
        return nearest(w, q)
    word_q = q + size + dropped - 19
    below, above = nearest_bits(w, word_q), nearest_bits(w + ONE, word_q)
    if below != above:
        if rest:
            digits[size] = 1
            size, dropped = size + 1, dropped - 1
        below = between(below, digits[:size], q + dropped)
    return np.uint64(below).view(np.float64)


@jit
def spelled(text: Word, at: Word, stop: Word) -> tuple[float, Word]:
    """Parse infinity or NaN as ``float`` does; return the value and its end."""
    start = at
    sign = 1.0
    if at < stop and (byte(text, at) == MINUS or byte(text, at) == PLUS):
        sign = -1.0 if byte(text, at) == MINUS else 1.0
        at += ONE
    if begins(text, at, stop, b"infinity"):
        return sign * np.inf, at + EIGHT
    if begins(text, at, stop, b"inf"):
        return sign * np.inf, at + np.uint64(3)
    if begins(text, at, stop, b"nan"):
        return np.nan, at + np.uint64(3)
    return 0.0, start


@jit
def begins(text: Word, at: Word, stop: Word, letters: bytes) -> bool:
    """Return whether the text at ``at`` starts with ``letters``, in any case."""
    if stop - at < len(letters):
        return False
    same = 0
    for k in range(len(letters)):
        same += byte(text, at + np.uint64(k)) | LOWER == letters[k]
    return same == len(letters)
