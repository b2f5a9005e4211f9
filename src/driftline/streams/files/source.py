"""Read bytes from a path, an open file or stdin, decompressed, in chunks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import reprlib
import struct
import sys
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from driftline.streams.files.faults import EndlessFault, Fault, ReadError

CHUNK = 1 << 21
BUFFER = 1 << 16
"""Size of the read buffer. Larger reads bypass it, which saves a copy."""
LONGEST_LINE = 1 << 25
"""Maximum number of bytes of a record."""
LONGEST_SKIPPED = 1 << 30
"""Number of bytes after which the end of a longer line is no longer sought."""
NEWLINE = 10
BOM = b"\xef\xbb\xbf"
PEEK = 1 << 14
STDIN = ("-", "/dev/stdin")

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
}
# exceptions that decompression raises besides OSError; the last four come from damaged archives
DAMAGE = (lzma.LZMAError, zlib.error, zipfile.BadZipFile, ValueError, RuntimeError, struct.error, OverflowError)


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a file; only the last line of the file may lack a newline."""

    data: np.ndarray
    """The bytes, as uint8."""
    source: str


class Source:
    """One file. ``name`` appears in messages; ``size`` is in bytes, None if unknown."""

    def __init__(self, given: str | Path | BinaryIO) -> None:
        self._file: BinaryIO | None = None
        self.path: Path | None = None
        self.size: int | None = None
        self.read = 0
        """Number of bytes read so far, before decompression."""
        if isinstance(given, str | Path) and str(given) not in STDIN:
            self.name = str(given)
            self.path = Path(given)
            self._check_path(self.path)
            self.size = self.path.stat().st_size if self.path.is_file() else None
        else:
            self._file = sys.stdin.buffer if isinstance(given, str | Path) else given
            self.name = "stdin" if self._file is sys.stdin.buffer else str(getattr(given, "name", "file object"))
            if not hasattr(self._file, "read") or isinstance(self._file, io.TextIOBase):
                raise ReadError(
                    "read: a source must be a path, a binary file, a frame or a list of dicts, got "
                    f"{reprlib.repr(given)}. Pass a path, or open it with 'rb'"
                )
        self._stream: io.BufferedReader | None = None

    def _check_path(self, path: Path) -> None:
        if path.is_dir():
            raise ReadError(f"{self.name}: must be a file, got a folder. Pass its files with a pattern such as *.csv")
        if not path.exists():
            raise ReadError(f"{self.name}: must be an existing file, got no such file. Check the path")

    @property
    def repeatable(self) -> bool:
        """Return whether the file can be read more than once."""
        return self.path is not None and self.path.is_file()

    def open(self) -> io.BufferedReader:
        """Open the file, decompressed. A pipe is opened once and stays open."""
        if not self.repeatable and self._stream is not None:
            return self._stream
        with reading(self.name):
            file = cast(BinaryIO, self.path.open("rb")) if self.path is not None else self._file
            assert file is not None
            self.read = 0
            counted = io.BufferedReader(cast(Any, _Counted(weakref.ref(self), file, self.path is not None)), BUFFER)
            stream = _decompressed(self.name, counted)
            if not self.repeatable:
                self._stream = stream
            return stream

    def peek(self) -> bytes:
        """Return the first bytes, decompressed, without consuming them."""
        stream = self.open()
        try:
            with reading(self.name):
                return stream.peek(PEEK)[:PEEK]
        finally:
            if self.repeatable:
                stream.close()

    def chunks(self, size: int = CHUNK, reused: int = 0) -> Iterator[Chunk | Fault]:
        """Yield chunks of whole lines, about ``size`` bytes each.

        A line that is too long is skipped and yielded as a fault with line number 1; the caller
        adds the offset. If its end is not found, the fault is an ``EndlessFault`` and the last
        item. If ``reused`` > 0, the chunks share that many buffers in turn: allocating
        memory takes as long as reading the file.
        """
        stream = self.open()
        buffers = cycle([np.empty(size, np.uint8) for _ in range(reused)]) if reused else None
        try:
            yield from _chunks(self.name, stream, size, buffers)
        finally:
            if self.repeatable:
                stream.close()


