"""Delimited text cut into records: where each begins and ends, its line, and how many cells it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets, jit, leaf

NEWLINE, RETURN = 10, 13
ONE = np.uint64(1)
NO_QUOTE = 256
"""A quote that no byte is: text without quoting."""


class Records(NamedTuple):
    """Records that are not blank. ``stops`` are before the line's end; ``widths`` is 0 where a quote stays open."""

    starts: Offsets
    stops: Offsets
    lines: Offsets
    """Line ends before the record."""
    widths: Offsets


@jit
def cut(
    data: np.ndarray, delimiter: int, quote: int, ended: bool, out: Records
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Fill ``out`` with the whole records; return how many, where they end, and how many lines end in them.

    A cell that begins with a quote ends with one, and may hold line ends, delimiters and quotes written twice. A line
    ends with a newline, a carriage return, or both. The last record needs no line end if the file has ``ended``.
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
    """How many bytes end a line."""
    count = 0
    for byte in data:
        count += (byte == NEWLINE) | (byte == RETURN)
    return count


def records(data: np.ndarray, delimiter: int, quote: int, ended: bool) -> tuple[Records, int, int]:
    """The whole records of some text, where they end, and how many lines end in them."""
    most = 1 + line_ends(data)
    out = Records(*(np.empty(most, np.uint64) for _ in Records._fields))
    count, done, lines = cut(data, delimiter, quote, ended, out)
    return Records(*(array[:count] for array in out)), int(done), int(lines)
