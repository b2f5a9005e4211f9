"""Collect labels and examples, and send them in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from threading import Condition, Thread
from time import monotonic
from types import TracebackType
from typing import Any

from driftline.client.calls import Example, label_item, learn_item
from driftline.client.chunks import new_id
from driftline.client.errors import BatchError, ServiceError
from driftline.client.results import Label, Outcome, Ticket
from driftline.client.sync import Model

Pending = tuple[str, Mapping[str, Any]]
"""A route and an item."""
BACKLOG = 20
"""Groups that may wait; then ``label`` and ``learn`` wait too."""


class Batcher:
    """Collects labels and examples from any thread, and sends them in groups in their order.

    A group is sent when ``size`` items wait, or when the oldest has waited ``age`` seconds. Leaving
    the block sends the rest. An item is stored by the service only after its group was sent: if the
    process ends before, it is lost.

    Parameters
    ----------
    model : Model
        The model that learns.
    size : int, default=200
        The most items in a group, >= 1.
    age : float, default=1.0
        The longest time in seconds that an item waits, > 0.

    Attributes
    ----------
    sent : int
        The number of items that the service accepted.
    refused : list of (item, ServiceError)
        The items that were refused or could not be sent, with the route as ``item["route"]``.

    Raises
    ------
    BatchError
        At ``flush`` and at the end of the block, if items were refused or could not be sent.

    Examples
    --------
    >>> with Batcher(client.model("spam")) as batcher:  # doctest: +SKIP
    ...     for ticket, y in arriving():
    ...         batcher.label(ticket, y)
    """

    def __init__(self, model: Model, size: int = 200, age: float = 1.0) -> None:
        if size < 1 or not age > 0.0:
            raise ValueError(f"Batcher: size must be >= 1 and age > 0, got {size!r} and {age!r}")
        self.size = size
        self.age = age
        self.sent = 0
        self.refused: list[tuple[dict[str, Any], ServiceError]] = []
        self._model = model
        self._waiting: list[Pending] = []
        self._oldest = 0.0
        self._sending = False
        self._now = False
        self._closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._run, name="driftline-batcher", daemon=True)
        self._thread.start()

    def label(self, ticket: Ticket, y: Label, x: Example | None = None) -> None:
        """Add the label of a ticket; see ``Model.label``."""
        self._add("label", label_item(ticket, y, x))

    def learn(self, x: Example, y: Label, id: str | None = None) -> None:  # noqa: A002
        """Add an example with its label; see ``Model.learn``."""
        self._add("learn", learn_item(x, y, id or new_id()))

    def flush(self) -> None:
        """Wait until all items were sent; raise the errors since the last call."""
        with self._changed:
            self._now = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting and not self._sending)
            self._now = False
            found, self.refused = self.refused, []
        if found:
            raise BatchError([error for _, error in found], [item for item, _ in found])

    def close(self) -> None:
        """Send the rest, and end the thread; raise the errors since the last call."""
        try:
            self.flush()
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            self._thread.join()

    def _add(self, route: str, item: Mapping[str, Any]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._waiting) < BACKLOG * self.size)
            if self._closed:
                raise RuntimeError("Batcher: must be open to add items, got a closed one. Make a new one")
            if not self._waiting:
                self._oldest = monotonic()
            self._waiting.append((route, item))
            self._changed.notify_all()

    def _run(self) -> None:
        while (group := self._next_group()) is not None:
            for route, some in groupby(group, key=lambda one: one[0]):
                self._send(route, [item for _, item in some])
            with self._changed:
                self._sending = False
                self._changed.notify_all()

    def _next_group(self) -> list[Pending] | None:
        """Wait for a group; None when the batcher is closed and empty."""
        with self._changed:
            while not self._due():
                if self._closed:
                    return None
                left = self._oldest + self.age - monotonic() if self._waiting else None
                self._changed.wait(left)
            group, self._waiting = self._waiting[: self.size], self._waiting[self.size :]
            self._oldest = monotonic()
            self._sending = True
            self._changed.notify_all()
            return group

    def _due(self) -> bool:
        if not self._waiting:
            return False
        hurry = self._now or self._closed
        return hurry or len(self._waiting) >= self.size or monotonic() >= self._oldest + self.age

    def _send(self, route: str, items: list[Mapping[str, Any]]) -> None:
        """Send items of one route, and note those that were refused."""
        results: Sequence[object]
        try:
            results = self._model.send_items(route, items, Outcome)
        except ServiceError as error:
            results = [error] * len(items)
        except Exception as error:  # the thread must go on, and flush must not wait for ever
            results = [ServiceError(0, "not sent", f"{type(error).__name__}: {error}")] * len(items)
        refused = [
            ({"route": route, **item}, one)
            for item, one in zip(items, results, strict=True)
            if isinstance(one, ServiceError)
        ]
        with self._changed:
            self.sent += len(items) - len(refused)
            self.refused += refused

    def __enter__(self) -> Batcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except BatchError as refused:
            if error is None:
                raise
            error.add_note(f"driftline.client.Batcher: {refused}")
