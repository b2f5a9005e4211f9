"""The keys of a ``Keyed``: str, int or bytes, and their form as bytes.

>>> encoded("café"), encoded(-255), encoded(b"a")
(b'scaf\\xc3\\xa9', b'i-ff', b'ba')
>>> decoded(b"i-ff")
-255
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened

LONGEST = 1 << 16
"""The most bytes of a key."""
MOST_BITS = 4096
"""The most bits of an int."""
WHERE = "Keyed"

Key = str | int | bytes


def checked(key: Any) -> Key:
    """Return a key as a plain str, int or bytes; raise ValueError if it cannot be a key."""
    kind = type(key)
    if kind is str or kind is bytes:
        if len(key) * 4 > LONGEST:
            _check_length(key)
        return key  # type: ignore[no-any-return]
    if kind is int:
        if key.bit_length() > MOST_BITS:
            raise ValueError(f"{WHERE}: a key must be an int of at most {MOST_BITS} bits, got more. Use its hash")
        return key  # type: ignore[no-any-return]
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, str):
        return checked(str.__str__(key))
    if isinstance(key, bytes):
        return checked(bytes(key))
    if isinstance(key, int) and not isinstance(key, bool):
        return checked(int.__int__(key))
    if key is None or key != key:
        raise ValueError(f"{WHERE}: a key must be a value, got {shortened(key)}. Drop the rows without a key")
    raise ValueError(f"{WHERE}: a key must be a str, int or bytes, got {shortened(key)}. Convert it with str(key)")


def _check_length(key: str | bytes) -> None:
    size = len(key if isinstance(key, bytes) else key.encode("utf-8", "surrogatepass"))
    if size > LONGEST:
        raise ValueError(f"{WHERE}: a key must have at most {LONGEST} bytes, got {size}. Use its hash")


def encoded(key: Key) -> bytes:
    """Return a key as bytes: its type, then its text or bytes. Different keys have different bytes."""
    if type(key) is str:
        return b"s" + key.encode("utf-8", "surrogatepass")
    if type(key) is int:
        return b"i%x" % key
    assert type(key) is bytes
    return b"b" + key


def decoded(data: bytes) -> Key:
    """Return the key that ``encoded`` converted; raise ValueError for other bytes."""
    kind, text = data[:1], data[1:]
    key: Key
    if kind == b"s":
        key = text.decode("utf-8", "surrogatepass")
    elif kind == b"b":
        key = text
    elif kind == b"i":
        key = int(text, 16)
    else:
        raise ValueError(f"a key of kind {kind!r}")
    if encoded(checked(key)) != data:
        raise ValueError(f"a key written as {shortened(data)}")
    return key
