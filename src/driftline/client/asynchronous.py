"""The asynchronous client. Its methods take the arguments of those of ``Client`` and ``Model``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import httpx

from driftline.client import calls
from driftline.client.calls import Call, Example, ModelCalls
from driftline.client.chunks import CHUNK, collected, in_chunks, label_items, learn_items, new_id, predict_items
from driftline.client.connection import Connection
from driftline.client.errors import ServiceError
from driftline.client.homes import MOST_HOPS, Homes
from driftline.client.problems import value_of
from driftline.client.results import (
    Contender,
    Explanation,
    Label,
    ModelInfo,
    Outcome,
    Prediction,
    Question,
    Snapshot,
    Ticket,
)
from driftline.client.retries import Retries, at_once

R = TypeVar("R")
T = TypeVar("T")


class AsyncClient:
    """``Client`` for asyncio. One client serves many tasks at the same time.

    Parameters
    ----------
    url : str
        The address of the service, such as ``"http://127.0.0.1:8000"``.
    token : str, optional
        The token, as ``driftline token`` printed it.
    timeout : float, default=10.0
        Seconds for each step of a request, > 0. Rare requests that compile a learner or replay a log
        have at least two minutes.
    retries : int, default=4
        How often a request is sent again, >= 0.
    transport : httpx.AsyncBaseTransport, optional
        Sends the requests in place of the network, for example to an application in a test.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        timeout: float = 10.0,
        retries: int = 4,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._timeout = timeout
        self._retries = Retries(retries)
        self._homes = Homes(url.lower().startswith("https:"))
        self._http = httpx.AsyncClient(**Connection(url, token, timeout).options(), transport=transport)
        self._sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def models(self) -> list[ModelInfo]:
        """Return the models of the service, also those of other servers, by name."""
        found = await self.send(calls.models())
        others = [await self.model(one).info() for one in found.elsewhere]
        return sorted([*found.models, *others], key=lambda one: one.name)

    async def create(self, name: str, learner: str = "tracker", **spec: Any) -> AsyncModel:
        """Create a model and return its handle; see ``Client.create``."""
        await self.send(calls.create(name, {"learner": learner} | spec))
        return self.model(name)

    def model(self, name: str) -> AsyncModel:
        """Return the handle of the model with this name. No request is sent."""
        return AsyncModel(self, name)

    async def send(self, call: Call[R]) -> R:
        """Send a call, and return what the service answers."""
        for attempt in count():
            answer = await self._answer(call)
            pause = self._retries.pause(call, attempt, answer)
            if pause is None:
                return value_of(call, answer)
            await self._sleep(pause)
        raise AssertionError("unreachable")

    async def _answer(self, call: Call[object]) -> httpx.Response | httpx.TransportError:
        try:
            return await self._followed(call)
        except httpx.TransportError as error:
            if not self._homes.forget(call) or not at_once(call, error):
                return error
        try:  # the server that had the model is gone: the one at the address of the client may have it by now
            return await self._followed(call)
        except httpx.TransportError as error:
            self._homes.forget(call)
            return error

    async def _followed(self, call: Call[object]) -> httpx.Response:
        """Send a call, and follow it to the server of its model."""
        url: str | None = self._homes.url(call)
        seconds = max(self._timeout, call.seconds)
        for _ in range(MOST_HOPS):
            assert url is not None
            answer = await self._http.request(
                call.method, url, content=call.body, headers=call.headers, timeout=seconds
            )
            url = self._homes.follow(call, answer)
            if url is None:
                break
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncModel:
    """A model of the service. ``AsyncClient.model`` returns it.

    Parameters
    ----------
    client : AsyncClient
        Sends the requests.
    name : str
        The name of the model.
    """

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.name = name
        self._client = client
        self._calls = ModelCalls(name)

    async def info(self) -> ModelInfo:
        """Return the description of the model."""
        return await self._client.send(self._calls.info())

    async def predict(self, x: Example, id: str | None = None, durable: bool = False) -> Prediction:  # noqa: A002
        """Predict the label of an example, and open a ticket for its label; see ``Model.predict``."""
        return await self._client.send(self._calls.predict(x, id, durable))

    async def label(self, ticket: Ticket, y: Label, x: Example | None = None) -> Outcome:
        """Give the label of a ticket; see ``Model.label``."""
        return await self._client.send(self._calls.label(ticket, y, x))

    async def learn(self, x: Example, y: Label, id: str | None = None) -> Outcome:  # noqa: A002
        """Learn an example whose label is known; see ``Model.learn``."""
        return await self._client.send(self._calls.learn(x, y, id or new_id()))

    async def dismiss(self, ticket: Ticket) -> None:
        """Close a ticket whose label nobody can tell."""
        return await self._client.send(self._calls.dismiss(ticket))

    async def predict_many(
        self, X: Iterable[Example], ids: Iterable[str] | None = None, chunk: int = CHUNK
    ) -> list[Prediction]:
        """Predict many examples; see ``Model.predict_many``."""
        return await self._many("predict", predict_items(X, ids), Prediction, chunk)

    async def label_many(self, pairs: Iterable[tuple[Ticket, Label]], chunk: int = CHUNK) -> list[Outcome]:
        """Give the labels of many tickets; see ``Model.label_many``."""
        return await self._many("label", label_items(pairs), Outcome, chunk)

    async def learn_many(
        self, X: Iterable[Example], y: Iterable[Label], ids: Iterable[str] | None = None, chunk: int = CHUNK
    ) -> list[Outcome]:
        """Learn many examples in their order; see ``Model.learn_many``."""
        return await self._many("learn", learn_items(X, y, ids), Outcome, chunk)

    async def send_items(self, route: str, items: Sequence[Mapping[str, Any]], kind: type[T]) -> list[T | ServiceError]:
        """Send one batch; see ``Model.send_items``."""
        return await self._client.send(self._calls.batch(route, items, kind))

    async def _many(self, route: str, items: Iterable[Mapping[str, Any]], kind: type[T], chunk: int) -> list[T]:
        found: list[T | ServiceError] = []
        for some in in_chunks(items, chunk):
            found += await self.send_items(route, some, kind)
        return collected(found)

    async def explain(self, x: Example | None = None, *, ticket: Ticket | None = None) -> Explanation:
        """Return what each feature adds to a score; see ``Model.explain``."""
        return await self._client.send(self._calls.explain(x, ticket))

    async def metrics(self) -> dict[str, Any]:
        """Return the metrics of the model and its challengers."""
        return await self._client.send(self._calls.metrics())

    async def questions(self, limit: int | None = None) -> list[Question]:
        """Return the open tickets whose labels the model wants; see ``Model.questions``."""
        return await self._client.send(self._calls.questions(limit))

    async def snapshot(self) -> Snapshot:
        """Store the state of the model now."""
        return await self._client.send(self._calls.snapshot())

    async def snapshots(self) -> list[Snapshot]:
        """Return the stored states of the model."""
        return await self._client.send(self._calls.snapshots())

    async def rollback(self, position: int | None = None, *, snapshot: int | None = None) -> None:
        """Return to the state at a position of the log, or to a snapshot; see ``Model.rollback``."""
        return await self._client.send(self._calls.rollback(position, snapshot))

    async def export(self, path: str | PathLike[str]) -> None:
        """Write the learner to a model file at ``path``, which ``driftline.load`` reads."""
        Path(path).write_bytes(await self._client.send(self._calls.export()))

    async def import_(self, path: str | PathLike[str]) -> None:
        """Replace the learner by the one in the model file at ``path``."""
        return await self._client.send(self._calls.import_(Path(path).read_bytes()))

    async def add_challenger(self, name: str, learner: str = "tracker", **spec: Any) -> None:
        """Add a challenger; see ``Model.add_challenger``."""
        return await self._client.send(self._calls.add_challenger(name, {"learner": learner} | spec))

    async def remove_challenger(self, name: str) -> None:
        """Remove the challenger with this ``name``."""
        return await self._client.send(self._calls.remove_challenger(name))

    async def challengers(self) -> list[Contender]:
        """Return the challengers with their counts."""
        return (await self.info()).challengers

    async def promote(self, challenger: str) -> None:
        """Let a challenger answer from now on."""
        return await self._client.send(self._calls.promote(challenger))

    async def delete(self) -> None:
        """Delete the model."""
        return await self._client.send(self._calls.delete())
