"""When a request is sent again, and after how long.

A refusal with 429 or 503 was not applied, so any request may follow it. After a broken connection
or a time-out, the request may have been applied: only a request that changes nothing the second
time is sent again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

from driftline.client.calls import Call

REFUSED = (429, 503)
"""Statuses of requests that were not applied."""
LOST = (502, 504)
"""Statuses of proxies that got no answer from the service."""
FIRST, LONGEST = 0.1, 5.0
"""Seconds of the first pause, and of the longest without Retry-After."""
PATIENCE = 60.0
"""The longest Retry-After that is waited for."""


@dataclass(frozen=True)
class Retries:
    """Exponential pauses with jitter, at most ``most`` of them.

    Parameters
    ----------
    most : int
        The number of further attempts, >= 0.
    """

    most: int

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ValueError(f"Client: retries must be >= 0, got {self.most!r}")

    def pause(self, call: Call[object], attempt: int, answer: httpx.Response | httpx.TransportError) -> float | None:
        """Return the seconds to wait before the next attempt, or None if there is none.

        Parameters
        ----------
        call
            The request.
        attempt
            The number of pauses before this one.
        answer
            The response, or the error of the connection.
        """
        if attempt >= self.most or not _again(call, answer):
            return None
        pause = random.uniform(0.5, 1.0) * min(LONGEST, FIRST * 2.0**attempt)
        asked = _retry_after(answer)
        return pause if asked is None else asked + pause if asked <= PATIENCE else None


def at_once(call: Call[object], error: httpx.TransportError) -> bool:
    """Whether a call may be sent to another server without a pause: nobody listens, or the connection broke.

    A time-out has taken long enough, and another server would refer to the same one.
    """
    return not isinstance(error, httpx.TimeoutException) and _again(call, error)


def _again(call: Call[object], answer: httpx.Response | httpx.TransportError) -> bool:
    """Whether a second attempt can succeed, and does no harm."""
    if isinstance(answer, httpx.Response):
        return answer.status_code in REFUSED or (answer.status_code in LOST and call.repeatable)
    if isinstance(answer, httpx.UnsupportedProtocol):
        return False
    unsent = isinstance(answer, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return unsent or call.repeatable


def _retry_after(answer: httpx.Response | httpx.TransportError) -> float | None:
    """The seconds of the header Retry-After; None if it is missing or a date."""
    said = answer.headers.get("retry-after", "") if isinstance(answer, httpx.Response) else ""
    try:
        return max(0.0, float(said)) if said.isascii() and said.strip().isdecimal() else None
    except ValueError:
        return None
