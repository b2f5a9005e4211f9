"""A compiled hash table from names, given as bytes, to consecutive numbers (open addressing).

A name of up to seven bytes is its own key. A longer name is found by a 64-bit hash and confirmed
by comparing its bytes. The slot of a key depends on two random secrets per table, so that an
attacker cannot prepare names that collide. The numbers are given in order of appearance and do not
depend on the secrets.

Names that are small numbers, as in files converted from svmlight, are also kept in a plain array.
It is half as large as the table, and rows with increasing numbers read it sequentially.

Compiled code does not allocate. If the table is full, it returns to the start of the current line,
and Python grows the table.
"""

from __future__ import annotations

import ctypes
import secrets
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from driftline.internals.compiled import Offsets, inlined, jit, native
from driftline.streams.files.scan.numbers import byte, digits_at, next_word, part_of_word, word
from driftline.streams.files.scan.powers_of_ten import Word, product

ONE = np.uint64(1)
EIGHT = np.uint64(8)
TOPS = np.uint64(0x8080808080808080)
LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
CARET = np.uint64(ord("^"))
ZERO = np.uint8(ord("0"))
NEWLINE = np.uint8(ord("\n"))
TOP_BYTE = np.uint64(56)
SLOTS_A_NAME = 2
KNOWN = np.uint64(1 << 31)
NUMBER = KNOWN - ONE
PLAIN = np.uint64(1 << 18)
"""Names that are numbers below this are also kept in the plain array."""
LONG = np.uint64(1 << 63)
"""This bit is set in the keys of names of eight bytes or more, and only in those."""

NOT_UTF8, NO_SLOT, NO_BYTES = (np.uint64(2**64 - k) for k in (3, 2, 1))
"""Codes returned instead of a slot."""


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    pointer = builder.inttoptr(builder.add(args[0], args[1]), args[2].type.as_pointer())
    builder.store(args[2], pointer).align = 1
    return context.get_dummy_value()


def _plain_put_byte(text: Any, at: Any, value: Any) -> None:
    """``put_byte`` in Python."""
    ctypes.c_uint8.from_address(int(text) + int(at)).value = int(value)


def _plain_put_word(text: Any, at: Any, value: Any) -> None:
    """``put_word`` in Python."""
    ctypes.c_uint64.from_address(int(text) + int(at)).value = int(value)


def _plain_prefetch(address: Any) -> None:
    """``prefetch`` in Python: nothing to do."""


@native(_plain_put_byte)
def put_byte(typing_context: Any, text: Any, at: Any, value: Any) -> Any:
    """Write one byte at an address plus offset."""
    return types.void(types.uint64, types.uint64, types.uint8), _store


@native(_plain_put_word)
def put_word(typing_context: Any, text: Any, at: Any, value: Any) -> Any:
    """Write eight bytes at an address plus offset."""
    return types.void(types.uint64, types.uint64, types.uint64), _store


