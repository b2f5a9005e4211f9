"""What handlers need: the hub, the storage of tokens, the limits and the figures of the server."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Protocol

from driftline.serve.errors import Unready
from driftline.serve.http.auth import Auth
from driftline.serve.http.exchange import Reply
from driftline.serve.http.limits import Limits
from driftline.serve.http.prometheus import Tally
from driftline.serve.http.requestlog import RequestLog
from driftline.serve.hub import Hub
from driftline.serve.storage.storage import TokenRow


class TokenStore(Protocol):
    """The part of the storage that holds tokens."""

    def tokens(self) -> list[TokenRow]:
        """All tokens."""

    def put_token(self, token: TokenRow) -> None:
        """Add or replace a token."""

    def revoke_token(self, name: str, at: float) -> None:
        """Refuse a token from now on."""


@dataclass
class Service:
    """What handlers need.

    Parameters
    ----------
    store : TokenStore
        Where tokens are.
    auth : Auth
        Who may do what.
    limits : Limits
        Bounds on requests.
    log : RequestLog
        Where requests and errors are logged.
    secure : bool
        Whether the server speaks TLS; cookies are then sent over TLS only.
    """

    store: TokenStore
    auth: Auth
    limits: Limits
    log: RequestLog
    secure: bool = False
    started: float = field(default_factory=time.time)
    streams: int = 0
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at shutdown: open streams end."""
    pages: dict[str, Reply] = field(default_factory=dict)
    """The dashboard: the reply for each path."""
    tallies: list[Tally] = field(default_factory=list)
    """The requests of each route."""
    opened: Hub | None = None
    """The hub; None while it reads the logs."""

    @property
    def hub(self) -> Hub:
        """The hub; `Unready` before it has read the logs."""
        if self.opened is None:
            raise Unready("server: must have read its logs, got a server that is still reading. Try again soon")
        return self.opened

    def why_not_ready(self) -> str:
        """The reason why requests cannot be answered; empty if they can."""
        if self.closing.is_set():
            return "the server is shutting down"
        if self.opened is None:
            return "the server is reading its logs and compiling"
        return "" if self.opened.ready else self.opened.why_not_ready or "the server is not ready"
