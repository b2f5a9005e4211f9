"""Retention: the position of the first event that is young enough to stay in the log."""

from __future__ import annotations

from driftline.serve.log.events import decode
from driftline.serve.storage.storage import Storage


def first_since(storage: Storage, model: int, since: float) -> int:
    """The first position whose page has an event at or after a time; the end of the log if there is none.

    Parameters
    ----------
    storage
        Where the log is.
    model
        The number of the model.
    since
        The time.
    """
    low, high = storage.complete_from(model), storage.head(model)[0] + 1
    while low < high:
        middle = (low + high) // 2
        page = next(iter(storage.pages(model, middle - 1, middle)), None)
        if page is None:
            return low
        times = [decode(event).at for event in page.events if event is not None]
        if times and times[-1] >= since:
            high = min(middle, page.first)
        else:
            low = max(middle, page.last) + 1
    return low
