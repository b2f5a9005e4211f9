"""Vowpal Wabbit's text: ``[LABEL [IMPORTANCE [BASE]]] ['TAG]|NAMESPACE[:SCALE] FEATURE[:VALUE] ... |NAMESPACE ...``.

A feature is called ``NAMESPACE^FEATURE``, in the nameless namespace just ``FEATURE``; a name given twice in a line
counts with the sum of its values. The word that touches the first bar, or begins with an apostrophe, is a tag; tags and
bases are ignored.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.rows import FileRows
from driftline.streams.files.formats.svmlight import (
    COLON,
    NEWLINE,
    PIPE,
    blank,
    fault,
    labels,
    past_blanks,
    past_line,
    text_of,
)
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.name_table import (
    HALF,
    LOW_HALF,
    NO_SLOT,
    NOT_UTF8,
    NUMBER,
    Names,
    NameTable,
    bring,
    first_slot,
    forget,
    get,
    key_of,
    plain_number,
    put,
    slot_of_name,
    slot_of_plain,
    space_of,
    wrong_utf8,
)
from driftline.streams.files.scan.numbers import byte, next_word, number, trailing_zeros
from driftline.streams.files.scan.powers_of_ten import Word
from driftline.streams.files.source import Chunk

ONE = np.uint64(1)
EIGHT = np.uint64(8)
TOPS = np.uint64(0x8080808080808080)
EACH = np.uint64(0x0101010101010101)
FIRST_VISIBLE = np.uint64(0x21)
APOSTROPHE = np.uint8(ord("'"))

MOST_NAMES, MOST_BYTES = 1 << 20, 1 << 28
"""A table with more is not used any further."""
LONGEST_NAMESPACE = np.uint64(255)

(
    FINE,
    NO_BAR,
    NO_LABEL,
    LABEL,
    LABEL_FINITE,
    IMPORTANCE,
    HEADER,
    TAG,
    NAMESPACE,
    LONG_NAMESPACE,
    SCALE,
    FEATURE,
    VALUE,
    VALUE_FINITE,
    UTF8,
    SLOTS_FULL,
    BYTES_FULL,
) = range(17)

_NUMBER = "Write it as a decimal number, without blanks around the colon"
WRONG = {
    NO_BAR: ("a line must have a | before its features", "Write LABEL | FEATURE:VALUE ..., or check the format"),
    NO_LABEL: ("a line must begin with a label", "Put one before the |, with a blank between them"),
    LABEL: ("a label must be a number", "Write LABEL | FEATURE:VALUE ..., with one number as the label"),
    LABEL_FINITE: ("a label must be finite", "Correct or remove the line"),
    IMPORTANCE: ("an importance must be a finite number >= 0", "Correct it, or leave it out: it is 1 then"),
    HEADER: ("only a label, an importance, a base and a tag may stand before the |", "Remove what is too many"),
    TAG: ("a tag must be the last word before the |", "Put it there"),
    NAMESPACE: ("a namespace must have a name before its scale", "Name it, or write the | without a scale"),
    LONG_NAMESPACE: (f"a namespace's name must have at most {LONGEST_NAMESPACE} bytes", "Shorten it"),
    SCALE: ("the scale of a namespace must be a finite number", _NUMBER),
    FEATURE: ("a feature must have a name before its value", "Name it"),
    VALUE: ("a value must be a number", _NUMBER),
    VALUE_FINITE: ("a value, times its scale and summed over its name, must be finite", "Leave the feature out"),
    UTF8: ("names must be UTF-8", "Convert the file to UTF-8"),
}


class VwParser:
    """Makes rows of VW's lines; keeps the table of names from one piece of the file to the next."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self._table = NameTable()
        self._room: Filled = room_for(0)
        self._busy = Lock()

    def twin(self, after: Parsed) -> VwParser:
        """Another one that knows the names up to that piece of this one's; any thread may ask for it."""
        other = VwParser(self.options)
        with self._busy:
            if after.rows.names is self._table.names:
                other._table = self._table.first(after.rows.width)
        return other

    def parse(self, chunk: Chunk) -> Parsed:
        """Rows, labels and importances. A label that is missing beside others that are not is NaN."""
        with self._busy:
            return self._parse(chunk)

    def _parse(self, chunk: Chunk) -> Parsed:
        if len(self._table.names) > MOST_NAMES or self._table.size > MOST_BYTES:
            self._table = NameTable()
        if len(self._room.labels) < chunk.data.size // 2 + 1:
            self._room = room_for(chunk.data.size)
        rows = self._room
        rows.indptr[0] = 0
        place = np.array([0, 1, 0, 0], np.uint64)
        while code := read_lines(*text_of(chunk), place, self.options.labelled, rows, self._table.compiled):
            self._table.grow_slots() if code == SLOTS_FULL else self._table.grow_bytes()
        self._table.decode()
        n_rows, n_wrong = int(place[2]), int(place[3])
        n_pairs = int(rows.indptr[n_rows])
        file_rows = FileRows(
            rows.indptr[: n_rows + 1].copy(),
            rows.indices[:n_pairs].copy(),
            rows.values[:n_pairs].copy(),
            self._table.names,
            len(self._table.names),
            chunk.source,
            rows.lines[:n_rows].copy(),
        )
        y, w = labels(rows.labels[:n_rows], self.options), importances(rows.weights[:n_rows])
        faults = [fault(chunk, where, WRONG, b"|") for where in rows.wrong[:n_wrong].tolist()]
        return Parsed(file_rows, y, w, faults, int(place[1]) - 1)


