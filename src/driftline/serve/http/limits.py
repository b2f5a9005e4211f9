"""The limits of the HTTP interface, and the token bucket behind the rate limit of a token."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Upper bounds on what one client can make the server hold.

    Parameters
    ----------
    body : int, default=8 MiB
        Largest request body in bytes, after decompression.
    model : int, default=256 MiB
        Largest model file that can be imported, in bytes.
    batch : int, default=10000
        Most items in one batch.
    features : int, default=100000
        Most features of one example.
    connections : int, default=1000
        Most open connections. Further ones are answered 503 and closed.
    streams : int, default=64
        Most open streams of events.
    header_bytes : int, default=32768
        Largest request line plus headers, in bytes.
    header_seconds : float, default=10.0
        Time in which a connection must have sent the headers of a request.
    body_seconds : float, default=30.0
        Time in which the whole body of a request must arrive.
    write_seconds : float, default=60.0
        A client that reads nothing of its response for so long is disconnected.
    idle_seconds : int, default=75
        Time after which an idle connection is closed.
    drain_seconds : int, default=20
        Time that requests in progress have to finish at shutdown.
    """

    body: int = 8 * MIB
    model: int = 256 * MIB
    batch: int = 10_000
    features: int = 100_000
    connections: int = 1000
    streams: int = 64
    header_bytes: int = 32_768
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    write_seconds: float = 60.0
    idle_seconds: int = 75
    drain_seconds: int = 20


class TokenBucket:
    """A bucket that holds up to one second of requests and refills at a constant rate.

    Parameters
    ----------
    per_second : float
        Rate of the refill, > 0. The bucket holds ``max(1, per_second)`` requests.
    now : float
        The current time, in seconds. The bucket starts full.
    """

    __slots__ = ("at", "level", "per_second", "size")

    def __init__(self, per_second: float, now: float) -> None:
        self.per_second = per_second
        self.size = max(1.0, per_second)
        self.level = self.size
        self.at = now

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take ``cost`` requests out. Return 0.0, or the seconds to wait if there are too few.

        A cost above the size of the bucket is allowed when the bucket is full, and leaves a debt.
        """
        self.level = min(self.size, self.level + max(0.0, now - self.at) * self.per_second)
        self.at = now
        needed = min(cost, self.size)
        if self.level < needed:
            return (needed - self.level) / self.per_second
        self.level -= cost
        return 0.0
