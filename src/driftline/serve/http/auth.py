"""Who calls, and what the caller may do.

Two modes. As long as there is no token and the server listens on a loopback address, every local
process may do everything; then web pages are the danger, and `check_local` refuses what a page of
another site could send. In all other cases a request needs a token, as a header or as the cookie
of a login.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from driftline.serve.errors import Busy, Unready
from driftline.serve.http.limits import TokenBucket
from driftline.serve.http.problems import Forbidden, Unauthorized
from driftline.serve.http.tokens import matches, split_token

COOKIE = "driftline_session"
SESSION_SECONDS = 12 * 3600.0
MOST_SESSIONS = 1000
REFRESH_SECONDS = 1.0
NO_DIGEST = bytes(32)
HOW = "Send the header Authorization: Bearer dl_<name>_<secret>, made by `driftline token add`"


class StoredToken(Protocol):
    """A row of the table of tokens. Times are seconds since 1970."""

    name: str
    digest: bytes
    scopes: str
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    per_second: float | None


@dataclass(slots=True)
class Caller:
    """The sender of a request: the name for the log, the scopes, and the rate limit."""

    name: str
    scopes: frozenset[str]
    bucket: TokenBucket | None = None

    def may(self, scope: str) -> bool:
        """Whether the caller has the scope, or is an administrator."""
        return scope in self.scopes or "admin" in self.scopes

    def pay(self, now: float, cost: float = 1.0) -> None:
        """Count requests, or the items of a batch, against the rate limit."""
        if self.bucket is not None and (wait := self.bucket.take(now, cost)):
            raise Busy(
                f"token {self.name}: at most {self.bucket.per_second:g} examples a second are allowed, got more. "
                f"Wait {wait:.3g} s",
                retry_after=wait,
            )


LOCAL = Caller("local", frozenset({"predict", "learn", "admin"}))
"""Who calls a server without tokens on loopback."""


@dataclass(slots=True)
class _Session:
    token: str
    digest: bytes
    until: float


@dataclass
class Auth:
    """The tokens of the server, read again at most once a second, and the sessions of the dashboard.

    Parameters
    ----------
    read : callable
        Returns all rows of the table of tokens. If it fails, the rows read before stay valid;
        as long as it has never worked, nobody is let in.
    public : bool
        Whether the server listens on an address that other machines reach.
    clock : callable
        Returns the seconds since 1970.
    ticks : callable
        Returns the seconds of a clock that never goes backwards.
    """

    read: Callable[[], list[StoredToken]]
    public: bool
    clock: Callable[[], float]
    ticks: Callable[[], float]
    _rows: dict[str, StoredToken] = field(default_factory=dict)
    _callers: dict[str, tuple[StoredToken, Caller]] = field(default_factory=dict)
    _sessions: dict[str, _Session] = field(default_factory=dict)
    _next_read: float = float("-inf")
    _unread: bool = True

    @property
    def open(self) -> bool:
        """Whether requests need no token."""
        return not self.public and not self._rows

    def refresh(self, *, now: bool = False) -> None:
        """Read the tokens again if the last time is more than a second ago, or at once."""
        ticks = self.ticks()
        if not now and ticks < self._next_read:
            return
        self._next_read = ticks + REFRESH_SECONDS
        try:
            rows = self.read()
        except Exception as error:  # the storage is away: tokens stay as they were known
            if self._unread:
                self._next_read = ticks
                raise Unready(f"server: the tokens must be readable, got an error: {error}. Try again soon") from None
            return
        self._unread = False
        self._rows = {row.name: row for row in rows}

    def identify(self, headers: Mapping[bytes, bytes]) -> Caller:
        """Return the caller, by token or by cookie; raise `Unauthorized`."""
        self.refresh()
        given = headers.get(b"authorization")
        if given is not None:
            kind, _, text = given.decode("latin-1").partition(" ")
            if kind.lower() != "bearer":
                raise Unauthorized(f"authorization: the scheme must be Bearer, got {kind[:20]!r}. {HOW}")
            return self.by_token(text.strip())
        if self.open:
            return LOCAL
        session = self._sessions.get(cookie(headers, COOKIE)) if b"cookie" in headers else None
        if session is None:
            raise Unauthorized(f"authorization: a token must be given, got none. {HOW}")
        row = self._rows.get(session.token)
        if row is None or row.digest != session.digest or session.until <= self.clock():
            raise Unauthorized("authorization: the session must be valid, got an expired one. Log in again")
        return self._caller(row)

    def by_token(self, text: str) -> Caller:
        """Return the caller with this token; raise `Unauthorized`."""
        name, secret = split_token(text)
        row = self._rows.get(name)
        if not matches(secret, NO_DIGEST if row is None else bytes(row.digest)) or row is None:
            raise Unauthorized(f"authorization: the token must be one of this server, got an unknown one. {HOW}")
        return self._caller(row)

    def _caller(self, row: StoredToken) -> Caller:
        if row.revoked_at is not None:
            raise Unauthorized(f"authorization: the token must be valid, got {row.name}, which was revoked. {HOW}")
        if row.expires_at is not None and row.expires_at <= self.clock():
            raise Unauthorized(f"authorization: the token must be valid, got {row.name}, which has expired. {HOW}")
        known = self._callers.get(row.name)
        if known is not None and (known[0] is row or known[0] == row):
            return known[1]
        bucket = TokenBucket(row.per_second, self.ticks()) if row.per_second else None
        scopes = row.scopes.replace(",", " ").split() if isinstance(row.scopes, str) else row.scopes
        caller = Caller(row.name, frozenset(scopes), bucket)
        self._callers[row.name] = (row, caller)
        return caller

    def login(self, text: str) -> str:
        """Return the value of a cookie for the holder of a token."""
        caller = self.by_token(text)
        now = self.clock()
        self._sessions = {key: one for key, one in self._sessions.items() if one.until > now}
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        key = secrets.token_urlsafe(32)
        self._sessions[key] = _Session(caller.name, self._rows[caller.name].digest, now + SESSION_SECONDS)
        return key

    def logout(self, headers: Mapping[bytes, bytes]) -> None:
        """End the session of the cookie, if there is one."""
        self._sessions.pop(cookie(headers, COOKIE), None)


def cookie(headers: Mapping[bytes, bytes], name: str) -> str:
    """Return the value of a cookie, empty if there is none."""
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value
    return ""


def check_local(headers: Mapping[bytes, bytes]) -> None:
    """Refuse what a web page could make a browser send to a server without tokens.

    The host must be a loopback name: a page cannot reach the server under another name that
    resolves to 127.0.0.1 (DNS rebinding).
    """
    host = headers.get(b"host", b"").decode("latin-1")
    if not is_loopback(host_name(host)):
        raise Forbidden(
            f"host: the header Host must be localhost or a loopback address, got {host[:100]!r}. "
            "Use http://127.0.0.1, or create a token with `driftline token add`"
        )


def check_origin(headers: Mapping[bytes, bytes]) -> None:
    """Refuse requests that a page of another site sends: Origin must be that of the server."""
    origin = headers.get(b"origin")
    if origin is None:
        return
    scheme, _, place = origin.decode("latin-1").lower().partition("://")
    if scheme not in ("http", "https") or place != headers.get(b"host", b"").decode("latin-1").lower():
        raise Forbidden(
            f"origin: the header Origin must be that of this server, got {origin[:100].decode('latin-1')!r}. "
            "Send the request from a page of this server, or with a token in Authorization"
        )


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_name("localhost:80"), host_name("[::1]:80"), host_name("127.0.0.1")
    ('localhost', '::1', '127.0.0.1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


@lru_cache(maxsize=256)
def is_loopback(name: str) -> bool:
    """Whether the name or address can only be this machine.

    >>> [is_loopback(one) for one in ("localhost", "127.3.2.1", "::1", "evil.example", "0.0.0.0", "")]
    [True, True, True, False, False, False]
    """
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
