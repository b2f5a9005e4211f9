"""The application of the service in this process, on a real database, with everything that it logs."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from serve_requests import Request
from serve_values import MODELS

import driftline as dl
from driftline.serve import recovery
from driftline.serve.dashboard import static_files
from driftline.serve.hosted.state import state_bytes
from driftline.serve.http.app import App, create_app
from driftline.serve.http.auth import Auth
from driftline.serve.http.limits import Limits
from driftline.serve.http.pages import pages
from driftline.serve.http.requestlog import RequestLog
from driftline.serve.http.service import Service
from driftline.serve.http.tokens import new_token
from driftline.serve.hub import Hub
from driftline.serve.settings import Settings
from driftline.serve.spec import Budget, Efficient, Spec
from driftline.serve.storage.opening import attach_storage, open_storage
from driftline.serve.storage.storage import Storage, TokenRow

SPECS = dict(
    zip(
        MODELS,
        (
            Spec(learner="pa1", labels=["ham", "spam"], expire_after=60.0),
            Spec(learner="pa1", labels=["ham", "spam"], asking=Budget(0.3)),
            Spec(learner="perceptron", labels=["ham", "spam"], asking=Efficient(1.0)),
            Spec(learner="multiclasspa", labels=["red", "green", "blue"]),
            Spec(learner="pa1regressor"),
        ),
        strict=True,
    )
)
SETTINGS = Settings(
    max_models=12, max_open=200, remember=100, window=50, tick_seconds=0.05, snapshot_events=500, max_batch=200
)
"""Small limits, so that they are reached."""
LIMITS = Limits(body=2 * 1024 * 1024, model=4 * 1024 * 1024)
BODY_LEFT_OUT = (204, 304)


class Reply(NamedTuple):
    """What the application sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


@dataclass
class Running:
    """The application, and what it stands on."""

    storage: Storage
    hub: Hub
    app: App
    tokens: list[bytes]
    log: io.StringIO
    service: Service
    records: list[str] = field(default_factory=list)
    """Messages of other loggers and of the event loop."""

    async def send(self, request: Request) -> Reply | None:
        """Answer a request; None if the client went away before."""
        pieces = list(_pieces(request))
        waiting = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if pieces:
                return pieces.pop(0)
            await waiting.wait()
            return {"type": "http.disconnect"}

        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope_of(request), receive, send)
        if not sent:
            return None
        return Reply(sent[0]["status"], sent[0]["headers"], b"".join(one.get("body", b"") for one in sent[1:]))

    async def complete(self) -> None:
        """Create the models that a request has deleted."""
        existing = {one.name for one in self.hub.served()}
        for name in [one for one in existing if one not in SPECS][:-3]:
            await self.hub.delete(name)
        for name, spec in SPECS.items():
            if name not in existing:
                await self.hub.create(name, spec)

    def logged(self) -> list[str]:
        """The lines of the log since the last call."""
        self.service.log.flush()
        text = self.log.getvalue()
        self.log.seek(0)
        self.log.truncate()
        return text.splitlines()


