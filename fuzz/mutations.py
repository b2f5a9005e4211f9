"""Mutations of files: flip, insert, delete, repeat and splice bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from random import Random

import pyarrow as pa

TOKENS = (
    *(
        b"1e400",
        b"-1e-400",
        b"nan",
        b"inf",
        b"-Infinity",
        b"1" * 400,
        b"9" * 25,
        b"0x10",
        b"1_000",
        b"1e",
        b"--1",
        b"\x00",
    ),
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\t",
        b" ",
        b"  ",
        b'"',
        b'""',
        b"'",
        b",",
        b";",
        b"|",
        b":",
        b"#",
        b"%",
        b"{",
        b"}",
    ),
    *(b"[", b"]", b"\\", b"null", b"true", b"4294967295:1", b"2147483647:1", b"1099511627776:1", b"-1:1", b"qid:"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\x80", b"\xf4\x90\x80\x80", "é".encode(), b"\x85"),
    *(b"\x0b", b"\x0c", b"\x1c", b"\xe2\x80\xa8", b"@data", b"@attribute", b"(bias)", b'{"y": 1}', b"[" * 2000),
)


def flip(data: bytes, rng: Random) -> bytes:
    """Change one byte."""
    at = rng.randrange(len(data))
    return (
        data[:at]
        + bytes([data[at] ^ (1 << rng.randrange(8) if rng.random() < 0.5 else rng.randrange(1, 256))])
        + data[at + 1 :]
    )


def insert(data: bytes, rng: Random) -> bytes:
    """Insert random bytes."""
    at = rng.randint(0, len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]


def insert_token(data: bytes, rng: Random) -> bytes:
    """Insert a token with a meaning in some format, sometimes replacing bytes."""
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(TOKENS) + data[at + rng.choice((0, 0, 1, 4)) :]


def cut(data: bytes, rng: Random) -> bytes:
    """Truncate the data."""
    return data[: rng.randrange(len(data))]


def delete(data: bytes, rng: Random) -> bytes:
    """Delete a piece."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 20) :]


def repeat(data: bytes, rng: Random) -> bytes:
    """Repeat a piece, up to 100 times."""
    at = rng.randrange(len(data))
    stop = at + rng.randint(1, 30)
    return data[:stop] + data[at:stop] * rng.choice((1, 1, 3, 100)) + data[stop:]


def shuffle(data: bytes, rng: Random) -> bytes:
    """Shuffle the lines."""
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


FORMAT_BLIND = (flip, insert, cut, delete, repeat)
FORMAT_AWARE = (*FORMAT_BLIND, insert_token, insert_token, shuffle)


def mutated(data: bytes, rng: Random, ways: tuple[Callable[[bytes, Random], bytes], ...] = FORMAT_AWARE) -> bytes:
    """Return the data after one or several mutations."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if data:
            data = rng.choice(ways)(data, rng)
    return data


def spliced(one: bytes, other: bytes, rng: Random) -> bytes:
    """Return the beginning of one file and the end of the other."""
    return one[: rng.randint(0, len(one))] + other[rng.randint(0, len(other)) :]


def zipped(data: bytes) -> bytes:
    """Return a zip archive with one file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("file", data)
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    """Return the data compressed by zstd."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(data)
    return bytes(sink.getvalue())


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zip": zipped,
    "zstd": zstd,
}
