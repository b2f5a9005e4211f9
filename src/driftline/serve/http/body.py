"""Read the body of a request within a size, and decompress it within the same size."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from driftline.serve.errors import BadRequest, TooLarge
from driftline.serve.http.problems import WrongMedia

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
ENCODINGS = ("gzip", "deflate", "zstd", "identity")
DRAIN_SECONDS, DRAIN_FACTOR = 2.0, 4
MOST_MEMBERS = 16
"""Most gzip members in one body: each costs a copy of the rest."""
THREAD_FROM = 65_536
"""Bodies of at least this size are decompressed in a thread."""


class Disconnected(Exception):  # noqa: N818
    """The client went away before its request was complete."""


async def read_body(receive: Receive, where: str, *, length: bytes | None, encoding: bytes | None, limit: int) -> bytes:
    """Return the decompressed body. The protocol of the server limits the time.

    Parameters
    ----------
    receive : callable
        The ASGI channel of the request.
    where : str
        Start of error messages.
    length, encoding : bytes or None
        The headers Content-Length and Content-Encoding.
    limit : int
        Most bytes, before and after decompression.
    """
    if length is not None and length.isdigit() and int(length[:18]) > limit:
        await _discard(receive, limit)
        raise _too_large(where, limit)
    message = await receive()
    body: bytes = message.get("body", b"")
    if message["type"] == "http.disconnect":
        raise Disconnected
    if message.get("more_body", False):
        body = await _rest(receive, body, where, limit)
    if len(body) > limit:
        raise _too_large(where, limit)
    if encoding is None or encoding == b"identity":
        return body
    name = encoding.decode("latin-1").strip().lower()
    if len(body) < THREAD_FROM:
        return decompress(body, name, where, limit)
    return await asyncio.to_thread(decompress, body, name, where, limit)


async def _rest(receive: Receive, first: bytes, where: str, limit: int) -> bytes:
    pieces, size = [first], len(first)
    while size <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        piece = message.get("body", b"")
        size += len(piece)
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)
    await _discard(receive, limit)
    raise _too_large(where, limit)


async def _discard(receive: Receive, limit: int) -> None:
    """Read on for a moment: a client that is still sending would not see the answer."""
    left = DRAIN_FACTOR * limit
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def decompress(body: bytes, encoding: str, where: str, limit: int) -> bytes:
    """Return the decompressed body, and stop as soon as it exceeds the limit.

    >>> decompress(zlib.compress(b"abc"), "deflate", "learn", 10)
    b'abc'
    """
    try:
        if encoding in ("gzip", "x-gzip"):
            return _inflate(body, zlib.MAX_WBITS | 16, where, limit)
        if encoding == "deflate":
            return _inflate(body, zlib.MAX_WBITS, where, limit)
        if encoding == "zstd":
            return _zstd(body, where, limit)
    except (zlib.error, EOFError, OSError) as error:
        raise BadRequest(f"{where}: the body must be valid {encoding}, got an error: {error}") from None
    if encoding == "identity":
        return body
    raise WrongMedia(f"{where}: Content-Encoding must be one of {', '.join(ENCODINGS)}, got {encoding[:50]!r}")


def _inflate(body: bytes, form: int, where: str, limit: int) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while body:  # gzip allows several members in a row
        if len(pieces) == MOST_MEMBERS:
            raise BadRequest(f"{where}: the body must have up to {MOST_MEMBERS} gzip members, got more. Compress once")
        stream = zlib.decompressobj(form)
        pieces.append(stream.decompress(body, left + 1))
        left -= len(pieces[-1])
        if left < 0:
            raise _too_large(where, limit)
        if not stream.eof:
            raise EOFError("it ends too early")
        body = stream.unused_data
        if body and form == zlib.MAX_WBITS:
            raise EOFError("bytes follow its end")
    return b"".join(pieces)


def _zstd(body: bytes, where: str, limit: int) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(body), "zstd") as stream:
        found: bytes = stream.read(limit + 1)
    if len(found) > limit:
        raise _too_large(where, limit)
    return found


def _too_large(where: str, limit: int) -> TooLarge:
    return TooLarge(f"{where}: the body must have at most {limit} bytes, got more. Send smaller batches")