def scope_of(request: Request) -> dict[str, Any]:
    """The ASGI scope, as uvicorn makes it."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "http",
        "method": request.method,
        "path": unquote(request.path.decode("ascii", "replace")),
        "raw_path": request.path,
        "query_string": request.query,
        "root_path": "",
        "headers": request.headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }


def _pieces(request: Request) -> AsyncIterator[dict[str, Any]] | Any:
    size = max(1, -(-len(request.body) // request.pieces))
    parts = [request.body[k : k + size] for k in range(0, len(request.body), size)] or [b""]
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        if last and request.cut:
            yield {"type": "http.disconnect"}
            return
        yield {"type": "http.request", "body": part, "more_body": not last}


class _Records(logging.Handler):
    def __init__(self, records: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.records = records

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(f"{record.name}: {record.getMessage()}")


@asynccontextmanager
async def running(database: str, settings: Settings = SETTINGS) -> AsyncIterator[Running]:
    """The application on a database, with tokens of every kind."""
    storage = open_storage(database)
    now = time.time()
    values = []
    for name, scopes, more in (
        ("root", "predict learn admin", {}),
        ("reader", "predict", {}),
        ("teacher", "learn", {}),
        ("slow", "predict learn", {"per_second": 5.0}),
        ("old", "admin", {"expires_at": now - 1.0}),
        ("gone", "admin", {"revoked_at": now - 1.0}),
    ):
        text, digest = new_token(name)
        storage.put_token(TokenRow(name, digest, scopes, now, **more))
        values.append(b"Bearer " + text.encode())
    values += [values[0][:-1], b"bearer " + values[0][7:], values[0][:-2] + b"\xff\xff", b"Bearer " + b"x" * 10_000]
    hub = await asyncio.to_thread(Hub.open, storage, settings)
    await hub.start()
    log = io.StringIO()
    auth = Auth(storage.tokens, True, time.time, time.monotonic)  # type: ignore[arg-type]
    service = Service(storage, auth, LIMITS, RequestLog(out=log), pages=pages(static_files()), opened=hub)
    found = Running(storage, hub, create_app(service), values, log, service)
    handler = _Records(found.records)
    root = logging.getLogger()
    root.addHandler(handler)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: found.records.append(f"event loop: {context}"))
    try:
        await found.complete()
        yield found
    finally:
        root.removeHandler(handler)
        await hub.close()
        storage.close()


def model_files() -> list[bytes]:
    """Model files to import: of several learners and tasks."""
    x, other = {"a": 1.0, "b": -1.0}, {"a": -1.0}
    made = []
    for learner, rows in (
        (dl.PA1(labels=("ham", "spam")), [(x, "ham"), (other, "spam")]),
        (dl.AROW(), [(x, 1), (other, 0)]),
        (dl.PA1Regressor(), [(x, 2.0)]),
        (dl.MulticlassPA(), [(x, "red"), (other, "green"), ({"b": 1.0}, "blue")]),
        (dl.PA1(), [([1.0, 2.0, 3.0], 1), ([0.0, 2.0, 3.0], 0)]),
        (dl.LabelEfficient(dl.Perceptron()), [(x, True), (other, False)]),
    ):
        for example, y in rows:
            learner.learn_one(example, y)
        made.append(learner.to_bytes())
    return made


def live_bytes(found: Running) -> dict[int, tuple[str, bytes]]:
    """The name and the bytes of each model."""
    return {one.number: (one.name, state_bytes(one.hosted)) for one in found.hub.served()}


def differences(database: str, live: dict[int, tuple[str, bytes]]) -> list[str]:
    """What a replay of the database says against the models that were live."""
    storage = attach_storage(database)
    found = []
    try:
        stored = {row.model: row.name for row in storage.models()}
        if stored != {number: name for number, (name, _) in live.items()}:
            found.append(f"the database has the models {stored}, the server had {sorted(live)}")
        for number, (name, before) in live.items():
            ways = [True] if storage.complete_from(number) > 1 else [True, False]
            for use_snapshots in ways:
                try:
                    state = recovery.state_at(storage, number, use_snapshots=use_snapshots).model
                    if state_bytes(state) != before:
                        found.append(
                            f"model {name}: a replay (snapshots: {use_snapshots}) gives other bytes at {state.position}"
                        )
                except (ValueError, OSError) as error:
                    found.append(f"model {name}: a replay (snapshots: {use_snapshots}) fails: {error}")
    finally:
        storage.close()
    return found


def fault_of(request: Request, reply: Reply | None, documented: dict[str, Any]) -> str:
    """What is wrong with a reply; empty if nothing is."""
    if reply is None:
        return "" if request.cut else "no reply"
    status, headers = reply.status, dict(reply.headers)
    if len(headers) != len(reply.headers) or any(b"\n" in value or b"\r" in value for _, value in reply.headers):
        return f"headers {reply.headers}"
    if b"Traceback" in reply.body or b'File "' in reply.body:
        return "a traceback in the reply"
    if headers.get(b"x-content-type-options") != b"nosniff" or not headers.get(b"x-request-id"):
        return f"a header is missing in {reply.headers}"
    if status >= 500 and status != 503:
        return f"status {status}"
    if status in BODY_LEFT_OUT:
        return "a body" if reply.body else ""
    media = headers.get(b"content-type", b"").partition(b";")[0]
    if 200 <= status < 300:
        if documented and str(status) not in documented:
            return f"status {status} is not documented"
        return "" if request.method == "HEAD" else content_fault(media, reply.body)
    if media != b"application/problem+json":
        return f"status {status} with the media type {media!r}"
    if request.method == "HEAD":
        return ""
    problem = json.loads(reply.body)
    if set(problem) != {"type", "title", "status", "detail", "instance"} or problem["status"] != status:
        return f"status {status} with the problem {problem}"
    if problem["instance"].encode() != b"urn:request:" + headers[b"x-request-id"] or not problem["detail"]:
        return f"the problem {problem} of the request {headers[b'x-request-id']!r}"
    if documented and str(status) not in documented and status not in (405, 431):
        return f"status {status} is not documented: {problem['detail']}"
    return ""


def content_fault(media: bytes, body: bytes) -> str:
    """What is wrong with the body of a success."""
    try:
        if media == b"application/json":
            json.loads(body, parse_constant=_no_constant)
        elif media == b"application/x-ndjson":
            for line in body.splitlines():
                json.loads(line, parse_constant=_no_constant)
        else:
            _ = body.decode() if media.startswith(b"text/") else ""
    except ValueError as error:
        return f"a body of the type {media!r} that is none: {error}"
    return ""


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
