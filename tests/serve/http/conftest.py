"""An application on a stub hub, and a client for it."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from driftline.serve.http.app import App, create_app
from driftline.serve.http.auth import Auth
from driftline.serve.http.limits import Limits
from driftline.serve.http.requestlog import RequestLog
from driftline.serve.http.service import Service
from driftline.serve.http.tokens import new_token
from driftline.serve.storage.storage import TokenRow
from tests.serve.http.stub_hub import StubHub, StubStore


@dataclass
class Desk:
    """The application, and what it stands on."""

    public: bool = False
    limits: Limits = field(default_factory=lambda: Limits(body=2000, model=5000, body_seconds=0.2))
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.hub, self.store, self.lines = StubHub(), StubStore(), io.StringIO()
        auth = Auth(self.store.tokens, self.public, lambda: self.now, lambda: self.now)  # type: ignore[arg-type]
        self.log = RequestLog(out=self.lines)
        self.service = Service(self.store, auth, self.limits, self.log, opened=self.hub)  # type: ignore[arg-type]
        self.app: App = create_app(self.service)

    def token(self, name: str, scopes: str, **more: Any) -> str:
        """Store a token and return it."""
        text, digest = new_token(name)
        self.store.put_token(TokenRow(name, digest, scopes, 0.0, **more))
        self.now += 2.0
        return text

    def send(self, method: str, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        """Send a request and return the answer."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers["authorization"] = f"Bearer {token}"

        async def one() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                return await client.request(method, path, headers=headers, **more)

        return asyncio.run(one())

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """Send JSON, or bytes as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json"} | more.pop("headers", {})
        return self.send("POST", path, content=content, headers=headers, **more)

    def logged(self) -> list[dict[str, Any]]:
        """The lines of the log."""
        self.log.flush()
        return [json.loads(line) for line in self.lines.getvalue().splitlines()]


@pytest.fixture
def desk() -> Desk:
    """An application without tokens on loopback."""
    return Desk()
