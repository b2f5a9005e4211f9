"""Arrays and one JSON text in a file or in bytes: a valid safetensors file with a checksum over every byte.

    8 bytes    length of the header, little-endian
    header     JSON: "__metadata__" first, then dtype, shape and offsets of each array;
               padded with spaces to a multiple of 8
    arrays     their bytes, little-endian, in C order, without gaps

"__metadata__" holds four things: the SHA-256 of the whole file, the version of this format, the
kind of file, and all values that are not arrays as one JSON text. The SHA-256 is computed with its
own 64 digits set to "0". It is always at the same offset, so that it is verified before anything
is parsed. The same content gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.saved.atomic_write import replace
from driftline.saved.fault import (
    BUFFER,
    FILE,
    ModelError,
    Origin,
    Place,
    UnfitError,
    damaged,
    loading,
    loading_bytes,
)
from driftline.saved.plain import entries, parsed, written

VERSION = 1
START = b'{"__metadata__":{"format":"driftline","sha256":"'
SQLITE = b"SQLite format 3\0"
ZERO_DIGEST = b"0" * 64
DIGEST_END = len(START) + len(ZERO_DIGEST)
LONGEST_HEADER = 100_000_000  # the limit of safetensors
LARGEST = 1 << 60  # along any axis
LOADERS = {
    "model": "dl.load",
    "pending": "dl.Pending.load",
    "decision": "dl.Decision.load",
    "running gain": "dl.features.RunningGain.load",
}
"""The function that loads a file of each kind."""
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U8": np.dtype("u1"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


# writing --------------------------------------------------------------------------------------------------------------
def write(path: Place, kind: str, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a file of this kind. If that fails, an existing file is left unchanged."""
    replace(path, _parts("save", kind, meta, arrays))


