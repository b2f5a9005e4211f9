"""Vowpal Wabbit text::

    [LABEL [IMPORTANCE [BASE]]] ['TAG]|NAMESPACE[:SCALE] FEATURE[:VALUE] ... |NAMESPACE ...

The name of a feature is ``NAMESPACE^FEATURE``, or ``FEATURE`` in the nameless namespace. Values of
a name that occurs twice in a line are summed. A word that touches the first bar or begins with an
apostrophe is a tag. Tags and bases are ignored.

VW itself reads a name of digits as a number: ``0012`` is the name ``12``, here too. A text to which
VW gives a meaning that its author cannot have intended is malformed: a tab before the bar (VW drops
everything up to it), a carriage return inside a line (VW drops the rest), and a control character
at either end of a name (VW drops it).
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.rows import FileRows
from driftline.streams.files.formats.svmlight import (
    BLANK,
    COLON,
    NEWLINE,
    PIPE,
    RETURN,
    TAB,
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
    CARET,
    HALF,
    LOW_HALF,
    NO_SLOT,
    NOT_UTF8,
    NUMBER,
    Names,
    NameTable,
    first_slot,
    forget,
    get,
    key_of,
    plain_number,
    prefetch,
    prefix_of,
    put,
    slot_of_name,
    slot_of_plain,
    wrong_utf8,
)
from driftline.streams.files.scan.numbers import NINE, ZERO, byte, next_word, number, trailing_zeros
from driftline.streams.files.scan.powers_of_ten import Word
from driftline.streams.files.source import Chunk

ONE = np.uint64(1)
EIGHT = np.uint64(8)
TOPS = np.uint64(0x8080808080808080)
EACH = np.uint64(0x0101010101010101)
FIRST_VISIBLE = np.uint64(0x21)
APOSTROPHE = np.uint8(ord("'"))

MOST_NAMES, MOST_BYTES = 1 << 20, 1 << 28
"""A larger table of names is replaced by a new one."""
LONGEST_NAMESPACE = np.uint64(255)

(
    FINE,
    NO_BAR,
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
    SPACES,
    INNER_RETURN,
    CONTROL,
    NAMESPACE_CARET,
    SLOTS_FULL,
    BYTES_FULL,
) = range(20)

_NUMBER = "Write it as a decimal number, without blanks around the colon"
MESSAGES = {
    NO_BAR: ("a line must have a | before its features", "Write LABEL | FEATURE:VALUE ..., or check the format"),
    LABEL: ("a label must be a number", "Write LABEL | FEATURE:VALUE ..., with one number as the label"),
    LABEL_FINITE: ("a label must be finite", "Correct or remove the line"),
    IMPORTANCE: ("an importance must be a finite number >= 0", "Correct it, or leave it out (the default is 1)"),
    HEADER: ("the words before the | must be a label, an importance, a base and a tag", "Remove the extra words"),
    TAG: ("a tag must be the last word before the |", "Move it there"),
    NAMESPACE: ("a namespace must have a name before its scale", "Name it, or write the | without a scale"),
    LONG_NAMESPACE: (f"a namespace's name must have at most {LONGEST_NAMESPACE} bytes", "Shorten it"),
    SCALE: ("the scale of a namespace must be a finite number", _NUMBER),
    FEATURE: ("a feature must have a name before its value", "Name it"),
    VALUE: ("a value must be a number", _NUMBER),
    VALUE_FINITE: ("a value, scaled and summed over its name, must be finite", "Leave the feature out"),
    UTF8: ("names must be UTF-8", "Convert the file to UTF-8"),
    SPACES: (
        "words before the | must be separated by spaces",
        "Write a space: VW drops everything up to a tab, and takes a carriage return as part of a word",
    ),
    INNER_RETURN: ("a carriage return must end its line", "Remove it: VW drops the rest of the line"),
    CONTROL: ("a name must not begin or end with a control character", "Remove it: VW drops it from the name"),
    NAMESPACE_CARET: ("a namespace must not contain ^", "Rename it: ^ separates namespace and feature in a name"),
}


class VwParser:
    """Parses VW text to rows; keeps the table of names from one chunk to the next."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self._table = NameTable()
        self._buffers: LineBuffers = allocate(0)
        self._lock = Lock()

    def copy_after(self, after: Parsed) -> VwParser:
        """Return a new parser with the names known after the piece ``after``; thread-safe."""
        other = VwParser(self.options)
        with self._lock:
            if after.rows.names is self._table.names:
                other._table = self._table.first(after.rows.width)
        return other

    def parse(self, chunk: Chunk) -> Parsed:
        """Parse a chunk to rows, labels and importances.

        A missing label is NaN if other lines have labels.
        """
        with self._lock:
            return self._parse(chunk)

    def _parse(self, chunk: Chunk) -> Parsed:
        if len(self._table.names) > MOST_NAMES or self._table.size > MOST_BYTES:
            self._table = NameTable()
        if len(self._buffers.labels) < chunk.data.size // 2 + 1:
            self._buffers = allocate(chunk.data.size)
        rows = self._buffers
        rows.indptr[0] = 0
        place = np.array([0, 1, 0, 0], np.uint64)
        while code := read_lines(*text_of(chunk), place, rows, self._table.compiled):
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
        y = labels(rows.labels[:n_rows], file_rows.lines, chunk)
        w = importances(rows.weights[:n_rows])
        faults = [fault(chunk, where, MESSAGES, b"|") for where in rows.wrong[:n_wrong].tolist()]
        return Parsed(file_rows, y, w, faults, int(place[1]) - 1)


