"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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


class Client:
    """Talks to a driftline service. Use it from several threads, and close it at the end.

    A request that got no answer, or the status 429 or 503, is sent again after a pause that doubles
    each time, if a second request does no harm. The pause follows ``Retry-After``.

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
    transport : httpx.BaseTransport, optional
        Sends the requests in place of the network, for example to an application in a test.

    Examples
    --------
    >>> with Client("http://127.0.0.1:8000", retries=0) as client:  # doctest: +SKIP
    ...     ticket = client.model("spam").predict({"free": 1}).ticket
    ...     client.model("spam").label(ticket, "spam").kind
    'learned'
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        timeout: float = 10.0,
        retries: int = 4,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._timeout = timeout
        self._retries = Retries(retries)
        self._homes = Homes(url.lower().startswith("https:"))
        self._http = httpx.Client(**Connection(url, token, timeout).options(), transport=transport)
        self._sleep: Callable[[float], object] = time.sleep

    def models(self) -> list[ModelInfo]:
        """Return the models of the service, also those of other servers, by name."""
        found = self.send(calls.models())
        return sorted([*found.models, *(self.model(one).info() for one in found.elsewhere)], key=lambda one: one.name)

    def create(self, name: str, learner: str = "tracker", **spec: Any) -> Model:
        """Create a model and return its handle.

        Parameters
        ----------
        name : str
            The name of the model.
        learner : str, default="tracker"
            The name of a learner, as ``driftline learners`` lists them.
        **spec
            Further fields of the specification: ``options`` (the parameters of the learner),
            ``labels`` (the two labels, the negative one first), ``asking``, ``expire_after`` and
            ``retention``.
        """
        self.send(calls.create(name, {"learner": learner} | spec))
        return self.model(name)

    def model(self, name: str) -> Model:
        """Return the handle of the model with this name. No request is sent."""
        return Model(self, name)

    def send(self, call: Call[R]) -> R:
        """Send a call, and return what the service answers."""
        for attempt in count():
            answer = self._answer(call)
            pause = self._retries.pause(call, attempt, answer)
            if pause is None:
                return value_of(call, answer)
            self._sleep(pause)
        raise AssertionError("unreachable")

    def _answer(self, call: Call[object]) -> httpx.Response | httpx.TransportError:
        try:
            return self._followed(call)
        except httpx.TransportError as error:
            if not self._homes.forget(call) or not at_once(call, error):
                return error
        try:  # the server that had the model is gone: the one at the address of the client may have it by now
            return self._followed(call)
        except httpx.TransportError as error:
            self._homes.forget(call)
            return error

    def _followed(self, call: Call[object]) -> httpx.Response:
        """Send a call, and follow it to the server of its model."""
        url: str | None = self._homes.url(call)
        seconds = max(self._timeout, call.seconds)
        for _ in range(MOST_HOPS):
            assert url is not None
            answer = self._http.request(call.method, url, content=call.body, headers=call.headers, timeout=seconds)
            url = self._homes.follow(call, answer)
            if url is None:
                break
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Model:
    """A model of the service. ``Client.model`` returns it.

    Parameters
    ----------
    client : Client
        Sends the requests.
    name : str
        The name of the model.
    """

    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client = client
        self._calls = ModelCalls(name)

    def info(self) -> ModelInfo:
        """Return the description of the model."""
        return self._client.send(self._calls.info())

    def predict(self, x: Example, id: str | None = None, durable: bool = False) -> Prediction:  # noqa: A002
        """Predict the label of an example, and open a ticket for its label.

        Parameters
        ----------
        x : dict or list of float
            The example.
        id : str, optional
            The ticket, if you have an id of the example such as the number of an order. The same
            id asks only once.
        durable : bool, default=False
            Whether to wait until the ticket is stored. Without it the answer comes first, and a
            crash in the next milliseconds may lose the ticket.
        """
        return self._client.send(self._calls.predict(x, id, durable))

    def label(self, ticket: Ticket, y: Label, x: Example | None = None) -> Outcome:
        """Give the label of a ticket; the model learns it once.

        Parameters
        ----------
        ticket : str or int
            The ticket, or the id given to ``predict``.
        y : str, int, float or bool
            The label.
        x : dict or list of float, optional
            The example. It is learned if the ticket is unknown, for example after a crash.
        """
        return self._client.send(self._calls.label(ticket, y, x))

    def learn(self, x: Example, y: Label, id: str | None = None) -> Outcome:  # noqa: A002
        """Learn an example whose label is known.

        Parameters
        ----------
        x : dict or list of float
            The example.
        y : str, int, float or bool
            The label.
        id : str, optional
            The same id learns only once. Without it the client makes one, so that a request that
            is sent again does not learn twice.
        """
        return self._client.send(self._calls.learn(x, y, id or new_id()))

    def dismiss(self, ticket: Ticket) -> None:
        """Close a ticket whose label nobody can tell. The model does not learn it."""
        return self._client.send(self._calls.dismiss(ticket))

    def predict_many(
        self, X: Iterable[Example], ids: Iterable[str] | None = None, chunk: int = CHUNK
    ) -> list[Prediction]:
        """Predict many examples, ``chunk`` of them in each request.

        Parameters
        ----------
        X : iterable of examples
            The examples.
        ids : iterable of str, optional
            One id for each example.
        chunk : int, default=500
            The number of examples in a request.

        Raises
        ------
        BatchError
            Some examples were refused. All chunks are sent first; the error has all results.
        """
        return self._many("predict", predict_items(X, ids), Prediction, chunk)

    def label_many(self, pairs: Iterable[tuple[Ticket, Label]], chunk: int = CHUNK) -> list[Outcome]:
        """Give the labels of many tickets, as pairs of ticket and label, ``chunk`` of them in each request.

        Refused items raise ``BatchError``, as in ``predict_many``.
        """
        return self._many("label", label_items(pairs), Outcome, chunk)

    def learn_many(
        self, X: Iterable[Example], y: Iterable[Label], ids: Iterable[str] | None = None, chunk: int = CHUNK
    ) -> list[Outcome]:
        """Learn many examples in their order.

        Parameters
        ----------
        X : iterable of examples
            The examples.
        y : iterable of labels
            Their labels.
        ids : iterable of str, optional
            One id for each example. They are made where none are given.
        chunk : int, default=500
            The number of examples in a request.

        Raises
        ------
        BatchError
            Some examples were refused. All chunks are sent first; the error has all results.
        """
        return self._many("learn", learn_items(X, y, ids), Outcome, chunk)

    def send_items(self, route: str, items: Sequence[Mapping[str, Any]], kind: type[T]) -> list[T | ServiceError]:
        """Send one batch; refused items have their error in the list.

        Parameters
        ----------
        route : {"predict", "label", "learn"}
            What is done with the items.
        items : list of dict
            The items, as in the requests of the service.
        kind : type
            The type of each result: ``Prediction`` or ``Outcome``.
        """
        return self._client.send(self._calls.batch(route, items, kind))

    def _many(self, route: str, items: Iterable[Mapping[str, Any]], kind: type[T], chunk: int) -> list[T]:
        found: list[T | ServiceError] = []
        for some in in_chunks(items, chunk):
            found += self.send_items(route, some, kind)
        return collected(found)

    def explain(self, x: Example | None = None, *, ticket: Ticket | None = None) -> Explanation:
        """Return what each feature adds to a score.

        Parameters
        ----------
        x : dict or list of float, optional
            The example.
        ticket : str or int, optional
            A ticket, whose example is explained. Give one of the two.
        """
        return self._client.send(self._calls.explain(x, ticket))

    def metrics(self) -> dict[str, Any]:
        """Return the metrics of the model and its challengers."""
        return self._client.send(self._calls.metrics())

    def questions(self, limit: int | None = None) -> list[Question]:
        """Return the open tickets whose labels the model wants, the most useful first, at most ``limit``."""
        return self._client.send(self._calls.questions(limit))

    def snapshot(self) -> Snapshot:
        """Store the state of the model now."""
        return self._client.send(self._calls.snapshot())

    def snapshots(self) -> list[Snapshot]:
        """Return the stored states of the model."""
        return self._client.send(self._calls.snapshots())

    def rollback(self, position: int | None = None, *, snapshot: int | None = None) -> None:
        """Return to the state at a position of the log, or to a snapshot.

        Parameters
        ----------
        position : int, optional
            A position of the log.
        snapshot : int, optional
            The id of a snapshot. Give one of the two.
        """
        return self._client.send(self._calls.rollback(position, snapshot))

    def export(self, path: str | PathLike[str]) -> None:
        """Write the learner to a model file at ``path``, which ``driftline.load`` reads."""
        Path(path).write_bytes(self._client.send(self._calls.export()))

    def import_(self, path: str | PathLike[str]) -> None:
        """Replace the learner by the one in the model file at ``path``."""
        return self._client.send(self._calls.import_(Path(path).read_bytes()))

    def add_challenger(self, name: str, learner: str = "tracker", **spec: Any) -> None:
        """Add a challenger: it predicts and learns on the same traffic, and does not answer.

        Parameters
        ----------
        name : str
            Its name.
        learner : str, default="tracker"
            The learner, as in ``Client.create``.
        **spec
            The options of the learner, and ``labels``.
        """
        return self._client.send(self._calls.add_challenger(name, {"learner": learner} | spec))

    def remove_challenger(self, name: str) -> None:
        """Remove the challenger with this ``name``."""
        return self._client.send(self._calls.remove_challenger(name))

    def challengers(self) -> list[Contender]:
        """Return the challengers with their counts."""
        return self.info().challengers

    def promote(self, challenger: str) -> None:
        """Let a challenger answer from now on."""
        return self._client.send(self._calls.promote(challenger))

    def delete(self) -> None:
        """Delete the model."""
        return self._client.send(self._calls.delete())
