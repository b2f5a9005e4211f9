"""The ASGI application: dispatch, authorisation, bodies, errors, and the log of requests.

There is no stack of middleware: each request runs through `App.__call__` once.
"""

from __future__ import annotations

import asyncio
import math
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from driftline.serve.errors import BadRequest, Busy, Elsewhere, ServeError, Unready
from driftline.serve.http.auth import LOCAL, check_local, check_origin
from driftline.serve.http.body import Disconnected, Receive, read_body
from driftline.serve.http.exchange import Exchange, Reply
from driftline.serve.http.pages import page
from driftline.serve.http.problems import (
    MEDIA,
    Forbidden,
    NotFound,
    Unauthorized,
    WrongMedia,
    WrongMethod,
    body_fault,
    problem,
)
from driftline.serve.http.prometheus import Tally
from driftline.serve.http.requestlog import RequestLine
from driftline.serve.http.routes import ROUTES, TABLE, Route, shape
from driftline.serve.http.service import Service
from driftline.serve.http.tracing import STATUS, Tracing
from driftline.serve.storage.storage import StorageError

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Scope = MutableMapping[str, Any]

PAGE = Route("GET", "/{page}", None, page)
"""The dashboard; not part of the API."""
NO_BODY = frozenset((204, 304))
LONGEST_RETRY = 86_400.0
"""The most seconds in Retry-After."""
OPEN_BODY = 4096
"""Largest body of a request for which no token is needed, in bytes."""
PROBES = frozenset(("/healthz", "/readyz"))


def create_app(service: Service, tracing: Tracing | None = None) -> App:
    """Return the application.

    Parameters
    ----------
    service : Service
        What handlers need.
    tracing : Tracing, optional
        Makes a span for each request.
    """
    return App(service, tracing)