class LineBuffers(NamedTuple):
    """Output buffers of ``read_lines``: the rows, and four numbers for every malformed line.

    The numbers are the line, its start, the offset of the error and its code. A missing label or
    importance is NaN.
    """

    indptr: Offsets
    indices: Indices
    values: Floats
    labels: Floats
    weights: Floats
    lines: Offsets
    wrong: Offsets


def allocate(size: int) -> LineBuffers:
    """Allocate buffers for a chunk of ``size`` bytes. They are reused: allocation is slow."""
    most = size // 2 + 1
    return LineBuffers(
        np.empty(most + 1, np.uint64),
        np.empty(most, np.uint32),
        np.empty(most, np.float64),
        np.empty(most, np.float64),
        np.empty(most, np.float64),
        np.empty(most, np.uint64),
        np.empty((most, 4), np.uint64),
    )


def importances(given: Floats) -> Floats | None:
    """Return the importances, 1 by default; None if no line has one."""
    missing = np.isnan(given)
    return None if missing.all() else np.where(missing, 1.0, given)


@inlined
def marks(word: Word, byte: Word) -> Word:
    """Set the top bit of the first byte equal to ``byte``; later bytes may be false positives."""
    other = word ^ (EACH * np.uint64(byte))
    return (other - EACH) & ~other & TOPS


@inlined
def ends_value(text: Word, at: Word, stop: Word) -> bool:
    """Return whether a word that may contain colons ends here."""
    return at >= stop or blank(byte(text, at)) or byte(text, at) == NEWLINE or byte(text, at) == PIPE


@inlined
def ends_name(text: Word, at: Word, stop: Word) -> bool:
    """Return whether a name ends here."""
    return (at < stop and byte(text, at) == COLON) or ends_value(text, at, stop)


@inlined
def past_name(text: Word, at: Word, stop: Word) -> Word:
    """Return the end of a name: a blank, colon, bar or line end; scans eight bytes at a time."""
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


@inlined
def past_spaces(text: Word, at: Word, stop: Word) -> Word:
    """Return the offset of the next word, carriage return or end of the line."""
    while at < stop and (byte(text, at) == BLANK or byte(text, at) == TAB):
        at += ONE
    return at


@jit
def past_zeros(text: Word, start: Word, end: Word) -> Word:
    """Return where a name begins: VW reads a name of digits as a number, without leading zeros."""
    first = max(start, end - ONE)
    for at in range(start, end):
        if byte(text, at) < ZERO or byte(text, at) > NINE:
            return start
        if byte(text, at) != ZERO and first == end - ONE:
            first = at
    return first


@inlined
def controls(text: Word, start: Word, end: Word) -> bool:
    """Return whether a name, which is not empty, begins or ends with a control character."""
    return byte(text, start) < BLANK or byte(text, end - ONE) < BLANK


@jit
def read_lines(text: Word, stop: Word, place: Offsets, rows: LineBuffers, names: Names) -> int:
    """Fill the rows. ``place`` holds the offset, line, number of rows and of malformed lines.

    Return FINE, or a code if the table of names is full. ``place`` is then the start of the line
    to read again after the table has grown.
    """
    at, line, n_rows, n_wrong = place
    while at < stop:
        begin = at
        at = past_blanks(text, at, stop)
        if at < stop and byte(text, at) != NEWLINE:
            known = get(names.known, np.uint64(0))
            code, label, weight, at = read_header(text, at, stop)
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
def read_header(text: Word, at: Word, stop: Word) -> tuple[int, float, float, Word]:
    """Return a code, label, importance (NaN if missing), and the first bar or the error."""
    label, weight = np.nan, np.nan
    begin = bar = at
    odd = stop
    while bar < stop and byte(text, bar) != PIPE:
        if byte(text, bar) == NEWLINE:
            return NO_BAR, label, weight, begin
        if odd == stop and (byte(text, bar) == TAB or byte(text, bar) == RETURN):
            odd = bar
        bar += ONE
    if bar == stop:
        return NO_BAR, label, weight, begin
    if odd != stop:
        return SPACES, label, weight, odd
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
    return FINE, label, weight, bar


