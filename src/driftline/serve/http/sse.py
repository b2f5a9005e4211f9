"""Server-sent events: the updates of the hub as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

from driftline.serve.errors import Busy, ServeError
from driftline.serve.http.exchange import Exchange, Reply, encoded
from driftline.serve.http.service import Service

MEDIA = b"text/event-stream"
HEARTBEAT_SECONDS = 15.0
RETRY_MS = 2000


async def events(service: Service, exchange: Exchange, body: None) -> Reply:
    """Stream the updates of all models."""
    if service.streams >= service.limits.streams:
        most = service.limits.streams
        raise Busy(f"events: at most {most} streams may be open, got one more. Close other pages", retry_after=10.0)
    stream = _stream(service, aiter(service.hub.subscribe()), lambda: _still_allowed(service, exchange))
    await anext(stream)  # the stream counts from here, before another request is looked at
    return Reply(media=MEDIA, stream=stream)


def _still_allowed(service: Service, exchange: Exchange) -> bool:
    try:
        return service.auth.identify(exchange.headers).may("predict")
    except ServeError:
        return False


async def _stream(
    service: Service, updates: AsyncIterator[Any], allowed: Callable[[], bool]
) -> AsyncGenerator[bytes, None]:
    service.streams += 1
    closing = asyncio.ensure_future(service.closing.wait())
    update: asyncio.Future[Any] | None = None
    try:
        yield b""
        yield b"retry: %d\n\n" % RETRY_MS
        while allowed():
            if update is None:
                update = asyncio.ensure_future(anext(updates))
            await asyncio.wait({update, closing}, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if closing.done():
                return
            if update.done():
                try:
                    found = update.result()
                except StopAsyncIteration:
                    return
                update = None
                yield b"event: %b\ndata: %b\n\n" % (found.kind.encode(), encoded(found))
            else:
                yield b": still here\n\n"
    finally:
        service.streams -= 1
        closing.cancel()
        if update is not None:
            update.cancel()
            await asyncio.wait({update})
        close = getattr(updates, "aclose", None)
        if close is not None:
            await close()
