"""The settings of a connection, checked once for both clients."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpx

from driftline.version import __version__

CONNECTIONS = 100


@dataclass(frozen=True)
class Connection:
    """Where the service is and how long to wait for it.

    Parameters
    ----------
    url : str
        The address of the service, http or https, such as ``"http://127.0.0.1:8000"``.
    token : str or None
        Sent as a bearer token. None sends none.
    timeout : float
        Seconds for each step of a request: to connect, to send, to wait for the answer. > 0.
    """

    url: str
    token: str | None
    timeout: float

    def __post_init__(self) -> None:
        url = httpx.URL(self.url)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError(f"Client: url must begin with http:// or https://, got {self.url!r}")
        if url.query or url.fragment or url.userinfo:
            raise ValueError(
                "Client: url must be an address without user, query and fragment. Pass the token as token="
            )
        if not self.timeout > 0.0:
            raise ValueError(f"Client: timeout must be > 0, got {self.timeout!r}")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise ValueError("Client: token must be printable ASCII, got other characters or none")

    def options(self) -> dict[str, Any]:
        """The arguments of ``httpx.Client`` and ``httpx.AsyncClient``."""
        headers = {"User-Agent": f"driftline-client/{__version__}", "Accept": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return {
            "base_url": self.url,
            "headers": headers,
            "timeout": self.timeout,
            "limits": httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            "trust_env": not is_loopback(self.url),  # no proxy can reach this machine's own loopback
        }


def is_loopback(url: str) -> bool:
    """Whether the host of this address is this machine.

    >>> is_loopback("http://127.0.0.1:8000"), is_loopback("http://[::1]"), is_loopback("http://localhost")
    (True, True, True)
    >>> is_loopback("http://0.0.0.0:8000"), is_loopback("http://127.0.0.1.example.com")
    (False, False)
    """
    host = httpx.URL(url).host
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