class Filled(NamedTuple):
    """Where lines are read into: rows, and of every malformed line its number, its start, the place and what is wrong.

    A label or an importance that was not given is NaN.
    """

    indptr: Offsets
    indices: Indices
    values: Floats
    labels: Floats
    weights: Floats
    lines: Offsets
    wrong: Offsets


def room_for(size: int) -> Filled:
    """Room for what may be in so many bytes; kept from one chunk to the next, since fresh memory costs time."""
    most = size // 2 + 1
    return Filled(
        np.empty(most + 1, np.uint64),
        np.empty(most, np.uint32),
        np.empty(most, np.float64),
        np.empty(most, np.float64),
        np.empty(most, np.float64),
        np.empty(most, np.uint64),
        np.empty((most, 4), np.uint64),
    )


def importances(given: Floats) -> Floats | None:
    """1 where none was given; None if none was at all."""
    missing = np.isnan(given)
    return None if missing.all() else np.where(missing, 1.0, given)


@inlined
def marks(word: Word, byte: Word) -> Word:
    """The top bit of the first byte that is this one; perhaps of some after it."""
    other = word ^ (EACH * np.uint64(byte))
    return (other - EACH) & ~other & TOPS


@inlined
def ends_value(text: Word, at: Word, stop: Word) -> bool:
    """Whether a word ends here that may have colons in it."""
    return at >= stop or blank(byte(text, at)) or byte(text, at) == NEWLINE or byte(text, at) == PIPE


@inlined
def ends_name(text: Word, at: Word, stop: Word) -> bool:
    """Whether a name ends here."""
    return (at < stop and byte(text, at) == COLON) or ends_value(text, at, stop)


@inlined
def past_name(text: Word, at: Word, stop: Word) -> Word:
    """Where a name ends: at a blank, a colon, a bar or the end of the line, found eight bytes at a time."""
    while at < stop:
        word = next_word(text, at, stop)
        found = ((word - EACH * FIRST_VISIBLE) & ~word & TOPS) | marks(word, COLON) | marks(word, PIPE)
        if found == 0:
            at += EIGHT
            continue
        at += trailing_zeros(found) >> np.uint64(3)
        if ends_name(text, at, stop):
            break
        at += ONE
    return min(at, stop)


