"""Replay of a log with many rollbacks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from driftline.serve import recovery
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.spec import Spec
from driftline.serve.storage.storage import Page
from tests.support.memory_storage import MemoryStorage


class CountingStorage(MemoryStorage):
    """Counts the pages that are read, and refuses too many."""

    read, most = 0, 10**9

    def pages(self, *arguments: Any) -> Iterator[Page]:
        for page in super().pages(*arguments):
            self.read += 1
            assert self.read < self.most
            yield page


@pytest.mark.parametrize("back", [3, 25])
def test_each_rollback_is_replayed_once(back: int) -> None:
    storage, rollbacks = CountingStorage(), 3 * recovery.MOST_KNOWN // 2
    states: dict[int, bytes] = {}

    async def run() -> None:
        hub = Hub.open(storage)
        await hub.start()
        await hub.create("m", Spec(learner="pa1", labels=["no", "yes"]))
        m = hub.model("m")
        for k in range(rollbacks):
            for n in range(6):
                await m.learn({"a": float(n - k % 3), "b": 1.0}, "yes" if n > k % 5 else "no")
            await m.rollback(to=max(1, m.position - back))
            states[m.position] = state_bytes(m.hosted)
        await hub.close()

    asyncio.run(run())
    number, pages = storage.models()[0].model, len(storage.logs[1])
    storage.read, storage.most = 0, 4 * (pages + rollbacks * back)
    found = recovery.state_at(storage, number, use_snapshots=False).model
    assert state_bytes(found) == states[found.position]
    storage.most = 10**9
    for position in list(states)[::7]:
        assert state_bytes(recovery.state_at(storage, number, position, use_snapshots=False).model) == states[position]