@native(_plain_prefetch)
def prefetch(typing_context: Any, address: Any) -> Any:
    """Prefetch an address into the processor's cache."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        letter, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [letter, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [builder.inttoptr(args[0], letter), flag(1), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(address), generate


@inlined
def put(words: Word, k: Word, value: Word) -> None:
    """Write word number k of an array of words."""
    put_word(words, EIGHT * k, value)


@inlined
def get(words: Word, k: Word) -> Word:
    """Return word number k of an array of words."""
    return word(words, EIGHT * k)


class Names(NamedTuple):
    """The table as compiled code sees it: addresses and sizes.

    Name k is the bytes ``starts[k]`` to ``starts[k + 1]`` of the arena. At least eight bytes after
    the last name are free.
    """

    slots: Word
    """Two words per slot. The first is the key of a name, 0 if the slot is empty. The low half of
    the second is the name's number. Its high half is the position of the name's last entry in the
    output; it is only valid if that entry still has this number."""
    last_slot: Word
    places: Word
    """The slot of every name."""
    room: Word
    """The maximum number of names."""
    starts: Word
    arena: Word
    size: Word
    """The number of bytes in the arena."""
    known: Word
    """The address of the number of names."""
    plain: Word
    """For every number below PLAIN, the second word of its slot with the bit KNOWN set; else 0."""
    key: Word
    factor: Word


class NameTable:
    """Names and their numbers; ``names`` is append-only."""

    def __init__(self, room: int = 1 << 12, size: int = 1 << 15) -> None:
        self.names: list[str] = []
        self._slots = np.zeros(2 * SLOTS_A_NAME * room, np.uint64)
        self._places = np.empty(room, np.uint64)
        self._starts = np.zeros(room + 1, np.uint64)
        self._arena = np.empty(size, np.uint8)
        self._count = np.zeros(1, np.uint64)
        self._plain = np.zeros(int(PLAIN), np.uint64)
        self._secrets = secrets.randbits(64), secrets.randbits(64) | 1

    @property
    def compiled(self) -> Names:
        """Return the addresses for compiled code; they are valid until the table grows."""
        arrays = self._slots, self._places, self._starts, self._arena, self._count, self._plain
        slots, places, starts, arena, count, plain = (array.ctypes.data for array in arrays)
        room, size = self._places.size, self._arena.size
        fields = slots, self._slots.size - 2, places, room, starts, arena, size, count, plain, *self._secrets
        return Names(*map(np.uint64, fields))

    def first(self, count: int) -> NameTable:
        """Return a copy of the table with the first ``count`` names."""
        other = copy(self)
        other.names = self.names[:count]
        for name in ("_slots", "_places", "_starts", "_arena", "_count", "_plain"):
            setattr(other, name, getattr(self, name).copy())
        forget(other.compiled, np.uint64(count))
        return other

    @property
    def size(self) -> int:
        """Return the total number of bytes of all names."""
        return int(self._starts[self._count[0]])

    def grow_bytes(self) -> None:
        """Double the capacity for bytes."""
        self._arena = np.concatenate((self._arena, np.empty_like(self._arena)))

    def grow_slots(self) -> None:
        """Double the capacity for names."""
        keys = self._slots[self._places[: self._count[0]]]
        self._slots = np.zeros(2 * self._slots.size, np.uint64)
        self._starts = np.concatenate((self._starts, np.zeros_like(self._places)))
        self._places = np.empty(2 * self._places.size, np.uint64)
        rehash(self.compiled, keys)

    def decode(self) -> None:
        """Append the names that compiled code has added to ``names``."""
        first, last = len(self.names), int(self._count[0])
        if first == last:
            return
        start = int(self._starts[first])
        ends = self._starts[first + 1 : last] - self._starts[first]
        found = np.insert(self._arena[start : self.size], ends.astype(np.int64), NEWLINE)
        self.names.extend(found.tobytes().decode().split("\n"))  # no name contains a newline


@inlined
def low_bytes(count: Word) -> Word:
    """Return a mask of the low ``count`` bytes, fewer than eight."""
    return (ONE << (EIGHT * count)) - ONE


@inlined
def tail(text: Word, at: Word, stop: Word, readable: Word) -> Word:
    """Return the bytes from ``at`` to ``stop``, fewer than eight, padded with zeros."""
    if at + EIGHT <= readable:
        return word(text, at) & low_bytes(stop - at)
    return part_of_word(text, at, stop)


@inlined
def mixed(bits: Word, factor: Word) -> Word:
    """Mix bits: every bit of the result depends on every bit of the input."""
    high, low = product(bits, factor)
    return high ^ low


class Prefix(NamedTuple):
    """The prefix of names in a namespace: bytes ``start`` to ``stop`` and a caret, or empty."""

    start: Word
    stop: Word
    size: Word
    """The number of bytes, including the caret."""
    code: Word
    """A hash of the whole words."""
    rest: Word
    """The bytes after the whole words."""
    bits: Word
    """The number of bits in the rest, fewer than 64."""


@jit
def prefix_of(names: Names, text: Word, start: Word, stop: Word, readable: Word) -> Prefix:
    """Return the prefix of a namespace; it is empty for the nameless one."""
    code, none = names.key, np.uint64(0)
    if start == stop:
        return Prefix(start, stop, none, code, none, none)
    at = start
    while at + EIGHT <= stop:
        code = mixed(code ^ word(text, at), names.factor)
        at += EIGHT
    bits = EIGHT * (stop - at)
    rest = tail(text, at, stop, readable) | (CARET << bits)
    bits += EIGHT
    if bits == np.uint64(64):
        code, rest, bits = mixed(code ^ rest, names.factor), none, none
    return Prefix(start, stop, stop - start + ONE, code, rest, bits)


@inlined
def key_of(names: Names, prefix: Prefix, text: Word, start: Word, stop: Word, readable: Word) -> Word:
    """Return the key of a name, never 0: length and bytes if they fit a word, else a hash."""
    length = prefix.size + (stop - start)
    if length < EIGHT:
        return prefix.rest | (tail(text, start, stop, readable) << prefix.bits) | (length << TOP_BYTE)
    code = prefix.code
    if prefix.bits + EIGHT * (stop - start) < np.uint64(64):
        last = prefix.rest | (tail(text, start, stop, readable) << prefix.bits)
    else:
        code = mixed(code ^ (prefix.rest | (next_word(text, start, readable) << prefix.bits)), names.factor)
        start += EIGHT - (prefix.bits >> np.uint64(3))
        while start + EIGHT <= stop:
            code = mixed(code ^ word(text, start), names.factor)
            start += EIGHT
        last = tail(text, start, stop, readable)
    return mixed(code ^ last ^ (length << TOP_BYTE), names.factor) | LONG


@inlined
def first_slot(names: Names, key: Word) -> Word:
    """Return the first slot to probe for a key."""
    return (mixed(key ^ names.key, names.factor) >> HALF) & names.last_slot


@inlined
def next_slot(names: Names, slot: Word) -> Word:
    """Return the slot to probe next."""
    return (slot + np.uint64(2)) & names.last_slot


@inlined
def slot_of_name(
    names: Names, prefix: Prefix, text: Word, start: Word, stop: Word, readable: Word, key: Word, slot: Word
) -> Word:
    """Return the slot of the name from ``start`` to ``stop``, added if new; or an error code.

    ``key`` is the key of the name, ``slot`` the first slot to probe. The text may be read up to
    ``readable``.
    """
    found = get(names.slots, slot)
    while found != 0:
        if found == key and (key < LONG or is_name(names, slot, prefix, text, start, stop, readable)):
            return slot
        slot = next_slot(names, slot)
        found = get(names.slots, slot)
    return added(names, prefix, text, start, stop, readable, key, slot)


@jit
def slot_of_plain(
    names: Names, prefix: Prefix, text: Word, start: Word, stop: Word, readable: Word, number: Word
) -> Word:
    """Return the slot of a name that is a number, or an error code; update the plain array."""
    key = key_of(names, prefix, text, start, stop, readable)
    slot = slot_of_name(names, prefix, text, start, stop, readable, key, first_slot(names, key))
    if slot < NOT_UTF8:
        put(names.plain, number, (get(names.slots, slot + ONE) & NUMBER) | KNOWN)
    return slot


@inlined
def is_name(names: Names, slot: Word, prefix: Prefix, text: Word, start: Word, stop: Word, readable: Word) -> bool:
    """Return whether this slot holds the name from ``start`` to ``stop``."""
    k = get(names.slots, slot + ONE) & LOW_HALF
    at, end = get(names.starts, k), get(names.starts, k + ONE)
    if end - at != prefix.size + (stop - start):
        return False
    if prefix.size != 0:
        if not equals_at(names, at, text, prefix.start, prefix.stop, readable):
            return False
        at += prefix.size
        if byte(names.arena, at - ONE) != CARET:
            return False
    return equals_at(names, at, text, start, stop, readable)


@inlined
def equals_at(names: Names, at: Word, text: Word, start: Word, stop: Word, readable: Word) -> bool:
    """Return whether the text from ``start`` to ``stop`` equals the arena at ``at``."""
    while start + EIGHT <= stop:
        if word(names.arena, at) != word(text, start):
            return False
        at += EIGHT
        start += EIGHT
    return tail(names.arena, at, at + (stop - start), names.size) == tail(text, start, stop, readable)


@jit
def added(
    names: Names, prefix: Prefix, text: Word, start: Word, stop: Word, readable: Word, key: Word, slot: Word
) -> Word:
    """Add a new name with the next number in this slot; return the slot or an error code."""
    k = get(names.known, np.uint64(0))
    at = get(names.starts, k)
    if k == names.room:
        return NO_SLOT
    if at + prefix.size + (stop - start) + EIGHT > names.size:
        return NO_BYTES
    if wrong_utf8(text, start, stop) < stop:
        return NOT_UTF8
    if prefix.size != 0:
        at = copied(names, at, text, prefix.start, prefix.stop)
        put_byte(names.arena, at, np.uint8(CARET))
        at += ONE
    put(names.starts, k + ONE, copied(names, at, text, start, stop))
    put(names.known, np.uint64(0), k + ONE)
    assign_slot(names, slot, key, k)
    return slot


@jit
def copied(names: Names, at: Word, text: Word, start: Word, stop: Word) -> Word:
    """Copy a text to the arena; return its end there."""
    for k in range(start, stop):
        put_byte(names.arena, at, byte(text, k))
        at += ONE
    return at


@inlined
def assign_slot(names: Names, slot: Word, key: Word, k: Word) -> None:
    """Assign a slot to name k."""
    put(names.slots, slot, key)
    put(names.slots, slot + ONE, k)
    put(names.places, k, slot)


@inlined
def plain_number(text: Word, at: Word, stop: Word) -> tuple[Word, Word]:
    """Return the number of digits here and their value; 0 digits if not in the plain array's form.

    The value must be below PLAIN and written as ``str`` would write it.
    """
    digits, number = digits_at(text, at, stop)
    if number >= PLAIN or digits == EIGHT or (digits > ONE and byte(text, at) == ZERO):
        digits = np.uint64(0)
    return digits, number


@jit
def forget(names: Names, count: Word) -> None:
    """Remove the names from number ``count`` on.

    They were added last, so no probe sequence of another name passes over their slots.
    """
    for k in range(count, get(names.known, np.uint64(0))):
        put(names.slots, get(names.places, k), np.uint64(0))
        start, stop = get(names.starts, k), get(names.starts, k + ONE)
        digits, number = plain_number(names.arena, start, stop)
        if digits != 0 and start + digits == stop:
            put(names.plain, number, np.uint64(0))
    put(names.known, np.uint64(0), count)


@jit
def rehash(names: Names, keys: Offsets) -> None:
    """Insert all names into the new slots, given their keys."""
    for k in range(np.uint64(keys.size)):
        slot = first_slot(names, keys[k])
        while get(names.slots, slot) != 0:
            slot = next_slot(names, slot)
        assign_slot(names, slot, keys[k], k)


@jit
def wrong_utf8(text: Word, at: Word, stop: Word) -> Word:
    """Return the offset of the first invalid UTF-8 before ``stop``; ``stop`` if there is none."""
    while at < stop:
        if at + EIGHT <= stop and word(text, at) & TOPS == 0:
            at += EIGHT
            continue
        lead = byte(text, at)
        if lead < 0x80:
            at += ONE
            continue
        if 0xC2 <= lead <= 0xDF:
            more, lowest, highest = 1, 0x80, 0xBF
        elif 0xE0 <= lead <= 0xEF:
            more, lowest, highest = 2, 0xA0 if lead == 0xE0 else 0x80, 0x9F if lead == 0xED else 0xBF
        elif 0xF0 <= lead <= 0xF4:
            more, lowest, highest = 3, 0x90 if lead == 0xF0 else 0x80, 0x8F if lead == 0xF4 else 0xBF
        else:
            return at
        for k in range(1, more + 1):
            following = at + np.uint64(k)
            if following >= stop or not lowest <= byte(text, following) <= highest:
                return at
            lowest, highest = 0x80, 0xBF
        at += np.uint64(more + 1)
    return stop