@jit
def read_lines(text: Word, stop: Word, place: Offsets, labelled: bool, rows: Filled, names: Names) -> int:
    """Fill the rows, from ``place`` on: where in the text, line, rows, malformed lines.

    FINE, or what the table lacks; ``place`` is then the line that has to wait for it.
    """
    at, line, n_rows, n_wrong = place
    while at < stop:
        begin = at
        at = past_blanks(text, at, stop)
        if at < stop and byte(text, at) != NEWLINE:
            known = get(names.known, np.uint64(0))
            code, label, weight, at = read_header(text, at, stop, labelled)
            if code == FINE:
                code, at, end = read_features(text, at, stop, rows.indices, rows.values, rows.indptr[n_rows], names)
            if code == FINE:
                rows.labels[n_rows] = label
                rows.weights[n_rows] = weight
                rows.lines[n_rows] = line
                n_rows += ONE
                rows.indptr[n_rows] = end
            else:
                forget(names, known)
                if code >= SLOTS_FULL:
                    place[0], place[1], place[2], place[3] = begin, line, n_rows, n_wrong
                    return code
                rows.wrong[n_wrong, 0], rows.wrong[n_wrong, 1] = line, begin
                rows.wrong[n_wrong, 2], rows.wrong[n_wrong, 3] = at, code
                n_wrong += ONE
        at = past_line(text, at, stop)
        line += ONE
    place[1], place[2], place[3] = line, n_rows, n_wrong
    return FINE


@jit
def read_header(text: Word, at: Word, stop: Word, labelled: bool) -> tuple[int, float, float, Word]:
    """What is wrong, the label, the importance (NaN: none), and where the first bar is or what is wrong."""
    label, weight = np.nan, np.nan
    begin = bar = at
    while bar < stop and byte(text, bar) != PIPE:
        if byte(text, bar) == NEWLINE:
            return NO_BAR, label, weight, begin
        bar += ONE
    if bar == stop:
        return NO_BAR, label, weight, begin
    count = 0
    while at < bar:
        end = at
        while end < bar and not blank(byte(text, end)):
            end += ONE
        after = past_blanks(text, end, stop)
        if byte(text, at) == APOSTROPHE and after != bar:
            return TAG, label, weight, at
        if byte(text, at) != APOSTROPHE and end != bar:
            value, ended = number(text, at, end)
            whole = ended == end
            if count == 0:
                if not whole or not np.isfinite(value):
                    return LABEL_FINITE if whole else LABEL, label, weight, at
                label = value
            elif count == 1:
                if not whole or not 0.0 <= value < np.inf:
                    return IMPORTANCE, label, weight, at
                weight = value
            elif count > 2 or not whole:
                return HEADER, label, weight, at
            count += 1
        at = after
    if labelled and count == 0:
        return NO_LABEL, label, weight, begin
    return FINE, label, weight, bar


@inlined
def read_known_numbers(
    text: Word, at: Word, stop: Word, indices: Indices, values: Floats, n: Word, beyond: Word, scale: float, plain: Word
) -> tuple[Word, Word, Word]:
    """Read features as long as their names are numbers that are known and rise from ``beyond`` on, with values.

    The short way through the lines of a file that once was svmlight; whatever is odd is left to be read again. Where it
    stopped, where the row ends by now, and from where on numbers have to rise.
    """
    while True:
        digits, name = plain_number(text, at, stop)
        end = at + digits
        if digits == 0 or name < beyond or end >= stop or byte(text, end) != COLON:
            break
        noted = get(plain, name)
        value, after = number(text, end + ONE, stop)
        value *= scale
        if noted == 0 or after == end + ONE or not ends_value(text, after, stop) or not np.isfinite(value):
            break
        indices[n] = noted & NUMBER
        values[n] = value
        n += ONE
        beyond = name + ONE
        at = past_blanks(text, after, stop)
    return at, n, beyond


