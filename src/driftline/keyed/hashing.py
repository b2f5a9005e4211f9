"""A hash of keys that is the same in every process, on every machine and in every version."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from driftline.keyed.keys import checked, encoded


def stable_hash(key: Any) -> int:
    """Return the hash of a key, from 0 to 2**64 - 1, for example to share keys among workers.

    Parameters
    ----------
    key : str, int or bytes
        The key.

    >>> stable_hash("a")
    1410542633125930404
    """
    return int.from_bytes(blake2b(encoded(checked(key)), digest_size=8).digest(), "little")