def _chunks(
    name: str, stream: io.BufferedReader, size: int, buffers: Iterator[np.ndarray] | None
) -> Iterator[Chunk | Fault]:
    kept, overlong = np.empty(0, np.uint8), 0
    first = True
    buffer = None if buffers is None else next(buffers)
    while True:
        small = 2 * kept.size <= size
        data = buffer if buffer is not None and small else np.empty(kept.size + size, np.uint8)
        data[: kept.size] = kept
        with reading(name):
            filled = kept.size + _fill(stream, data.data[kept.size :])
        ended = filled < data.size
        start = len(BOM) if first and data[: len(BOM)].tobytes() == BOM else 0
        first = False
        data = data[start:filled]
        stop = data.size if ended else _last_newline(data, data.size) + 1
        if overlong:
            begin = _first_newline(data) + 1 if stop or ended else 0
            overlong += begin or data.size
            if begin == 0 and not ended:
                if overlong > LONGEST_SKIPPED:
                    yield _too_long(EndlessFault, name, overlong)
                    return
                kept = data[:0]
                continue
            yield _too_long(Fault, name, overlong)
            overlong = 0
            data, stop = data[begin or data.size :], max(0, stop - (begin or data.size))
        if stop:
            yield Chunk(data[:stop], name)
            if buffers is not None and small:  # keep a buffer until it has been yielded
                buffer = next(buffers)
        if ended:
            return
        kept = data[stop:].copy()
        if kept.size > LONGEST_LINE:
            overlong, kept = kept.size, kept[:0]


def _too_long(kind: type[Fault], name: str, size: int) -> Fault:
    return kind(
        name,
        1,
        None,
        f"a line must have at most {LONGEST_LINE:,} bytes",
        f"{size:,} or more" if kind is EndlessFault else f"{size:,}",
        "Break it into lines, or check that this is the right format",
    )


def _fill(stream: io.BufferedReader, buffer: memoryview) -> int:
    """Read until the buffer is full or the file ends."""
    filled = 0
    while filled < len(buffer):
        count = stream.readinto(buffer[filled:])
        if not count:
            break
        filled += count
    return filled


def _last_newline(data: np.ndarray, stop: int) -> int:
    """Return the offset of the last newline before ``stop``, or -1."""
    while stop > 0:
        start = max(0, stop - 65536)
        found = np.flatnonzero(data[start:stop] == NEWLINE)
        if found.size:
            return start + int(found[-1])
        stop = start
    return -1


def _first_newline(data: np.ndarray) -> int:
    """Return the offset of the first newline, or -1."""
    found = np.flatnonzero(data == NEWLINE)
    return int(found[0]) if found.size else -1


class _Counted(io.RawIOBase):
    """A raw file that adds the number of bytes read to ``source.read``.

    It holds only a weak reference to the source. With a strong one, Arrow would keep both alive
    forever.
    """

    def __init__(self, source: weakref.ref[Source], file: BinaryIO, owned: bool) -> None:
        self.source = source
        self.file = file
        self.owned = owned

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, as the file does, and count the bytes."""
        if hasattr(self.file, "readinto"):
            count = int(self.file.readinto(buffer) or 0)
        else:
            data = self.file.read(len(buffer))
            count = len(data)
            buffer[:count] = data
        if (source := self.source()) is not None:
            source.read += count
        return count

    def seekable(self) -> bool:
        """Return whether the file is seekable."""
        return bool(self.file.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        """Seek in the file."""
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the file."""
        return self.file.tell()

    def close(self) -> None:
        """Close the file, unless the user passed it open."""
        if self.owned:
            self.file.close()
        super().close()


def _decompressed(name: str, stream: io.BufferedReader) -> io.BufferedReader:
    """Return the decompressed stream; its first bytes determine the compression."""
    head = stream.peek(8)[:8]
    kind = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)
    if kind is None:
        return stream
    if kind == "gzip":
        return io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=stream)), CHUNK)
    if kind == "xz":
        return io.BufferedReader(cast(Any, lzma.LZMAFile(stream)), CHUNK)
    if kind == "bzip2":
        return io.BufferedReader(cast(Any, bz2.BZ2File(stream)), CHUNK)
    if kind == "zip":
        return _only_member(name, stream)
    import pyarrow as pa

    return io.BufferedReader(cast(Any, pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd")), CHUNK)


def _only_member(name: str, file: io.BufferedReader) -> io.BufferedReader:
    """Open the only file of a zip archive; macOS metadata is ignored."""
    if not file.seekable():
        raise ReadError(f"{name}: a zip archive must be a file on disk, got a pipe. Unzip it first")
    archive = zipfile.ZipFile(cast(Any, file))
    members = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(members) != 1:
        raise ReadError(f"{name}: a zip archive must hold one file, got {len(members)}. Unzip it and pass one of them")
    return io.BufferedReader(cast(Any, archive.open(members[0])), CHUNK)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn an error while reading into a ReadError that names the file."""
    try:
        yield
        return
    except ReadError:
        raise
    except EOFError:
        damage = "a truncated file"
    except OSError as error:
        if error.errno is not None:
            raise ReadError(
                f"{name}: must be a readable file, got {error.strerror}. Check it and its permissions"
            ) from None
        damage = str(error)
    except DAMAGE as error:
        damage = str(error) or type(error).__name__
    raise ReadError(f"{name}: a compressed file must be intact, got {damage.rstrip('.')}. Fetch it again")
