"""svmlight, also called libsvm: ``LABEL [qid:N] INDEX:VALUE ... [# comment]``.

An index is a column number, unchanged. Indices may be in any order; values of an index that occurs
twice in a line are summed. A line has no label if its first word contains a colon.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import LONGEST_TEXT, Fault, excerpt
from driftline.streams.files.label_column import exact_labels, has_large, whole_if_all_are
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.numbers import byte, digits_at, next_word, number
from driftline.streams.files.scan.powers_of_ten import Word
from driftline.streams.files.source import Chunk

ONE = np.uint64(1)
HALF, LOW_HALF = np.uint64(32), np.uint64(2**32 - 1)
QID = np.uint64(int.from_bytes(b"qid:", "little"))
HIGHEST_INDEX = np.uint64(2**31 - 1)
LABEL_END = re.compile(rb"[ \t\r#|]")
TAB, NEWLINE, RETURN, BLANK, HASH, COLON, PIPE = (np.uint8(ord(c)) for c in "\t\n\r #:|")

FINE, LABEL, LABEL_FINITE, PAIR, INDEX, VALUE, VALUE_FINITE, SUM = range(8)

MESSAGES = {
    LABEL: ("a label must be a number", "Write LABEL INDEX:VALUE ..., with one number as the label"),
    LABEL_FINITE: ("a label must be finite", "Correct or remove the line"),
    PAIR: ("a feature must be INDEX:VALUE with a whole number as INDEX", "Write INDEX:VALUE; comments begin with #"),
    INDEX: ("an index must be below 2^31", "Use names instead and hash them: write VW text and read it with hashing"),
    VALUE: ("a value must be a number", "Write INDEX:VALUE without blanks, with a decimal number as VALUE"),
    VALUE_FINITE: ("a value must be finite", "Leave the feature out where its value is missing"),
    SUM: ("the values of an index must have a finite sum", "Give every index once in a line"),
}


class SvmlightParser:
    """Parses svmlight lines to rows."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self._buffers: LineBuffers = allocate(0)

    def copy_after(self, after: Parsed) -> SvmlightParser:
        """Return a new parser; the parser has no state."""
        return SvmlightParser(self.options)

    def parse(self, chunk: Chunk) -> Parsed:
        """Parse a chunk to rows and labels. A missing label is NaN if other lines have labels."""
        if len(self._buffers.labels) < chunk.data.size // 2 + 1:
            self._buffers = allocate(chunk.data.size)
        rows = self._buffers
        n_rows, n_wrong, width, lines = read_lines(*text_of(chunk), rows)
        n_pairs = int(rows.indptr[n_rows])
        file_rows = FileRows(
            rows.indptr[: n_rows + 1].copy(),
            rows.indices[:n_pairs].copy(),
            rows.values[:n_pairs].copy(),
            None,
            int(width),
            chunk.source,
            rows.lines[:n_rows].copy(),
        )
        y = labels(rows.labels[:n_rows], file_rows.lines, chunk)
        faults = [fault(chunk, where, MESSAGES, b"#") for where in rows.wrong[:n_wrong].tolist()]
        return Parsed(file_rows, y, None, faults, int(lines))


class LineBuffers(NamedTuple):
    """Output buffers of ``read_lines``: the rows, and four numbers for every malformed line.

    The numbers are the line, its start, the offset of the error and its code. A missing label is
    NaN.
    """

    indptr: Offsets
    indices: Indices
    values: Floats
    labels: Floats
    lines: Offsets
    wrong: Offsets


def allocate(size: int) -> LineBuffers:
    """Allocate buffers for a chunk of ``size`` bytes. They are reused: allocation is slow."""
    most_rows, most_pairs = size // 2 + 1, size // 4 + 1
    return LineBuffers(
        np.empty(most_rows + 1, np.uint64),
        np.empty(most_pairs, np.uint32),
        np.empty(most_pairs, np.float64),
        np.empty(most_rows, np.float64),
        np.empty(most_rows, np.uint64),
        np.empty((most_rows, 4), np.uint64),
    )