@inlined
def read_known_numbers(
    text: Word, at: Word, stop: Word, indices: Indices, values: Floats, n: Word, beyond: Word, scale: float, plain: Word
) -> tuple[Word, Word, Word]:
    """Read features while their names are known, increasing numbers >= ``beyond`` with values.

    This is the fast path for files converted from svmlight; anything else is left to the caller.
    Return the offset where it stopped, the current end of the row, and the new ``beyond``.
    """
    while True:
        digits, name = plain_number(text, at, stop)
        end = at + digits
        if digits == 0 or name < beyond or end >= stop or byte(text, end) != COLON:
            break
        recorded = get(plain, name)
        value, after = number(text, end + ONE, stop)
        value *= scale
        if recorded == 0 or after == end + ONE or not ends_value(text, after, stop) or not np.isfinite(value):
            break
        indices[n] = recorded & NUMBER
        values[n] = value
        n += ONE
        beyond = name + ONE
        at = past_spaces(text, after, stop)
    return at, n, beyond


@jit
def read_features(
    text: Word, at: Word, stop: Word, indices: Indices, values: Floats, start: Word, names: Names
) -> tuple[int, Word, Word]:
    """Read namespaces from a bar up to the end of the line.

    Return a code, the offset of the error or of the end of the line, and the end of the row in
    ``indices``. Names that are increasing numbers cannot repeat. At the first one that does not
    increase, the row is read again, this time recording the position of each name.
    """
    first = at
    n = start
    scale = 1.0
    beyond = np.uint64(0)
    recording = False
    prefix = prefix_of(names, text, at, at, stop)
    while True:
        if prefix.size == 0 and not recording:
            at, n, beyond = read_known_numbers(text, at, stop, indices, values, n, beyond, scale, names.plain)
        if at >= stop or byte(text, at) == NEWLINE:
            break
        word = name = at
        if byte(text, at) == RETURN:
            at = past_blanks(text, at, stop)
            if at < stop and byte(text, at) != NEWLINE:
                return INNER_RETURN, word, n
            break
        if byte(text, at) == PIPE:
            code, scale, end, at = read_namespace(text, at + ONE, stop)
            if code != FINE:
                return code, at, n
            prefix = prefix_of(names, text, past_zeros(text, word + ONE, end), end, stop)
            at = past_spaces(text, at, stop)
            continue
        if byte(text, word) == ZERO:
            name = past_zeros(text, word, past_name(text, word, stop))
        digits, number_name = plain_number(text, name, stop)
        end = name + digits
        plain = digits != 0 and prefix.size == 0 and ends_name(text, end, stop)
        key = slot = np.uint64(0)
        if plain:
            if number_name < beyond and not recording:
                at, n, scale, recording = first, start, 1.0, True
                continue
            beyond = number_name + ONE
            record_at = names.plain + EIGHT * number_name
        else:
            end = past_name(text, name, stop)
            if end == word:
                return FEATURE, word, n
            if controls(text, name, end):
                return CONTROL, word, n
            key = key_of(names, prefix, text, name, end, stop)
            slot = first_slot(names, key)
            record_at = names.slots + EIGHT * slot
        prefetch(record_at)
        value = 1.0
        at = end
        if end < stop and byte(text, end) == COLON:
            value, at = number(text, end + ONE, stop)
            if at == end + ONE or not ends_value(text, at, stop):
                return VALUE, word, n
        if not plain:
            slot = slot_of_name(names, prefix, text, name, end, stop, key, slot)
        elif get(record_at, np.uint64(0)) == 0:
            slot = slot_of_plain(names, prefix, text, name, end, stop, number_name)
        if slot >= NOT_UTF8:
            return UTF8 if slot == NOT_UTF8 else SLOTS_FULL if slot == NO_SLOT else BYTES_FULL, word, n
        if not plain:
            record_at = names.slots + EIGHT * (slot + ONE)
        value *= scale
        recorded = get(record_at, np.uint64(0))
        k, before = recorded & NUMBER, recorded >> HALF
        if (recording or not plain) and start <= before < n and indices[before] == k:
            value += values[before]
            values[before] = value
        else:
            if recording or not plain:
                put(record_at, np.uint64(0), (recorded & LOW_HALF) | (n << HALF))
            indices[n] = k
            values[n] = value
            n += ONE
        if not np.isfinite(value):
            return VALUE_FINITE, word, n
        at = past_spaces(text, at, stop)
    return FINE, at, n


@jit
def read_namespace(text: Word, at: Word, stop: Word) -> tuple[int, float, Word, Word]:
    """Return a code, the scale, the end of the name, and the first feature or the error."""
    end = past_name(text, at, stop)
    if end - at > LONGEST_NAMESPACE:
        return LONG_NAMESPACE, 1.0, end, at
    if wrong_utf8(text, at, end) < end:
        return UTF8, 1.0, end, at
    if end > at and controls(text, at, end):
        return CONTROL, 1.0, end, at
    for k in range(at, end):
        if byte(text, k) == CARET:
            return NAMESPACE_CARET, 1.0, end, at
    if end == stop or byte(text, end) != COLON:
        return FINE, 1.0, end, end
    if end == at:
        return NAMESPACE, 1.0, end, at
    scale, after = number(text, end + ONE, stop)
    if after == end + ONE or not ends_value(text, after, stop) or not np.isfinite(scale):
        return SCALE, 1.0, end, at
    return FINE, scale, end, after
