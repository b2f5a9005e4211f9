"""Bearer tokens: ``dl_<name>_<secret>``, of which the server stores only a digest.

The secret is 256 random bits, so one SHA-256 is enough: there is no dictionary to try.

>>> text, digest = new_token("web")
>>> name, secret = split_token(text)
>>> name, matches(secret, digest), matches("0" * 64, digest)
('web', True, False)
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

SCOPES = ("predict", "learn", "admin")
"""``predict`` reads, ``learn`` sends labels, ``admin`` may do everything."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
PREFIX, BYTES = "dl_", 32


def new_token(name: str) -> tuple[str, bytes]:
    """Return a new token and the digest to store."""
    check_name(name)
    secret = secrets.token_hex(BYTES)
    return f"{PREFIX}{name}_{secret}", digest(secret)


def split_token(text: str) -> tuple[str, str]:
    """Return (name, secret), both empty if the text has not the form of a token."""
    if not text.startswith(PREFIX) or len(text) > 200:
        return "", ""
    name, _, secret = text[len(PREFIX) :].rpartition("_")
    return name, secret


def digest(secret: str) -> bytes:
    """Return the SHA-256 of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def matches(secret: str, stored: bytes) -> bool:
    """Compare in a time that does not depend on the secret."""
    return hmac.compare_digest(digest(secret), stored)


def check_name(name: str) -> None:
    """Require the name of a token to be an identifier."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"token: name must be a lower-case letter, then up to 63 of a-z, 0-9, _ and -, got {name!r}. Rename it"
        )


def check_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes in a fixed order, each once; at least one, all known."""
    given = list(scopes)
    wrong = [one for one in given if one not in SCOPES]
    if wrong or not given:
        raise ValueError(
            f"token: scopes must be some of {', '.join(SCOPES)}, got {wrong[0] if wrong else 'none'!r}. "
            "Separate several with commas"
        )
    return tuple(one for one in SCOPES if one in given)
