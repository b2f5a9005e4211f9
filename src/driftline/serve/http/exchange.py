"""A request in progress, and the reply to it."""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import AsyncGenerator, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from driftline.serve.errors import BadRequest
from driftline.serve.http.auth import Caller

JSON = b"application/json"
SAFE = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
"""Headers of every reply that is no page."""
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
SINGLE = frozenset(
    (b"host", b"authorization", b"origin", b"content-type", b"content-length", b"content-encoding", b"cookie")
)
"""Headers that decide something. A request in which one of them comes twice is refused."""

_prefix = secrets.token_hex(4)
_numbers = itertools.count(1)


def new_id() -> str:
    """Return the id of a request that brought none."""
    return f"{_prefix}-{next(_numbers)}"


class Reply:
    """The answer to a request.

    Parameters
    ----------
    body : bytes
        The body, complete.
    status : int, default=200
        The status.
    media : bytes, default=b"application/json"
        The Content-Type.
    headers : sequence of (bytes, bytes), default=()
        Further headers, names in lower case.
    stream : async iterator of bytes, optional
        Pieces of the body, instead of ``body``.
    protection : sequence of (bytes, bytes), default=SAFE
        Headers against misuse by a browser.
    """

    __slots__ = ("body", "headers", "media", "protection", "status", "stream")

    def __init__(
        self,
        body: bytes = b"",
        status: int = 200,
        media: bytes = JSON,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        stream: AsyncGenerator[bytes, None] | None = None,
        protection: tuple[tuple[bytes, bytes], ...] = SAFE,
    ) -> None:
        self.body = body
        self.status = status
        self.media = media
        self.headers = headers
        self.stream = stream
        self.protection = protection


_encode = msgspec.json.Encoder().encode


def encoded(value: Any) -> bytes:
    """Return the value as JSON. Keys that are True or False become texts."""
    try:
        return _encode(value)
    except TypeError:  # msgspec writes no dict with bools as keys
        return _encode(_with_text_keys(value))


def as_json(value: Any, status: int = 200) -> Reply:
    """Return the value as a JSON reply."""
    return Reply(encoded(value), status)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return {name: _with_text_keys(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        texts = {key: str(key).lower() if isinstance(key, bool) else key for key in value}
        return {texts[key]: _with_text_keys(one) for key, one in value.items()}
    return [_with_text_keys(one) for one in value] if isinstance(value, list | tuple) else value


class Exchange:
    """A request: its headers, the parts of its path, its caller and its body.

    Attributes
    ----------
    id : str
        The id of the request: that of the client if it sent a short one, otherwise a new one.
    method, path : str
        The request line, without the query.
    parts : list of str
        The path split at slashes; ``["", "v1", "models", name, ...]``.
    headers : dict of bytes to bytes
        The headers.
    caller : Caller
        Who calls. Set after authorisation.
    body : bytes
        The body, decompressed. Set before the handler runs.
    media : bytes
        The media type of the body, without parameters.
    """

    __slots__ = ("body", "caller", "headers", "id", "media", "method", "parts", "path", "scope")

    caller: Caller

    def __init__(self, scope: MutableMapping[str, Any]) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        raw: bytes = scope.get("raw_path") or b""
        if b"%" in raw:  # a ticket may hold a slash
            from urllib.parse import unquote

            self.parts = [unquote(part) for part in raw.decode("latin-1").split("/")]
        else:
            self.parts = self.path.split("/")
        pairs: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = dict(pairs)
        given = self.headers.get(b"x-request-id")
        if given is not None and REQUEST_ID.fullmatch(given):
            self.id = given.decode()
        else:
            self.id = new_id()
        self.body = b""
        self.media = b""

    def check_headers(self) -> None:
        """Refuse a request in which a header that decides something comes twice."""
        pairs = self.scope["headers"]
        if len(self.headers) == len(pairs):
            return
        seen: set[bytes] = set()
        for name, _ in pairs:
            if name in SINGLE and name in seen:
                raise BadRequest(f"{self.where}: the header {name.decode()} must be sent once, got it twice")
            seen.add(name)

    @property
    def target(self) -> bytes:
        """The path and the query as they were sent."""
        path: bytes = self.scope.get("raw_path") or self.path.encode()
        query: bytes = self.scope["query_string"]
        return path + b"?" + query if query else path

    @property
    def where(self) -> str:
        """The start of an error message."""
        return f"{self.method} {self.path[:200]}"

    @property
    def model(self) -> str:
        """The name of the model, or another name at this place of the path."""
        return self.parts[3]

    @property
    def item(self) -> str:
        """The second name in the path."""
        return self.parts[5]

    def query(self, known: tuple[str, ...]) -> dict[str, str]:
        """Return the parameters of the query; unknown and repeated ones are refused."""
        text: bytes = self.scope["query_string"]
        if not text:
            return {}
        try:
            pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
        except (ValueError, UnicodeDecodeError):
            raise BadRequest(f"{self.where}: the query must be name=value pairs in UTF-8, got another form") from None
        found: dict[str, str] = {}
        for name, value in pairs:
            if name not in known or name in found:
                what = "each parameter once" if name in found else f"only {', '.join(known) or 'no parameters'}"
                raise BadRequest(f"{self.where}: the query must have {what}, got {name[:50]!r}")
            found[name] = value
        return found

    def whole(self, name: str, text: str, low: int, high: int) -> int:
        """Return a parameter that must be a whole number from low to high."""
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise BadRequest(f"{self.where}: {name} must be a whole number from {low} to {high}, got {text[:50]!r}")
        return int(text)
