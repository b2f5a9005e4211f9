"""Feature names as arrays, since there may be millions: their bytes, end offsets and types.

A str is stored as UTF-8, lone surrogates included. An int or bool is stored in base 16.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Any

import numpy as np

from driftline.encode.features import BIAS_NAME
from driftline.saved.fault import UnfitError

STR, INT, BOOL = 0, 1, 2
ARRAYS = ("names", "name_ends", "name_types")
DTYPES = (np.dtype("u1"), np.dtype("u8"), np.dtype("u1"))


def to_arrays(names: Collection[Any]) -> dict[str, np.ndarray]:
    """Return names as arrays. Subclasses of str and int are restored as plain str and int."""
    letters = "".join(names) if {*map(type, names)} == {str} else ""
    if letters and letters.isascii():  # one byte per character: encode all names at once
        return _arrays(letters.encode(), map(len, names), bytes(len(names)))
    texts: list[bytes] = []
    types = bytearray()
    for name in names:
        if isinstance(name, str):
            texts.append(str.encode(name, "utf-8", "surrogatepass"))
            types.append(STR)
        else:
            texts.append(hex(name).encode())
            types.append(BOOL if isinstance(name, bool) else INT)
    return _arrays(b"".join(texts), map(len, texts), types)


def _arrays(letters: bytes, lengths: Iterable[int], types: bytes | bytearray) -> dict[str, np.ndarray]:
    ends = np.cumsum(np.fromiter(lengths, np.uint64, len(types)), dtype=np.uint64)
    every = np.frombuffer(letters, np.uint8), ends, np.frombuffer(types, np.uint8)
    return dict(zip(ARRAYS, every, strict=True))


def from_arrays(arrays: dict[str, np.ndarray], number: int) -> dict[Hashable, int]:
    """Return a dict from ``number`` names to indices; raise UnfitError for invalid arrays."""
    names, ends, types = (arrays[name] for name in ARRAYS)
    fit = names.ndim == 1 and ends.shape == types.shape == (number,)
    if not fit or (names.dtype, ends.dtype, types.dtype) != DTYPES:
        raise UnfitError("names with mismatched ends or types")
    starts = np.concatenate([np.zeros(1, np.uint64), ends])
    if (starts[1:] < starts[:-1]).any() or starts[-1] != names.size:
        raise UnfitError("names with invalid ends")
    if types.size and types.max() > BOOL:
        raise UnfitError("a name of unknown type")
    blob = names.tobytes()
    index: dict[Hashable, int] = {}
    start = 0
    try:
        for end, kind in zip(ends.tolist(), types.tolist(), strict=True):
            index[_name(blob[start:end], kind)] = len(index)
            start = end
    except (ValueError, KeyError):
        raise UnfitError("a name that cannot be read") from None
    if len(index) != ends.size or BIAS_NAME in index:
        raise UnfitError("a duplicate name, or the bias feature's")
    return index


def _name(text: bytes, kind: int) -> str | int:
    if kind == STR:
        return text.decode("utf-8", "surrogatepass")
    return int(text, 16) if kind == INT else {b"0x0": False, b"0x1": True}[text]
