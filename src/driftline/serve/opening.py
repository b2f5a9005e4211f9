"""The first events of a server: every model gets tickets that no server before can have given."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.serve.chain import next_page
from driftline.serve.log.events import Opened, encode
from driftline.serve.served import ServedModel
from driftline.serve.storage.storage import SERVER_LOG, Batch, Storage

STRIDE = 1 << 32
"""The distance between the tickets of two starts: more than a log has events."""


def opened(storage: Storage, models: Sequence[ServedModel], at: float) -> dict[int, tuple[int, bytes]]:
    """Store the start of a server in the log of each model, and return the heads of all logs.

    A ticket may be answered before it is stored. After a crash its position is used again, but not
    its number.

    Parameters
    ----------
    storage
        Where the logs are.
    models
        The models.
    at
        The time.
    """
    heads = {SERVER_LOG: storage.head(SERVER_LOG)}
    batch = Batch()
    changes = []
    for one in models:
        hosted = one.hosted
        event = Opened(max(at, hosted.last_at), hosted.tickets_above + STRIDE)
        head = storage.head(one.number)
        page = next_page(one.number, head, [encode(event)])
        batch.pages.append(page)
        heads[one.number] = page.last, page.chain
        changes.append((one, event))
    if batch.pages:
        storage.commit(batch)
    for one, opening in changes:
        one.hosted.apply(opening)
        one.durable_position = one.position
    return heads
