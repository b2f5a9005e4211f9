"""Tools for tests of line parsers: guarded memory, and checks against slow parsers."""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.source import Chunk

ROOM = 1 << 21
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(infinity|inf|nan)", re.IGNORECASE)
OPTIONS = ReadOptions()


def guarded() -> np.ndarray:
    """Memory followed by a page that must not be read: reading it ends the process."""
    memory = np.frombuffer(mmap.mmap(-1, ROOM + mmap.PAGESIZE), np.uint8)
    if hasattr(mmap, "PROT_READ"):
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(ctypes.c_void_p(memory.ctypes.data + ROOM), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    return memory[:ROOM]


MEMORY = guarded()


def chunk_of(text: bytes) -> Chunk:
    """The text at the very end of the readable memory."""
    data = MEMORY[ROOM - len(text) :]
    data[:] = np.frombuffer(text, np.uint8)
    return Chunk(data, "stream.txt")


def number(text: bytes) -> float | None:
    return float(text) if NUMBER.fullmatch(text) else None


def finite(value: float) -> bool:
    return abs(value) < float("inf")


def words(line: bytes, ends: bytes) -> list[tuple[int, bytes]]:
    """Words and the columns where they begin, from 1."""
    return [(word.start() + 1, word.group()) for word in re.finditer(rb"[^ \t\r%b]+" % ends, line)]


class MalformedError(Exception):
    pass


Line = Callable[[bytes], Any]


def check(text: bytes, parsed: Parsed, read: Line, comment: bytes) -> list[Any]:
    """Compare everything except the rows with the slow parser; return its lines."""
    expected, labels, lines, faults = [], [], [], []
    for k, line in enumerate(text.split(b"\n"), 1):
        if not words(line.split(comment)[0] if comment else line, comment):
            continue
        try:
            found = read(line.split(comment)[0] if comment else line)
        except MalformedError as wrong:
            faults.append((k, *wrong.args))
        else:
            expected.append(found)
            labels.append(found[0])
            lines.append(k)
    assert parsed.rows.lines.tolist() == lines
    assert [(fault.line, fault.column) for fault in parsed.faults] == [fault[:2] for fault in faults]
    for fault, (_, _, must) in zip(parsed.faults, faults, strict=True):
        assert must in fault.must, (fault, must)
    if labels and np.isnan(labels).all():
        assert parsed.y is None
    else:
        assert parsed.y is not None
        assert np.array_equal(parsed.y.astype(np.float64), labels, equal_nan=True)
        whole = all(finite(label) and label == int(label) and abs(label) < 2**63 for label in labels)
        assert parsed.y.dtype == np.int64 if whole else parsed.y.dtype in (np.float64, np.uint64, object)
    return expected


def entries(parsed: Parsed) -> list[list[tuple[int, float]]]:
    rows = parsed.rows
    bounds = rows.indptr.tolist()
    assert bounds[0] == 0 and bounds[-1] == rows.indices.size == rows.values.size
    pairs = list(zip(rows.indices.tolist(), rows.values.tolist(), strict=True))
    return [pairs[a:b] for a, b in pairwise(bounds)]


def mutated(lines: list[bytes], alphabet: bytes, size: int, seed: int) -> bytes:
    """Valid lines with some bytes replaced, inserted or left out, and lines of noise."""
    rng = np.random.default_rng(seed)
    out = bytearray()
    for _ in range(size):
        line = bytearray(lines[rng.integers(len(lines))])
        for _ in range(rng.poisson(1.0)):
            at = int(rng.integers(len(line) + 1))
            line[at : at + int(rng.integers(3))] = bytes(rng.choice(list(alphabet), int(rng.integers(3))).tolist())
        if rng.random() < 0.1:
            line = bytearray(rng.choice(list(alphabet), int(rng.integers(40))).tolist())
        out += line + b"\n"
    return bytes(out[:-1])


ALPHABET = b"0123456789.:+-eE# \t\r\nqidnafINF|'^_x\0\xff\xc3\xa4"
