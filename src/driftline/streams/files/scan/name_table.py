"""Numbers for names: an open-addressing table over the names' bytes, compiled.

A name of up to seven bytes is its own key; a longer one is found by a hash of 64 bits and confirmed by its bytes. Where
a key is looked for depends on two secrets, drawn anew for each table, so that nobody can prepare names that meet in one
place; the numbers, given in order of appearance, do not depend on them.

Names that are numbers themselves, as in files that once were svmlight, are remembered in a plain array beside the
table: it is half as large, and a row that counts upwards reads it in order.

Compiled code only fills the room there is. When that runs out, it goes back to where its line began, and Python makes
more.
"""

from __future__ import annotations

import secrets
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from driftline.internals.compiled import Offsets, inlined, jit
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
"""Names that are numbers below this are remembered apart."""
LONG = np.uint64(1 << 63)
"""This bit is set in the keys of names of eight bytes or more, in others it never is."""

NOT_UTF8, NO_SLOT, NO_BYTES = (np.uint64(2**64 - k) for k in (3, 2, 1))
"""What stands for the slot of a name that cannot be had."""


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    pointer = builder.inttoptr(builder.add(args[0], args[1]), args[2].type.as_pointer())
    builder.store(args[2], pointer).align = 1
    return context.get_dummy_value()


@intrinsic
def put_byte(typing_context: Any, text: Any, at: Any, value: Any) -> Any:
    """Write one byte of a text."""
    return types.void(types.uint64, types.uint64, types.uint8), _store


@intrinsic
def put_word(typing_context: Any, text: Any, at: Any, value: Any) -> Any:
    """Write eight bytes of a text from ``at`` on."""
    return types.void(types.uint64, types.uint64, types.uint64), _store


