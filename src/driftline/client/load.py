"""A bounded load: clients that predict random examples and tell some of their labels."""

from __future__ import annotations

import asyncio
import math
import random
from array import array
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeVar

import httpx

from driftline.client.asynchronous import AsyncClient, AsyncModel
from driftline.client.errors import BatchError, ServiceError, UnreachableError
from driftline.client.results import Outcome, Prediction, Ticket

T = TypeVar("T")
FEATURES, LEARNER, NOT_FOUND = 10, "pa1", 404


@dataclass(frozen=True)
class Load:
    """What is sent.

    Attributes
    ----------
    url, token
        The service.
    model
        The name of the model. If it does not exist, a PA1 is created, and deleted at the end.
    clients
        The most requests at the same time.
    seconds, requests
        The end: after this time, or after this number of requests if it is not None.
    batch
        The number of examples in a request.
    label_share
        The share of predictions whose label is told.
    timeout
        Seconds for each step of a request.
    """

    url: str
    token: str | None = None
    model: str = "stress"
    clients: int = 8
    seconds: float = 10.0
    requests: int | None = None
    batch: int = 1
    label_share: float = 0.5
    timeout: float = 10.0


@dataclass
class Timings:
    """The requests of one route: seconds of those that succeeded, and errors by kind."""

    seconds: array[float] = field(default_factory=lambda: array("d"))
    errors: Counter[str] = field(default_factory=Counter)

    def to_dict(self, elapsed: float) -> dict[str, Any]:
        """The figures as JSON values; times in milliseconds, None without a request."""
        ordered = sorted(self.seconds)
        return {
            "requests": len(ordered),
            "per_second": len(ordered) / elapsed if elapsed else 0.0,
            "p50_ms": quantile(ordered, 0.5),
            "p99_ms": quantile(ordered, 0.99),
            "errors": dict(self.errors),
        }


def quantile(ordered: list[float], q: float) -> float | None:
    """Return the smallest of the times that a share q does not exceed, in milliseconds.

    >>> quantile([0.001, 0.002, 0.003, 0.004], 0.5), quantile([], 0.5)
    (2.0, None)
    """
    return 1000.0 * ordered[max(0, math.ceil(q * len(ordered)) - 1)] if ordered else None


class LoadRun:
    """Sends a load, and counts. After an interrupt it has the figures so far.

    Parameters
    ----------
    load : Load
        What is sent.
    transport : httpx.AsyncBaseTransport, optional
        As for ``AsyncClient``.
    """

    def __init__(self, load: Load, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.load = load
        self.routes: dict[str, Timings] = {"predict": Timings(), "label": Timings()}
        self.elapsed = 0.0
        self._transport = transport
        self._left = load.requests

    async def run(self) -> None:
        """Send the load; ``ServiceError`` if the model can be neither found nor created."""
        load = self.load
        client = AsyncClient(load.url, load.token, load.timeout, retries=0, transport=self._transport)
        async with client:
            model = client.model(load.model)
            created = await self._create(client, model)
            start = perf_counter()
            try:
                end = math.inf if load.requests is not None else start + load.seconds
                await asyncio.gather(*(self._one_client(model, end, random.Random(k)) for k in range(load.clients)))
            finally:
                self.elapsed = perf_counter() - start
                if created:
                    with suppress(ServiceError):
                        await model.delete()

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        routes = {name: timings.to_dict(self.elapsed) for name, timings in self.routes.items()}
        return {
            "seconds": self.elapsed,
            "clients": self.load.clients,
            "batch": self.load.batch,
            "per_second": sum(one["per_second"] for one in routes.values()),
            "routes": routes,
        }

    async def _create(self, client: AsyncClient, model: AsyncModel) -> bool:
        """Create the model unless it exists; return whether it was created."""
        try:
            await model.info()
        except ServiceError as error:
            if error.status != NOT_FOUND:
                raise
            await client.create(model.name, LEARNER, labels=["no", "yes"])
            return True
        return False

    def _takes(self, end: float) -> bool:
        """Whether one more request may be sent; it is counted."""
        if self._left is None:
            return perf_counter() < end
        self._left -= 1
        return self._left >= 0

    async def _one_client(self, model: AsyncModel, end: float, rng: random.Random) -> None:
        load = self.load
        while self._takes(end):
            X = [{f"f{k}": rng.uniform(-1.0, 1.0) for k in range(FEATURES)} for _ in range(load.batch)]
            found = await self._timed("predict", _predictions(model, X)) or []
            told = [
                (one.ticket, "yes" if x["f0"] + x["f1"] > 0.0 else "no")
                for one, x in zip(found, X, strict=False)
                if rng.random() < load.label_share
            ]
            if told and self._takes(end):
                await self._timed("label", _labels(model, told, load.batch))

    async def _timed(self, route: str, sent: Awaitable[T]) -> T | None:
        """Wait for the answer and count it; None after an error."""
        timings = self.routes[route]
        start = perf_counter()
        try:
            answer = await sent
        except BatchError as error:
            timings.errors.update(_kind(one) for one in error.results if isinstance(one, ServiceError))
        except ServiceError as error:
            timings.errors[_kind(error)] += 1
        else:
            timings.seconds.append(perf_counter() - start)
            return answer
        return None


async def _predictions(model: AsyncModel, X: list[dict[str, float]]) -> list[Prediction]:
    return [await model.predict(X[0])] if len(X) == 1 else await model.predict_many(X, chunk=len(X))


async def _labels(model: AsyncModel, told: list[tuple[Ticket, str]], batch: int) -> list[Outcome]:
    return [await model.label(*told[0])] if batch == 1 else await model.label_many(told, batch)


def _kind(error: ServiceError) -> str:
    """The kind of an error, in a few words."""
    if isinstance(error, UnreachableError) and error.__cause__ is not None:
        return type(error.__cause__).__name__
    return f"{error.status} {error.title}".strip()
