"""Batches: many items at once where that has the same result, otherwise one by one.

Other requests run in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from driftline.serve import changes
from driftline.serve.errors import ServeError, TooLarge
from driftline.serve.hosted import bulk
from driftline.serve.hosted.model import HostedModel
from driftline.serve.results import Outcome, Prediction
from driftline.serve.spec import Example, Label

if TYPE_CHECKING:
    from driftline.serve.served import ServedModel

B = TypeVar("B")
R = TypeVar("R")
LOOK_EVERY = 8
"""The items between two looks at the clock, one by one."""
BLOCK, LEAST = 128, 8
"""The most and the fewest items of a batch that are answered or learned at once."""
TOGETHER = 800
"""Batches wait for others up to this number of items. More would not stay in the caches."""


async def each(
    served: ServedModel,
    items: Sequence[Any],
    call: Callable[..., R],
    call_block: Callable[[Sequence[Any]], Sequence[R] | None] | None = None,
) -> list[R | ServeError]:
    """Call a function for each item. An error becomes the result of its item.

    Parameters
    ----------
    served
        The model.
    items
        The arguments of each call.
    call
        The function.
    call_block
        Does the same for many items; returns None if they must go one by one.
    """
    hub, settings = served.hub, served.hub.settings
    if len(items) > settings.max_batch:
        raise TooLarge(f"batch must have at most {settings.max_batch:,} items, got {len(items):,}. Send several")
    generation = hub.generation
    found: list[R | ServeError] = []
    until = perf_counter() + settings.slice_seconds

    async def pause() -> None:
        nonlocal until
        if perf_counter() > until:
            await asyncio.sleep(0)
            if hub.generation != generation:
                raise changes.interrupted(served)
            until = perf_counter() + settings.slice_seconds

    for start in range(0, len(items), BLOCK):
        part = items[start : start + BLOCK]
        done = None if call_block is None else call_block(part)
        for k, item in enumerate(part if done is None else ()):
            try:
                found.append(call(*item))
            except ServeError as error:
                found.append(error)
            if k % LOOK_EVERY == 0:
                await pause()
        found += done or ()
        await pause()
    return found


def predict_block(
    served: ServedModel, text_keys: bool, items: Sequence[tuple[Example, str | None]]
) -> list[Prediction] | None:
    """Predict each (x, id); None if they must go one by one, then nothing has changed."""
    X = examples_of(served, items)
    rows = None if X is None else bulk.rows_for(served.hosted, X)
    if X is None or rows is None:
        return None
    found = _done(served, lambda hosted, now: bulk.ask(hosted, rows, [X], now, text_keys))
    return None if found is None else found[0]


def learn_block(
    served: ServedModel, who: str, items: Sequence[tuple[Example, Label, str | None]]
) -> list[Outcome] | None:
    """Learn each (x, y, id); None if they must go one by one, then nothing has changed."""
    X = examples_of(served, items)
    found = None if X is None else learn_batches(served, [(X, [y for _, y, _ in items], who)])
    return None if found is None else found[0]


def examples_of(served: ServedModel, items: Sequence[tuple[Any, ...]]) -> list[Example] | None:
    """The examples of (x, ..., id) that can be taken at once; None if they must go one by one."""
    X = [item[0] for item in items if item[-1] is None]
    if len(items) < LEAST or len(X) < len(items) or max(map(len, X)) > served.hub.settings.max_features:
        return None
    return X


def learn_batches(
    served: ServedModel, batches: Sequence[tuple[list[Example], list[Label], str]]
) -> list[list[Outcome]] | None:
    """Learn batches of examples, labels and a caller; None if they must go one by one, then nothing has changed."""
    rows = bulk.rows_for(served.hosted, [x for X, _, _ in batches for x in X])
    return None if rows is None else _done(served, lambda hosted, now: bulk.learn(hosted, rows, batches, now))


def _done(
    served: ServedModel, call: Callable[[HostedModel, float], list[tuple[list[R], bytes]]]
) -> list[list[R]] | None:
    try:
        served.check()
        found = served.guarded(call)
    except ServeError:
        return None  # one by one, each item gets its own error
    for results, event in found:
        served.put(event, len(results))
    return [results for results, _ in found]


class Gathered(Generic[B, R]):
    """Batches that arrive at the same time are learned with one call.

    Each has its own event and results, and the same bits as alone. The fixed cost of a call is paid
    once. Predictions are not gathered: their examples would wait in memory, which was slower.

    Parameters
    ----------
    served
        The model.
    call
        Takes the batches; returns None if they must go one by one, then nothing has changed.
    """

    def __init__(self, served: ServedModel, call: Callable[[list[B]], list[list[R]] | None]) -> None:
        self._served = served
        self._call = call
        self._batches: list[B] = []
        self._futures: list[asyncio.Future[tuple[int, list[R] | None]]] = []
        self._size = 0

    async def results(self, batch: B, size: int) -> list[R] | None:
        """The results of a batch of examples; None if they must go one by one, then nothing has changed."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[int, list[R] | None]] = loop.create_future()
        if not self._batches:
            loop.call_soon(self._take)
        self._batches.append(batch)
        self._futures.append(future)
        self._size += size
        del batch  # see learn_many
        if self._size >= TOGETHER:
            self._take()
        generation, found = await future
        if found is not None and self._served.hub.generation != generation:
            raise changes.interrupted(self._served)
        return found

    def _take(self) -> None:
        """Learn what has gathered."""
        batches, futures = self._batches, self._futures
        self._batches, self._futures, self._size = [], [], 0
        if not batches:
            return
        try:
            found = self._call(batches)
        except Exception as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
            return
        each: Sequence[list[R] | None] = [None] * len(futures) if found is None else found
        for future, results in zip(futures, each, strict=True):
            if not future.done():
                future.set_result((self._served.hub.generation, results))
