"""Removal of examples from a real database: by ticket, and by age."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from driftline.serve.errors import Refused, UnknownTicket
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.recovery import state_at
from driftline.serve.settings import Settings
from driftline.serve.spec import Spec
from driftline.serve.storage.opening import open_storage
from driftline.serve.ticking import RETENTION_SECONDS


def test_a_ticket_is_removed_from_the_log_and_from_snapshots(tmp_path: Path) -> None:
    async def run() -> None:
        hub = Hub.open(open_storage(str(tmp_path / "a.db")), Settings(tick_seconds=100.0))
        await hub.start()
        await hub.create("m", Spec(learner="pa1", labels=["no", "yes"]))
        m = hub.model("m")
        first, opened = m.predict({"secret": 1.5}), m.predict({"hidden": 2.5}, "mine")
        await m.snapshot()
        await m.label(first.ticket, "yes")
        before = m.hosted.champion.learner.to_bytes()
        assert await m.redact(first.ticket, "me") == 2
        assert await m.redact(opened.ticket, "me") == 1
        assert [entry.event is None for entry in m.log(0, 4)] == [False, True, True, True]
        with pytest.raises(UnknownTicket):
            await m.redact("nobody")
        with pytest.raises(Refused):
            await m.rollback(to=2)
        assert m.hosted.champion.learner.to_bytes() == before
        assert b"hidden" not in state_bytes(m.hosted).replace(before, b"")
        live, number, storage = state_bytes(m.hosted), m.number, hub.storage
        await hub.close()
        assert state_bytes(state_at(storage, number).model) == live
        storage.close()

    asyncio.run(run())


def test_old_examples_leave_the_log(tmp_path: Path) -> None:
    now = [1000.0]

    async def run() -> None:
        hub = Hub.open(open_storage(str(tmp_path / "a.db")), Settings(tick_seconds=100.0), lambda: now[0])
        await hub.start()
        await hub.create("m", Spec(learner="pa1", labels=["no", "yes"], retention=3600.0))
        m = hub.model("m")
        for k in range(40):
            now[0] += 300.0
            await m.learn({"a": float(k)}, "yes")
        position = m.position
        await m.snapshot()
        now[0] += RETENTION_SECONDS
        await hub._ticker.tick()
        gone = [entry.event is None for entry in m.log(0, position)]
        times = [entry.event["at"] for entry in m.log(0, position) if entry.event is not None]
        assert gone[0] and not gone[-1] and gone == sorted(gone, reverse=True)
        assert min(times) >= now[0] - 3600.0 and len(times) == 11
        await hub.close()
        assert state_at(hub.storage, m.number).model.champion.learner.n_seen == 40
        hub.storage.close()

    asyncio.run(run())