def text_of(chunk: Chunk) -> tuple[np.uint64, np.uint64]:
    """Return the address and the number of the bytes."""
    return np.uint64(chunk.data.ctypes.data), np.uint64(chunk.data.size)


def labels(given: Floats, lines: Offsets, chunk: Chunk) -> np.ndarray | None:
    """Return labels as ints if all are whole numbers; a missing one is NaN. None if all are missing.

    ``lines`` are the numbers of their lines, from 1. A label is the first word of its line.
    """
    if len(given) and np.isnan(given).all():
        return None
    if has_large(given):
        texts = chunk.data.tobytes().split(b"\n")
        return exact_labels(given, lambda row: LABEL_END.split(texts[int(lines[row]) - 1].strip(), 1)[0].decode())
    return whole_if_all_are(given).copy()


def fault(chunk: Chunk, where: list[int], wrong: dict[int, tuple[str, str]], ends: bytes) -> Fault:
    """Return the fault of a malformed line; ``ends`` are bytes besides blanks that end a word."""
    line, begin, at, code = where
    rest = chunk.data[at : at + 4 * LONGEST_TEXT].tobytes()
    text = rest[:1] + re.split(rb"[ \t\r\n%b]" % ends, rest[1:], maxsplit=1)[0]
    must, remedy = wrong[code]
    return Fault(chunk.source, line, at - begin + 1, must, excerpt(text), remedy)


@inlined
def blank(character: int) -> bool:
    """Return whether a byte separates words. A carriage return counts as a blank anywhere."""
    return (character == BLANK) | (character == TAB) | (character == RETURN)


@inlined
def past_blanks(text: Word, at: Word, stop: Word) -> Word:
    """Return the offset of the next word or of the end of the line."""
    while at < stop and blank(byte(text, at)):
        at += ONE
    return at


@inlined
def past_line(text: Word, at: Word, stop: Word) -> Word:
    """Return the offset of the next line."""
    while at < stop and byte(text, at) != NEWLINE:
        at += ONE
    return min(at + ONE, stop)


@inlined
def line_ended(text: Word, at: Word, stop: Word) -> bool:
    """Return whether the line ends here or a comment begins."""
    return at >= stop or byte(text, at) == NEWLINE or byte(text, at) == HASH


@jit
def read_lines(text: Word, stop: Word, rows: LineBuffers) -> tuple[Word, Word, Word, Word]:
    """Fill the rows; return the numbers of rows and malformed lines, the width, and all lines."""
    at, line = np.uint64(0), ONE
    n_rows, n_wrong, n_pairs, width = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    rows.indptr[np.uint64(0)] = n_pairs
    while at < stop:
        begin = at
        at = past_blanks(text, at, stop)
        if not line_ended(text, at, stop):
            code, label, at = read_label(text, at, stop)
            if code == FINE:
                code, at, end, beyond = read_pairs(text, at, stop, rows.indices, rows.values, n_pairs)
            if code == FINE:
                rows.labels[n_rows] = label
                rows.lines[n_rows] = line
                n_rows += ONE
                n_pairs = end
                rows.indptr[n_rows] = n_pairs
                width = max(width, beyond)
            else:
                rows.wrong[n_wrong, 0], rows.wrong[n_wrong, 1] = line, begin
                rows.wrong[n_wrong, 2], rows.wrong[n_wrong, 3] = at, code
                n_wrong += ONE
        at = past_line(text, at, stop)
        line += ONE
    return n_rows, n_wrong, width, line - ONE


