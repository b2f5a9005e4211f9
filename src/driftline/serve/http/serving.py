"""Handlers about the server: health, figures, the audit trail, tokens and sessions."""

from __future__ import annotations

import asyncio
import time
from functools import cache

from msgspec import UNSET
from msgspec.structs import replace

from driftline.serve.errors import Conflict, Refused, Unready
from driftline.serve.http import types
from driftline.serve.http.auth import COOKIE, SESSION_SECONDS
from driftline.serve.http.exchange import Exchange, Reply, as_json
from driftline.serve.http.problems import NotFound
from driftline.serve.http.prometheus import MEDIA, exposition
from driftline.serve.http.service import Service
from driftline.serve.http.tokens import check_scopes, new_token
from driftline.serve.storage.storage import TokenRow


async def health(service: Service, exchange: Exchange, body: None) -> Reply:
    """Whether the process answers."""
    return as_json(types.Health("alive"))


async def readiness(service: Service, exchange: Exchange, body: None) -> Reply:
    """Whether requests are answered: logs read, loops compiled, storage working."""
    if why := service.why_not_ready():
        raise Unready(f"server: must be ready, got: {why}. Try again soon")
    hub = service.hub
    health = types.Health("ready", unready={name: why for name, (_, why) in hub.broken.items()} or UNSET)
    if hub.sharing is None:
        return as_json(health)
    return as_json(replace(health, holds=len(hub.served()), elsewhere=len(hub.sharing.elsewhere())))


async def figures(service: Service, exchange: Exchange, body: None) -> Reply:
    """Figures for Prometheus."""
    hub = service.opened
    models, stats = ([], {}) if hub is None else (hub.models(), hub.stats())
    return Reply(exposition(service.tallies, models, stats, not service.why_not_ready()), media=MEDIA)


async def openapi(service: Service, exchange: Exchange, body: None) -> Reply:
    """This document."""
    return Reply(_document())


@cache
def _document() -> bytes:
    from driftline.serve.http.openapi import document

    return document()


async def audit(service: Service, exchange: Exchange, body: None) -> Reply:
    """Who did what."""
    limit = exchange.whole("limit", exchange.query(("limit",)).get("limit", "100"), 1, 1000)
    return as_json(types.Audit(await service.hub.whole_audit(limit)))


async def list_tokens(service: Service, exchange: Exchange, body: None) -> Reply:
    """List the tokens, without their secrets."""
    rows = await asyncio.to_thread(service.store.tokens)
    return as_json(types.Tokens([token_info(row) for row in rows]))


async def add_token(service: Service, exchange: Exchange, body: types.NewToken) -> Reply:
    """Make a token. The reply is the only place where it is shown."""
    try:
        text, digest = new_token(body.name)
        scopes = check_scopes(body.scopes)
    except ValueError as error:
        raise Refused(str(error)) from None
    rows = await asyncio.to_thread(service.store.tokens)
    if any(row.name == body.name and row.revoked_at is None for row in rows):
        raise Conflict(f"token: the name must be new, got {body.name}, which exists. Revoke it first")
    now = time.time()
    until = None if body.expires_in is None else now + body.expires_in
    row = TokenRow(body.name, digest, " ".join(scopes), now, until, None, body.per_second)
    await service.hub.note(exchange.caller.name, "token added", "", f"{row.name}: {row.scopes}")
    await asyncio.to_thread(service.store.put_token, row)
    service.auth.refresh(now=True)
    return as_json(types.MadeToken(text, token_info(row)), 201)


async def revoke_token(service: Service, exchange: Exchange, body: None) -> Reply:
    """Revoke a token."""
    name = exchange.parts[3]
    rows = await asyncio.to_thread(service.store.tokens)
    if all(row.name != name for row in rows):
        raise NotFound(f"token: the name must be that of a token, got {name[:100]!r}. GET /v1/tokens lists them")
    await service.hub.note(exchange.caller.name, "token revoked", "", name)
    await asyncio.to_thread(service.store.revoke_token, name, time.time())
    service.auth.refresh(now=True)
    return Reply(status=204)


async def login(service: Service, exchange: Exchange, body: types.Login) -> Reply:
    """Log in with a token: the reply sets a cookie."""
    auth = service.auth
    auth.refresh()
    key = auth.login(body.token)
    caller = auth.by_token(body.token)
    reply = as_json(types.Session(caller.name, sorted(caller.scopes), auth.open))
    reply.headers = (_cookie(key, int(SESSION_SECONDS), service.secure),)
    return reply


async def session(service: Service, exchange: Exchange, body: None) -> Reply:
    """Who calls."""
    caller = exchange.caller
    return as_json(types.Session(caller.name, sorted(caller.scopes), service.auth.open))


async def logout(service: Service, exchange: Exchange, body: None) -> Reply:
    """End the session of the cookie."""
    service.auth.logout(exchange.headers)
    return Reply(status=204, headers=(_cookie("", 0, service.secure),))


def _cookie(value: str, seconds: int, secure: bool) -> tuple[bytes, bytes]:
    text = f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{'; Secure' if secure else ''}"
    return b"set-cookie", text.encode()


def token_info(row: TokenRow) -> types.TokenInfo:
    """Return what may be shown of a token."""
    return types.TokenInfo(row.name, row.scopes.split(), row.created_at, row.expires_at, row.revoked_at, row.per_second)
