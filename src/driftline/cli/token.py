"""``driftline token``: make, rotate, revoke and list the access tokens of a server."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from driftline.serve.storage.storage import Storage, TokenRow

DAY = 86_400.0


def token(
    action: Literal["add", "rotate", "revoke", "list"],
    name: str | None = None,
    *,
    db: str | None = None,
    scopes: str | None = None,
    days: float | None = None,
    per_second: float | None = None,
) -> int:
    """Make, rotate, revoke or list the access tokens of a server.

    A running server knows the change within a second. Only add and rotate print a token: the
    database holds a digest of it.

    Parameters
    ----------
    action
        add makes a token, rotate replaces its secret, revoke ends it, list prints all.
    name
        Name of the token. The server writes it into its log and audit trail.
    db
        SQLite file, or URL of a PostgreSQL database.
        Default: the environment variable DRIFTLINE_DB, or else driftline.db.
    scopes
        What the token allows: predict, learn and admin, separated by commas.
        Default: predict,learn.
    days
        Days after which the token expires. Default: never.
    per_second
        Most examples in a second. Default: no limit.
    """
    from driftline.cli.serve import DB, DEFAULT_DB, check_extra
    from driftline.internals.require import positive
    from driftline.serve.storage.opening import attach_storage

    check_extra()
    if (name is None) != (action == "list"):
        must, got = ("a", "none") if name is None else ("no", repr(name))
        raise ValueError(f"token {action} must be given {must} name, got {got}. See driftline token --help")
    if action in ("revoke", "list") and (scopes, days, per_second) != (None, None, None):
        raise ValueError(f"token {action} must be given no other options, got --scopes, --days or --per-second")
    for option, value in (("--days", days), ("--per-second", per_second)):
        if value is not None:
            positive("token", option, value)
    storage = attach_storage(db or os.environ.get(DB) or DEFAULT_DB, create=action == "add")
    try:
        if name is None:
            _list(storage.tokens())
        elif action == "revoke":
            storage.revoke_token(name, time.time())
            print(f"revoked {name}")
        else:
            print(_make(storage, action, name, scopes, days, per_second))
    finally:
        storage.close()
    return 0


def _make(
    storage: Storage, action: str, name: str, scopes: str | None, days: float | None, per_second: float | None
) -> str:
    """Store a new token, or a new secret for an old one, and return it."""
    from driftline.serve.http.tokens import check_scopes, new_token
    from driftline.serve.storage.storage import TokenRow

    text, digest = new_token(name)
    now = time.time()
    old = next((row for row in storage.tokens() if row.name == name and row.revoked_at is None), None)
    if (old is None) == (action == "rotate"):
        if old is None:
            raise ValueError(
                f"token rotate: the name must be that of a valid token, got {name!r}. driftline token list shows them"
            )
        raise ValueError(f"token add: the name must be new, got {name!r}. Rotate or revoke that token")
    if old is not None and days is None and _state(old) == "expired":
        raise ValueError(f"token rotate: the token must not have expired, got {name!r}. Give --days")
    given = None if scopes is None else " ".join(check_scopes(one.strip() for one in scopes.split(",")))
    until = None if days is None else now + days * DAY
    if old is None:
        row = TokenRow(name, digest, given or "predict learn", now, until, None, per_second)
    else:
        row = replace(
            old,
            digest=digest,
            created_at=now,
            scopes=given or old.scopes,
            expires_at=old.expires_at if days is None else until,
            per_second=old.per_second if per_second is None else per_second,
        )
    storage.put_token(row)
    return text


def _list(rows: list[TokenRow]) -> None:
    from driftline.internals.visible_text import visible

    print(f"{'name':<20} {'scopes':<20} {'made':<11} {'expires':<11} {'per second':<11} state")
    for row in rows:
        limit = "-" if row.per_second is None else f"{row.per_second:g}"
        columns = f"{visible(row.name):<20} {visible(row.scopes.replace(' ', ',')):<20}"
        print(f"{columns} {_day(row.created_at):<11} {_day(row.expires_at):<11} {limit:<11} {_state(row)}")


def _state(row: TokenRow) -> str:
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= time.time() else "valid"


def _day(at: float | None) -> str:
    return "-" if at is None else time.strftime("%Y-%m-%d", time.gmtime(at))