@intrinsic
def bring(typing_context: Any, address: Any) -> Any:
    """Have what is at this address brought into the cache, while other work is done."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        letter, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [letter, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [builder.inttoptr(args[0], letter), flag(1), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(address), generate


@inlined
def put(words: Word, k: Word, value: Word) -> None:
    """Write word number k."""
    put_word(words, EIGHT * k, value)


@inlined
def get(words: Word, k: Word) -> Word:
    """Word number k."""
    return word(words, EIGHT * k)


class Names(NamedTuple):
    """The table as compiled code sees it: addresses and sizes.

    Name k is the bytes of the arena from ``starts[k]`` to ``starts[k + 1]``; eight bytes beyond it are free.
    """

    slots: Word
    """Two words each. The first is the key of a name, 0 where there is none. The low half of the second is its number,
    the high half where it was written last, which only counts if it still stands there."""
    last_slot: Word
    places: Word
    """Of every name: its slot."""
    room: Word
    """For so many names."""
    starts: Word
    arena: Word
    size: Word
    """Of the arena."""
    known: Word
    """The address of how many names there are."""
    plain: Word
    """Of every number below PLAIN: as the second word of a slot, with one bit more that says it is known; else 0."""
    key: Word
    factor: Word


class NameTable:
    """Names and their numbers; ``names`` only ever grows."""

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
        """For compiled code, until the table grows."""
        arrays = self._slots, self._places, self._starts, self._arena, self._count, self._plain
        slots, places, starts, arena, count, plain = (array.ctypes.data for array in arrays)
        room, size = self._places.size, self._arena.size
        fields = slots, self._slots.size - 2, places, room, starts, arena, size, count, plain, *self._secrets
        return Names(*map(np.uint64, fields))

    def first(self, count: int) -> NameTable:
        """Another one, of the first ``count`` names."""
        other = copy(self)
        other.names = self.names[:count]
        for name in ("_slots", "_places", "_starts", "_arena", "_count", "_plain"):
            setattr(other, name, getattr(self, name).copy())
        forget(other.compiled, np.uint64(count))
        return other

    @property
    def size(self) -> int:
        """Bytes of all names together."""
        return int(self._starts[self._count[0]])

    def grow_bytes(self) -> None:
        """Make room for twice as many bytes."""
        self._arena = np.concatenate((self._arena, np.empty_like(self._arena)))

    def grow_slots(self) -> None:
        """Make room for twice as many names."""
        keys = self._slots[self._places[: self._count[0]]]
        self._slots = np.zeros(2 * self._slots.size, np.uint64)
        self._starts = np.concatenate((self._starts, np.zeros_like(self._places)))
        self._places = np.empty(2 * self._places.size, np.uint64)
        rehash(self.compiled, keys)

    def decode(self) -> None:
        """Add what compiled code has found to ``names``."""
        first, last = len(self.names), int(self._count[0])
        if first == last:
            return
        start = int(self._starts[first])
        ends = self._starts[first + 1 : last] - self._starts[first]
        found = np.insert(self._arena[start : self.size], ends.astype(np.int64), NEWLINE)
        self.names.extend(found.tobytes().decode().split("\n"))  # no name has one in it


@inlined
def low_bytes(count: Word) -> Word:
    """A mask of so many bytes, fewer than eight."""
    return (ONE << (EIGHT * count)) - ONE


@inlined
def tail(text: Word, at: Word, stop: Word, readable: Word) -> Word:
    """The bytes from ``at`` to ``stop``, fewer than eight, zeros beyond them."""
    if at + EIGHT <= readable:
        return word(text, at) & low_bytes(stop - at)
    return part_of_word(text, at, stop)


@inlined
def stirred(bits: Word, factor: Word) -> Word:
    """Every bit of the answer depends on every one of these."""
    high, low = product(bits, factor)
    return high ^ low


class Space(NamedTuple):
    """What names have before them: the bytes from ``start`` to ``stop`` and a caret; or nothing."""

    start: Word
    stop: Word
    size: Word
    """In bytes, with the caret."""
    code: Word
    """A hash of its whole words."""
    rest: Word
    """The bytes after these."""
    bits: Word
    """Of the rest, fewer than 64."""


@jit
def space_of(names: Names, text: Word, start: Word, stop: Word, readable: Word) -> Space:
    """The space of this name; none if it has no bytes."""
    code, none = names.key, np.uint64(0)
    if start == stop:
        return Space(start, stop, none, code, none, none)
    at = start
    while at + EIGHT <= stop:
        code = stirred(code ^ word(text, at), names.factor)
        at += EIGHT
    bits = EIGHT * (stop - at)
    rest = tail(text, at, stop, readable) | (CARET << bits)
    bits += EIGHT
    if bits == np.uint64(64):
        code, rest, bits = stirred(code ^ rest, names.factor), none, none
    return Space(start, stop, stop - start + ONE, code, rest, bits)


@inlined
def key_of(names: Names, space: Space, text: Word, start: Word, stop: Word, readable: Word) -> Word:
    """What a name is looked up by, never 0: its length and bytes where these fit into a word, else a hash of them."""
    length = space.size + (stop - start)
    if length < EIGHT:
        return space.rest | (tail(text, start, stop, readable) << space.bits) | (length << TOP_BYTE)
    code = space.code
    if space.bits + EIGHT * (stop - start) < np.uint64(64):
        last = space.rest | (tail(text, start, stop, readable) << space.bits)
    else:
        code = stirred(code ^ (space.rest | (next_word(text, start, readable) << space.bits)), names.factor)
        start += EIGHT - (space.bits >> np.uint64(3))
        while start + EIGHT <= stop:
            code = stirred(code ^ word(text, start), names.factor)
            start += EIGHT
        last = tail(text, start, stop, readable)
    return stirred(code ^ last ^ (length << TOP_BYTE), names.factor) | LONG


@inlined
def first_slot(names: Names, key: Word) -> Word:
    """Where to look first for a key."""
    return (stirred(key ^ names.key, names.factor) >> HALF) & names.last_slot


@inlined
def next_slot(names: Names, slot: Word) -> Word:
    """Where to look after that."""
    return (slot + np.uint64(2)) & names.last_slot


@inlined
def slot_of_name(
    names: Names, space: Space, text: Word, start: Word, stop: Word, readable: Word, key: Word, slot: Word
) -> Word:
    """The slot of the name from ``start`` to ``stop``, which is added if it is new; or why it has none.

    ``key`` is the name's, ``slot`` where to look first. The text may be read up to ``readable``.
    """
    found = get(names.slots, slot)
    while found != 0:
        if found == key and (key < LONG or is_name(names, slot, space, text, start, stop, readable)):
            return slot
        slot = next_slot(names, slot)
        found = get(names.slots, slot)
    return added(names, space, text, start, stop, readable, key, slot)


@jit
def slot_of_plain(
    names: Names, space: Space, text: Word, start: Word, stop: Word, readable: Word, number: Word
) -> Word:
    """The slot of a name that is this number, which is remembered from now on; or why it has none."""
    key = key_of(names, space, text, start, stop, readable)
    slot = slot_of_name(names, space, text, start, stop, readable, key, first_slot(names, key))
    if slot < NOT_UTF8:
        put(names.plain, number, (get(names.slots, slot + ONE) & NUMBER) | KNOWN)
    return slot


@inlined
def is_name(names: Names, slot: Word, space: Space, text: Word, start: Word, stop: Word, readable: Word) -> bool:
    """Whether this slot has the name from ``start`` to ``stop``."""
    k = get(names.slots, slot + ONE) & LOW_HALF
    at, end = get(names.starts, k), get(names.starts, k + ONE)
    if end - at != space.size + (stop - start):
        return False
    if space.size != 0:
        if not stands_at(names, at, text, space.start, space.stop, readable):
            return False
        at += space.size
        if byte(names.arena, at - ONE) != CARET:
            return False
    return stands_at(names, at, text, start, stop, readable)


@inlined
def stands_at(names: Names, at: Word, text: Word, start: Word, stop: Word, readable: Word) -> bool:
    """Whether the bytes from ``start`` to ``stop`` stand in the arena at ``at``."""
    while start + EIGHT <= stop:
        if word(names.arena, at) != word(text, start):
            return False
        at += EIGHT
        start += EIGHT
    return tail(names.arena, at, at + (stop - start), names.size) == tail(text, start, stop, readable)


@jit
def added(
    names: Names, space: Space, text: Word, start: Word, stop: Word, readable: Word, key: Word, slot: Word
) -> Word:
    """Give a name that was not there the next number and this slot."""
    k = get(names.known, np.uint64(0))
    at = get(names.starts, k)
    if k == names.room:
        return NO_SLOT
    if at + space.size + (stop - start) + EIGHT > names.size:
        return NO_BYTES
    if wrong_utf8(text, start, stop) < stop:
        return NOT_UTF8
    if space.size != 0:
        at = copied(names, at, text, space.start, space.stop)
        put_byte(names.arena, at, np.uint8(CARET))
        at += ONE
    put(names.starts, k + ONE, copied(names, at, text, start, stop))
    put(names.known, np.uint64(0), k + ONE)
    take_slot(names, slot, key, k)
    return slot


@jit
def copied(names: Names, at: Word, text: Word, start: Word, stop: Word) -> Word:
    """Copy a text to the arena; where it ends."""
    for k in range(start, stop):
        put_byte(names.arena, at, byte(text, k))
        at += ONE
    return at


@inlined
def take_slot(names: Names, slot: Word, key: Word, k: Word) -> None:
    """Let a slot be that of name k."""
    put(names.slots, slot, key)
    put(names.slots, slot + ONE, k)
    put(names.places, k, slot)


@inlined
def plain_number(text: Word, at: Word, stop: Word) -> tuple[Word, Word]:
    """The digits here and their number, if that is below PLAIN and written as str() would; else no digits."""
    digits, number = digits_at(text, at, stop)
    if number >= PLAIN or digits == EIGHT or (digits > ONE and byte(text, at) == ZERO):
        digits = np.uint64(0)
    return digits, number


@jit
def forget(names: Names, count: Word) -> None:
    """Take out the names from number ``count`` on. They came last, so no search has to pass over their slots."""
    for k in range(count, get(names.known, np.uint64(0))):
        put(names.slots, get(names.places, k), np.uint64(0))
        start, stop = get(names.starts, k), get(names.starts, k + ONE)
        digits, number = plain_number(names.arena, start, stop)
        if digits != 0 and start + digits == stop:
            put(names.plain, number, np.uint64(0))
    put(names.known, np.uint64(0), count)


@jit
def rehash(names: Names, keys: Offsets) -> None:
    """Find the slots of all names, given their keys."""
    for k in range(np.uint64(keys.size)):
        slot = first_slot(names, keys[k])
        while get(names.slots, slot) != 0:
            slot = next_slot(names, slot)
        take_slot(names, slot, keys[k], k)


@jit
def wrong_utf8(text: Word, at: Word, stop: Word) -> Word:
    """Where the bytes up to ``stop`` stop being UTF-8; ``stop`` if they never do."""
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
