"""The server process: listen, read the logs, answer, and stop without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from driftline.serve.http.app import create_app
from driftline.serve.http.auth import Auth, is_loopback
from driftline.serve.http.limits import Limits
from driftline.serve.http.pages import Files, pages
from driftline.serve.http.protocol import guarded_protocol, watch
from driftline.serve.http.requestlog import FLUSH_SECONDS, LogHandler, RequestLog
from driftline.serve.http.service import Service
from driftline.serve.http.tracing import Tracing
from driftline.serve.hub import Hub
from driftline.serve.settings import Settings
from driftline.serve.storage.storage import Storage, TokenRow

COLLECT_AFTER = (20_000, 20, 10)
"""Thresholds of the garbage collector: a request makes dozens of objects, and none in cycles."""
SWITCH_SECONDS = 0.0005
"""The writer thread holds the interpreter for at most this long while requests wait."""


@dataclass(kw_only=True)
class ServerOptions:
    """How the server listens.

    Parameters
    ----------
    host : str, default="127.0.0.1"
        Name or address to listen on.
    port : int, default=8000
        Port; 0 takes a free one.
    cert, key : str, optional
        Files with the certificate chain and the private key, for TLS.
    limits : Limits
        Bounds on requests.
    settings : Settings, optional
        Bounds of the hub.
    log_requests : bool, default=True
        Whether each request is logged.
    tracing : Tracing, optional
        Makes spans.
    files : mapping, optional
        The files of the dashboard: path to content type and content.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    cert: str | None = None
    key: str | None = None
    limits: Limits = field(default_factory=Limits)
    settings: Settings | None = None
    log_requests: bool = True
    tracing: Tracing | None = None
    files: Files = field(default_factory=dict)


Started = Callable[[Hub], Awaitable[None]]
"""Runs when the hub has read its logs, before the server is ready."""


class Server:
    """A server on a storage. `run` returns when it was stopped by SIGTERM or Ctrl-C.

    Parameters
    ----------
    storage : Storage
        Where the logs and snapshots are. It is closed at the end.
    options : ServerOptions
        How to listen.
    started : callable, optional
        Awaited with the hub before the server is ready, to create models.
    ready : callable, optional
        Called with the URL when the server answers.
    background : callable, optional
        Runs with the hub as long as the server answers; cancelled at the end.
    """

    def __init__(
        self,
        storage: Storage,
        options: ServerOptions,
        *,
        started: Started | None = None,
        ready: Callable[[str], None] | None = None,
        background: Started | None = None,
    ) -> None:
        self.storage = storage
        self.options = options
        self.started = started
        self.ready = ready
        self.background = background
        self.log = RequestLog(requests=options.log_requests)
        self._hub: Hub | None = None

    def run(self) -> None:
        """Serve until stopped. An error of the start is raised."""
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            listener = listen(self.options.host, self.options.port)
            with contextlib.closing(listener):
                public = not is_loopback(listener.getsockname()[0])
                if public:
                    require_tokens(self.storage.tokens(), self.options.host)
                with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                    runner.run(self._serve(listener, public))
        finally:
            self.log.close()
            self.storage.close()

    async def _serve(self, listener: socket.socket, public: bool) -> None:
        options = self.options
        auth = Auth(self.storage.tokens, public, time.time, time.monotonic)  # type: ignore[arg-type]
        secure = options.cert is not None
        service = Service(self.storage, auth, options.limits, self.log, secure, pages=pages(options.files))
        app = create_app(service, options.tracing)
        server = _Uvicorn(_config(app, options), service)
        _send_logs_to(self.log)
        address = listener.getsockname()
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        url = f"http{'s' if secure else ''}://{host}:{address[1]}"
        self.log.event("info", "listening", url=url)
        if public and not secure:
            self.log.event(
                "warning", "without TLS", url=url, remedy="use --tls-cert and --tls-key, or a proxy with TLS"
            )
        tasks = [asyncio.ensure_future(one) for one in (watch(lambda: server.server_state), self._flush())]
        opening = asyncio.ensure_future(self._open(service, url))
        opening.add_done_callback(lambda done: _stop_on_error(done, server))
        try:
            await server.serve(sockets=[listener])
        finally:
            await asyncio.wait({opening})
            for task in tasks:
                task.cancel()
            if (background := opening.result() if opening.exception() is None else None) is not None:
                background.cancel()
                await asyncio.wait({background})
            if self._hub is not None:
                await self._hub.close()
        opening.result()
        self.log.event("info", "stopped", url=url)

    async def _open(self, service: Service, url: str) -> asyncio.Future[None] | None:
        """Read the logs, compile, and answer from then on."""
        hub = await asyncio.to_thread(Hub.open, self.storage, self.options.settings)
        await hub.start()
        self._hub = hub
        if self.started is not None:
            await self.started(hub)
        gc.collect()
        gc.freeze()  # compiled loops and modules stay: a collection that visits them stops all requests
        gc.set_threshold(*COLLECT_AFTER)
        service.opened = hub
        self.log.event("info", "ready", url=url, models=len(hub.models()))
        if self.ready is not None:
            self.ready(url)
        if self.background is None:
            return None
        background = asyncio.ensure_future(self.background(hub))
        background.add_done_callback(self._log_failure)
        return background

    def _log_failure(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            self.log.event("error", "background failed", traceback="".join(traceback.format_exception(error)))

    async def _flush(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            self.log.flush()


class _Uvicorn(uvicorn.Server):
    """uvicorn's server. A signal ends it and is not raised again, so that the hub can be closed."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End open streams, then finish the requests in progress."""
        self.service.closing.set()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM."""
        handlers = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in handlers.items():
                signal.signal(one, handler)


def _config(app: Any, options: ServerOptions) -> uvicorn.Config:
    limits = options.limits
    return uvicorn.Config(
        app,
        http=guarded_protocol(limits),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=1024,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=limits.drain_seconds,
        ssl_certfile=options.cert,
        ssl_keyfile=options.key,
    )


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; an error names the address."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(
            f"serve: the address must be free and of this machine, got {host} port {port}: {reason}. "
            "Choose another --host or --port"
        ) from None


def require_tokens(tokens: list[TokenRow], host: str) -> None:
    """Refuse to listen on a public address without a valid token."""
    now = time.time()
    if not any(one.revoked_at is None and (one.expires_at is None or one.expires_at > now) for one in tokens):
        raise ValueError(
            f"serve: a server that other machines reach must have a token, got --host {host} and none. "
            "Make one: driftline token add NAME --scopes admin"
        )


def _stop_on_error(opening: asyncio.Future[Any], server: _Uvicorn) -> None:
    if opening.cancelled() or opening.exception() is not None:
        server.should_exit = True


def _send_logs_to(log: RequestLog) -> None:
    """Let the warnings of the hub, uvicorn and asyncio appear as JSON lines."""
    for name in ("driftline", "uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [LogHandler(log)]
        logger.propagate = False
        logger.setLevel(logging.WARNING)