@jit
def read_features(
    text: Word, at: Word, stop: Word, indices: Indices, values: Floats, start: Word, names: Names
) -> tuple[int, Word, Word]:
    """Read namespaces from a bar on, up to the end of the line.

    What is wrong, where that is or the line ends, and where in the indices the row ends. Names that are rising numbers
    cannot come twice; at the first that does not rise, the row is read again, and notes where each of them stands.
    """
    first = at
    n = start
    scale = 1.0
    beyond = np.uint64(0)
    noting = False
    space = space_of(names, text, at, at, stop)
    while True:
        if space.size == 0 and not noting:
            at, n, beyond = read_known_numbers(text, at, stop, indices, values, n, beyond, scale, names.plain)
        if at >= stop or byte(text, at) == NEWLINE:
            break
        word = at
        if byte(text, at) == PIPE:
            code, scale, end, at = read_namespace(text, at + ONE, stop)
            if code != FINE:
                return code, at, n
            space = space_of(names, text, word + ONE, end, stop)
            at = past_blanks(text, at, stop)
            continue
        digits, number_name = plain_number(text, word, stop)
        end = word + digits
        plain = digits != 0 and space.size == 0 and ends_name(text, end, stop)
        key = slot = np.uint64(0)
        if plain:
            if number_name < beyond and not noting:
                at, n, scale, noting = first, start, 1.0, True
                continue
            beyond = number_name + ONE
            noted_at = names.plain + EIGHT * number_name
        else:
            end = past_name(text, word, stop)
            if end == word:
                return FEATURE, word, n
            key = key_of(names, space, text, word, end, stop)
            slot = first_slot(names, key)
            noted_at = names.slots + EIGHT * slot
        bring(noted_at)
        value = 1.0
        at = end
        if end < stop and byte(text, end) == COLON:
            value, at = number(text, end + ONE, stop)
            if at == end + ONE or not ends_value(text, at, stop):
                return VALUE, word, n
        if not plain:
            slot = slot_of_name(names, space, text, word, end, stop, key, slot)
        elif get(noted_at, np.uint64(0)) == 0:
            slot = slot_of_plain(names, space, text, word, end, stop, number_name)
        if slot >= NOT_UTF8:
            return UTF8 if slot == NOT_UTF8 else SLOTS_FULL if slot == NO_SLOT else BYTES_FULL, word, n
        if not plain:
            noted_at = names.slots + EIGHT * (slot + ONE)
        value *= scale
        noted = get(noted_at, np.uint64(0))
        k, before = noted & NUMBER, noted >> HALF
        if (noting or not plain) and start <= before < n and indices[before] == k:
            value += values[before]
            values[before] = value
        else:
            if noting or not plain:
                put(noted_at, np.uint64(0), (noted & LOW_HALF) | (n << HALF))
            indices[n] = k
            values[n] = value
            n += ONE
        if not np.isfinite(value):
            return VALUE_FINITE, word, n
        at = past_blanks(text, at, stop)
    return FINE, at, n


@jit
def read_namespace(text: Word, at: Word, stop: Word) -> tuple[int, float, Word, Word]:
    """What is wrong, the scale, where the name ends, and where the features begin or what is wrong."""
    end = past_name(text, at, stop)
    if end - at > LONGEST_NAMESPACE:
        return LONG_NAMESPACE, 1.0, end, at
    if wrong_utf8(text, at, end) < end:
        return UTF8, 1.0, end, at
    if end == stop or byte(text, end) != COLON:
        return FINE, 1.0, end, end
    if end == at:
        return NAMESPACE, 1.0, end, at
    scale, after = number(text, end + ONE, stop)
    if after == end + ONE or not ends_value(text, after, stop) or not np.isfinite(scale):
        return SCALE, 1.0, end, at
    return FINE, scale, end, after