@jit
def read_label(text: Word, at: Word, stop: Word) -> tuple[int, float, Word]:
    """Return a code, the label or NaN, and the offset of the pairs or of the error."""
    label, after = number(text, at, stop)
    ends = after
    while not line_ended(text, ends, stop) and not blank(byte(text, ends)) and byte(text, ends) != COLON:
        ends += ONE
    if ends < stop and byte(text, ends) == COLON:
        label, after = np.nan, at
    elif after == at or after != ends:
        return LABEL, np.nan, at
    elif not np.isfinite(label):
        return LABEL_FINITE, np.nan, at
    after = past_blanks(text, after, stop)
    if next_word(text, after, stop) & LOW_HALF == QID:
        while not line_ended(text, after, stop) and not blank(byte(text, after)):
            after += ONE
    return FINE, label, after


@jit
def read_pairs(
    text: Word, at: Word, stop: Word, indices: Indices, values: Floats, start: Word
) -> tuple[int, Word, Word, Word]:
    """Read INDEX:VALUE pairs up to the end of the line.

    Return a code, the offset of the error or of the end of the line, the number of pairs so far,
    and the largest index plus one.
    """
    n = start
    rising = True
    beyond = np.uint64(0)
    at = first = past_blanks(text, at, stop)
    while not line_ended(text, at, stop):
        word = at
        count, index = digits_at(text, at, stop)
        at += count
        if count == np.uint64(8):
            index, at = long_index(text, at, stop, index)
        if count == 0 or at >= stop or byte(text, at) != COLON:
            return PAIR, word, n, beyond
        if index > HIGHEST_INDEX:
            return INDEX, word, n, beyond
        at += ONE
        value, end = number(text, at, stop)
        if end == at or not (line_ended(text, end, stop) or blank(byte(text, end))):
            return VALUE, word, n, beyond
        if not np.isfinite(value):
            return VALUE_FINITE, word, n, beyond
        at = past_blanks(text, end, stop)
        rising &= index >= beyond
        beyond = max(beyond, index + ONE)
        indices[n] = index
        values[n] = value
        n += ONE
    if not rising:
        n = joined(indices, values, start, n)
        for k in range(start, n):
            if not np.isfinite(values[k]):
                return SUM, first, n, beyond
    return FINE, at, n, beyond


@jit
def long_index(text: Word, at: Word, stop: Word, index: Word) -> tuple[Word, Word]:
    """Return an index of eight digits or more and its end; it saturates above HIGHEST_INDEX."""
    while at < stop and ord("0") <= byte(text, at) <= ord("9"):
        index = min(index * np.uint64(10) + np.uint64(byte(text, at) - ord("0")), HIGHEST_INDEX + ONE)
        at += ONE
    return index, at


@jit
def joined(indices: Indices, values: Floats, start: Word, stop: Word) -> Word:
    """Sort a row and sum the values of equal indices in their given order; return its new end."""
    places = np.empty(stop - start, np.uint64)
    for k in range(np.uint64(places.size)):
        places[k] = (np.uint64(indices[start + k]) << HALF) | k
    given = values[start:stop].copy()
    n = start
    for place in merge_sorted(places):
        index, value = np.uint32(place >> HALF), given[place & LOW_HALF]
        if n > start and indices[n - ONE] == index:
            values[n - ONE] += value
        else:
            indices[n], values[n] = index, value
            n += ONE
    return n


@jit
def merge_sorted(numbers: Offsets) -> Offsets:
    """Return the numbers sorted, by a merge sort; numba's sort takes seconds to compile."""
    size = np.uint64(numbers.size)
    merged = np.empty_like(numbers)
    run = ONE
    while run < size:
        for start in range(np.uint64(0), size, np.uint64(2) * run):
            left, right = start, min(start + run, size)
            middle, stop = right, min(right + run, size)
            for k in range(start, stop):
                if left < middle and (right == stop or numbers[left] <= numbers[right]):
                    merged[k] = numbers[left]
                    left += ONE
                else:
                    merged[k] = numbers[right]
                    right += ONE
        numbers, merged = merged, numbers
        run *= np.uint64(2)
    return numbers