def to_bytes(kind: str, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Return the bytes of the file that ``write`` writes."""
    return b"".join(_parts("to_bytes", kind, meta, arrays))


def _parts(where: str, kind: str, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[bytes | memoryview]:
    """Return the bytes of a file of this kind, in parts. Error messages start with ``where``."""
    little = [(name, _little_endian(name, array)) for name, array in arrays.items()]
    little.sort(key=lambda one: (-one[1].itemsize, one[0]))  # aligns each array to its item size
    header = _header(kind, meta, little)
    if len(header) > LONGEST_HEADER:
        raise ModelError(
            f"{where}: the header must have at most {LONGEST_HEADER} bytes, got {len(header)}. Use shorter labels"
        )
    data = [array.reshape(-1).view(np.uint8).data for _, array in little]
    digest = _digest(header, data).encode()
    return [len(header).to_bytes(8, "little"), START, digest, header[DIGEST_END:], *data]


def _little_endian(name: str, array: np.ndarray) -> np.ndarray:
    little = array.dtype.newbyteorder("<")
    if little not in NAMES:
        raise TypeError(f"write: {name} must have one of the dtypes {', '.join(DTYPES)}, got {array.dtype}")
    return np.asarray(array, little, order="C")


def _header(kind: str, meta: dict[str, Any], arrays: list[tuple[str, np.ndarray]]) -> bytes:
    """Return the header, with zeros in place of the checksum."""
    about = {
        "format": "driftline",
        "sha256": ZERO_DIGEST.decode(),
        "version": str(VERSION),
        "kind": kind,
        "content": written(meta),
    }
    table: dict[str, Any] = {"__metadata__": about}
    place = 0
    for name, array in arrays:
        table[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [place, place + array.nbytes],
        }
        place += array.nbytes
    text = json.dumps(table, separators=(",", ":")).encode("ascii")
    return text + b" " * (-len(text) % 8)


def _digest(header: bytes, data: Iterable[memoryview]) -> str:
    """Return the SHA-256 of a file, given its header with zeros in place of the checksum."""
    digest = hashlib.sha256(len(header).to_bytes(8, "little"))
    digest.update(header)
    for part in data:
        digest.update(part)
    return digest.hexdigest()


# reading --------------------------------------------------------------------------------------------------------------
def read(path: Place, kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the content of a file of this kind; raise ModelError if it is anything else."""
    with loading(path, kind):
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            raise UnfitError("a folder" if stat.S_ISDIR(mode) else "a path that is not a regular file", FILE.check)
        with Path(path).open("rb") as file:
            return _content(file, os.fstat(file.fileno()).st_size, kind, FILE)


def from_bytes(data: Any, kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the content of the bytes of a file of this kind; raise ModelError if they are anything else.

    ``data`` is bytes or any other buffer. The arrays are copies.
    """
    if type(data) is not bytes:
        try:
            data = memoryview(data).tobytes()
        except TypeError:
            raise ModelError(
                f"from_bytes: data must be bytes, got {shortened(data)}. Pass the bytes that to_bytes() returned"
            ) from None
    with loading_bytes(kind):
        return _content(io.BytesIO(data), len(data), kind, BUFFER)


def _content(
    file: io.BufferedIOBase, size: int, kind: str, origin: Origin
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the content of a container of ``size`` bytes."""
    header, data = _verified(file, size, origin)
    table = entries(header.decode("ascii", "replace"))
    meta = _meta(table.pop("__metadata__"), kind, origin)
    return meta, _arrays(table, data)


def _verified(file: io.BufferedIOBase, size: int, origin: Origin) -> tuple[bytes, np.ndarray]:
    """Verify the checksum; return the header and the bytes of the arrays.

    Memory use is bounded by ``size``.
    """
    if size == 0:
        raise UnfitError(f"an empty {origin.noun}", "Restore it from a copy")
    opening = file.read(8 + DIGEST_END)
    if opening.startswith(SQLITE):
        raise UnfitError("an SQLite file", "If a dl.Keyed has written it, load it with dl.Keyed.load(path)")
    if not opening[8:].startswith(START[: max(0, size - 8)]):
        raise UnfitError(f"a {origin.noun} of another format", origin.own)
    length = int.from_bytes(opening[:8], "little")
    if not DIGEST_END <= length <= min(size - 8, LONGEST_HEADER):
        raise damaged(origin)
    header = opening[8:] + file.read(length - DIGEST_END)
    data = np.empty(size - 8 - length, np.uint8)
    if file.readinto(data.data) < data.size:
        raise damaged(origin)
    given = header[len(START) : DIGEST_END]
    if _digest(START + ZERO_DIGEST + header[DIGEST_END:], [data.data]).encode() != given:
        raise damaged(origin)
    return header, data


def _meta(about: Any, kind: str, origin: Origin) -> dict[str, Any]:
    """Return the values that are not arrays. Check the version before anything else."""
    version = about.get("version")
    if not isinstance(version, str) or not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise UnfitError(f"a {origin.noun} of format {shortened(version)}")
    if int(version) > VERSION:
        raise UnfitError(
            f"a {origin.noun} written by a newer driftline (format {version}, this one reads {VERSION})",
            "Upgrade driftline",
        )
    found, content = about.get("kind"), about.get("content")
    if about.keys() != {"format", "sha256", "version", "kind", "content"} or not isinstance(content, str):
        raise UnfitError(f"metadata with keys {shortened(list(about))}")
    if found != kind:
        raise UnfitError(f"a {origin.noun} of kind {shortened(found)}", _remedy(found, origin))
    meta = parsed(content)
    if not isinstance(meta, dict):
        raise UnfitError(f"content {shortened(meta)}")
    return meta


def _remedy(found: object, origin: Origin) -> str:
    """Return what to do with a container of another kind: name the function that loads its file."""
    loader = LOADERS.get(found) if isinstance(found, str) and origin is FILE else None
    return origin.check if loader is None else f"Load it with {loader}(path)"


def _arrays(table: dict[str, Any], data: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays as views of ``data``; together they must cover every byte exactly once."""
    found: dict[str, np.ndarray] = {}
    places: list[tuple[int, int]] = []
    for name, entry in table.items():
        array, start, stop = _array(entry, data)
        if array is None:
            raise UnfitError(f"array {shortened(name)} described as {shortened(entry)}")
        found[name] = array
        places.append((start, stop))
    end = 0
    for start, stop in sorted(places):
        if start != end:
            raise UnfitError("arrays with gaps or overlaps")
        end = stop
    if end != data.size:
        raise UnfitError("bytes that belong to no array")
    return found


def _array(entry: Any, data: np.ndarray) -> tuple[np.ndarray | None, int, int]:
    """Return an array and its start and stop offsets; None if its entry does not fit the data."""
    invalid = None, 0, 0
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        return invalid
    dtype, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        return invalid
    if not _are_ints(shape, LARGEST) or not _are_ints(place, data.size) or len(place) != 2:
        return invalid
    kind, (start, stop) = DTYPES[dtype], place
    try:
        array = data[start:stop].view(kind).reshape(shape)
    except ValueError:
        return invalid
    return np.require(array, kind.newbyteorder("="), ["C", "A"]), start, stop


def _are_ints(values: Any, most: int) -> bool:
    """Return whether ``values`` is a list of ints from 0 to ``most``."""
    return isinstance(values, list) and all(type(value) is int and 0 <= value <= most for value in values)
