"""Batches: many items at once where that has the same result, otherwise one by one.

Other requests run in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from driftline.serve import changes
from driftline.serve.errors import ServeError, TooLarge
from driftline.serve.hosted import bulk
from driftline.serve.hosted.model import HostedModel
from driftline.serve.results import Outcome, Prediction
from driftline.serve.spec import Example, Label

if TYPE_CHECKING:
    from driftline.serve.served import ServedModel

R = TypeVar("R")
LOOK_EVERY = 8
"""The items between two looks at the clock, one by one."""
BLOCK, LEAST = 128, 8
"""The most and the fewest items that are answered or learned at once."""


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
    X = [x for x, key in items if key is None]
    rows = _rows(served, X, len(items))
    return None if rows is None else _done(served, lambda hosted, now: bulk.ask(hosted, rows, X, now, text_keys))


def learn_block(
    served: ServedModel, who: str, items: Sequence[tuple[Example, Label, str | None]]
) -> list[Outcome] | None:
    """Learn each (x, y, id); None if they must go one by one, then nothing has changed."""
    X, ys = [x for x, _, key in items if key is None], [y for _, y, _ in items]
    rows = _rows(served, X, len(items))
    return None if rows is None else _done(served, lambda hosted, now: bulk.learn(hosted, rows, X, ys, who, now))


def _rows(served: ServedModel, X: list[Example], size: int) -> Any:
    """All examples of a block, for ``bulk``; None if they must go one by one."""
    if size < LEAST or len(X) < size or max(map(len, X)) > served.hub.settings.max_features:
        return None
    return bulk.rows_for(served.hosted, X)


def _done(served: ServedModel, call: Callable[[HostedModel, float], tuple[list[R], bytes]]) -> list[R] | None:
    try:
        served.check()
        results, event = served.guarded(call)
    except ServeError:
        return None  # one by one, each item gets its own error
    served.put(event, len(results))
    return results