class App:
    """The ASGI application. See `create_app`."""

    def __init__(self, service: Service, tracing: Tracing | None) -> None:
        self.service = service
        self.tracing = tracing
        self.tallies = {id(route): Tally(route.method, route.path) for route in (*ROUTES, PAGE)}
        self.others = Tally("", "other")
        service.tallies = [*self.tallies.values(), self.others]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return await _no_request(scope, receive, send)
        started = time.perf_counter()
        exchange = Exchange(scope)
        route: Route | None = None
        status = 499
        try:
            route = self._route(exchange)
            if self.tracing is None:
                reply = await self._answer(route, exchange, receive)
            else:
                with self.tracing.span(route, exchange) as span:
                    reply = await self._answer(route, exchange, receive)
                    span.set_attribute(STATUS, reply.status)
            status = reply.status
            if reply.stream is not None:
                return await _send_stream(exchange, reply, receive, send)
            await _send(exchange, reply, send)
        except Disconnected:
            status = 499
        except Exception as error:
            reply = self._refusal(exchange, error)
            status = reply.status
            await _send(exchange, reply, send)
        finally:
            seconds = time.perf_counter() - started
            (self.others if route is None else self.tallies[id(route)]).add(status, seconds)
            if self.service.log.requests:
                self._log(exchange, status, seconds)

    def _route(self, exchange: Exchange) -> Route:
        methods = TABLE.get(shape(exchange.parts))
        if methods is None and exchange.path in self.service.pages:
            methods = {"GET": PAGE}
        if methods is None:
            raise NotFound(f"{exchange.where}: the route must exist, got an unknown one. /openapi.json lists all")
        route = methods.get(exchange.method)
        if route is None:
            if exchange.method == "HEAD" and "GET" in methods:
                return methods["GET"]
            raise WrongMethod(exchange.where, exchange.method, list(methods))
        return route

    async def _answer(self, route: Route, exchange: Exchange, receive: Receive) -> Reply:
        """Check everything about the request, and run its handler."""
        exchange.check_headers()
        self._authorise(route, exchange)
        if not route.has_body:
            if not route.query:
                exchange.query(())
            return await route.handler(self.service, exchange, None)
        headers = exchange.headers
        given = headers.get(b"content-type", b"")
        if given not in route.media_bytes:
            given = given.partition(b";")[0].strip().lower()
            if given not in route.media_bytes:
                raise WrongMedia(
                    f"{exchange.where}: Content-Type must be {' or '.join(route.media)}, "
                    f"got {given[:100].decode('latin-1') or 'none'}. Send the body with this header"
                )
        exchange.media = given
        limits = self.service.limits
        most = limits.body if given != b"application/octet-stream" else limits.model
        body = await read_body(
            receive,
            exchange.where,
            length=headers.get(b"content-length"),
            encoding=headers.get(b"content-encoding"),
            limit=most if route.scope is not None else min(most, OPEN_BODY),
        )
        try:
            decoded = body if route.raw else route.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadRequest(body_fault(exchange.where, error, route.takes)) from None
        return await route.handler(self.service, exchange, decoded)

    def _authorise(self, route: Route, exchange: Exchange) -> None:
        """Find the caller, and check that it may use the route."""
        auth = self.service.auth
        headers = exchange.headers
        if route.scope is None:
            exchange.caller = LOCAL
            if exchange.path in PROBES:
                return
            auth.refresh()
        else:
            exchange.caller = caller = auth.identify(headers)
            if not caller.may(route.scope):
                raise Forbidden(
                    f"{exchange.where}: the token must have the scope {route.scope}, "
                    f"got {caller.name} with {', '.join(sorted(caller.scopes))}. Use another token"
                )
            caller.pay(auth.ticks())
        if auth.open:
            check_local(headers)
        if b"origin" in headers and b"authorization" not in headers:
            check_origin(headers)

    def _refusal(self, exchange: Exchange, error: Exception) -> Reply:
        """Return the problem document for an error."""
        headers: tuple[tuple[bytes, bytes], ...] = ()
        if isinstance(error, ServeError):
            status, title, detail = error.status, error.title, error.detail
        elif isinstance(error, StorageError):
            status, title, detail = Unready.status, Unready.title, str(error)
        else:
            status, title = 500, "Internal Server Error"
            detail = f"{exchange.where}: an error in the server. The log has it under the id of this request"
            text = "".join(traceback.format_exception(error))
            self.service.log.event("error", "exception", request=exchange.id, traceback=text)
        if isinstance(error, Busy):
            headers = ((b"retry-after", str(math.ceil(min(max(1.0, error.retry_after), LONGEST_RETRY))).encode()),)
        elif isinstance(error, Elsewhere):
            headers = ((b"location", error.address.encode() + exchange.target),)
        elif status == 503:
            headers = ((b"retry-after", b"1"),)
        elif isinstance(error, Unauthorized):
            headers = ((b"www-authenticate", b'Bearer realm="driftline"'),)
        elif isinstance(error, WrongMethod):
            headers = ((b"allow", error.allowed.encode()),)
        if status == 413:
            headers += ((b"connection", b"close"),)
        return Reply(problem(status, detail, exchange.id, title), status, MEDIA, headers)

    def _log(self, exchange: Exchange, status: int, seconds: float) -> None:
        caller = getattr(exchange, "caller", None)
        self.service.log.request(
            RequestLine(
                at=round(time.time(), 3),
                level="info",
                event="request",
                request=exchange.id,
                method=exchange.method,
                path=exchange.path,
                status=status,
                ms=round(1000 * seconds, 3),
                caller="" if caller is None else caller.name,
            )
        )


async def _send(exchange: Exchange, reply: Reply, send: Send) -> None:
    body = reply.body
    headers = [
        (b"content-type", reply.media),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", exchange.id.encode()),
        *reply.protection,
        *reply.headers,
    ]
    if reply.status in NO_BODY:
        del headers[:2]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if exchange.method == "HEAD" else body})


async def _send_stream(exchange: Exchange, reply: Reply, receive: Receive, send: Send) -> None:
    """Send the pieces of a stream until it ends or the client goes away."""
    stream = reply.stream
    assert stream is not None
    headers = [
        (b"content-type", reply.media),
        (b"x-request-id", exchange.id.encode()),
        *reply.protection,
        *reply.headers,
    ]
    gone = asyncio.ensure_future(_until_gone(receive))
    piece: asyncio.Future[bytes | None] | None = None
    try:
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        while exchange.method != "HEAD":
            piece = asyncio.ensure_future(anext(stream, None))
            await asyncio.wait({piece, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not piece.done():
                return
            found = piece.result()
            if found is None:
                break
            await send({"type": "http.response.body", "body": found, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        if piece is not None and not piece.done():
            piece.cancel()
            await asyncio.wait({piece})
        await stream.aclose()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _no_request(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse web sockets; the life of the process is not managed through ASGI."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1000})
    elif scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
