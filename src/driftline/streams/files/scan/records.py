"""Split delimited text into records: start, end, line number and number of cells of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets, jit, leaf

NEWLINE, RETURN = 10, 13
ONE = np.uint64(1)
NO_QUOTE = 256
"""A quote character that matches no byte, for text without quoting."""


class Records(NamedTuple):
    """Non-empty records. ``stops`` exclude the line end; ``widths`` are 0 for an open quote."""

    starts: Offsets
    stops: Offsets
    lines: Offsets
    """Number of line ends before each record."""
    widths: Offsets


@jit
def cut(
    data: np.ndarray, delimiter: int, quote: int, ended: bool, out: Records
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Fill ``out`` with the complete records; return their number, end offset and line ends.

    A cell that begins with a quote ends with one; it may contain line ends, delimiters and doubled
    quotes. A line ends with a newline, a carriage return, or both. If the file has ``ended``, the
    last record needs no line end.
    """
    size = np.uint64(data.size)
    i = done = np.uint64(0)
    line = done_line = np.uint64(0)
    count = np.uint64(0)
    while i < size:
        start, first_line, width = i, line, ONE
        begins = True
        opened = False
        while i < size:
            byte = data[i]
            if begins and byte == quote:
                opened = True
                i += ONE
                while i < size:
                    byte = data[i]
                    if byte == quote:
                        if i + ONE < size and data[i + ONE] == quote:
                            i += ONE
                        else:
                            opened = False
                            i += ONE
                            break
                    elif byte == NEWLINE or (byte == RETURN and not (i + ONE < size and data[i + ONE] == NEWLINE)):
                        line += ONE
                    i += ONE
                begins = False
                continue
            if byte in (NEWLINE, RETURN):
                break
            begins = byte == delimiter
            width += np.uint64(begins)
            i += ONE
        stop = i
        if i < size:
            if data[i] == RETURN:
                if i + ONE == size and not ended:
                    break
                if i + ONE < size and data[i + ONE] == NEWLINE:
                    i += ONE
            i += ONE
            line += ONE
        elif not ended:
            break
        if stop > start:
            out.starts[count] = start
            out.stops[count] = stop
            out.lines[count] = first_line
            out.widths[count] = np.uint64(0) if opened else width
            count += ONE
        done, done_line = i, line
    return count, done, done_line


@leaf
def line_ends(data: np.ndarray) -> int:
    """Return the number of newlines and carriage returns."""
    count = 0
    for byte in data:
        count += (byte == NEWLINE) | (byte == RETURN)
    return count


def records(data: np.ndarray, delimiter: int, quote: int, ended: bool) -> tuple[Records, int, int]:
    """Return the complete records of some text, their end offset and the number of line ends."""
    most = 1 + line_ends(data)
    out = Records(*(np.empty(most, np.uint64) for _ in Records._fields))
    count, done, lines = cut(data, delimiter, quote, ended, out)
    return Records(*(array[:count] for array in out)), int(done), int(lines)
