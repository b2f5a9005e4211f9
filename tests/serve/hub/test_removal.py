"""Removal of examples from a real database: by ticket, and by age."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.errors import Refused, UnknownTicket
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.recovery import state_at
from driftline.serve.results import Prediction, Redacted
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
        assert await m.redact(first.ticket, "me") == Redacted(2, 1)
        assert await m.redact(opened.ticket, "me") == Redacted(1, 1)
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


def test_the_examples_of_a_batch_leave_the_log_together(tmp_path: Path) -> None:
    async def run() -> None:
        hub = Hub.open(open_storage(str(tmp_path / "a.db")), Settings(tick_seconds=100.0))
        await hub.start()
        await hub.create("m", Spec(learner="pa1", labels=["no", "yes"]))
        m = hub.model("m")
        await m.learn_many([({"a": float(k)}, ["no", "yes"][k % 2], None) for k in range(9)])
        tickets: list[Any] = []
        for k in range(4):  # with the events of examples and labels between them
            found = await m.predict_many([({f"secret{k}-{i}": 1.0}, None) for i in range(9)])
            tickets.append([one.ticket for one in found if isinstance(one, Prediction)])
            tickets.append([m.predict({f"secret{k}": 1.0}).ticket])
            m.predict({"a": 1.0}, f"id{k}")
            await m.label(tickets[-2][8], "yes")
        await m.snapshot()
        each = [one for group in tickets for one in group]
        assert each == sorted(set(each)) and len(each) == 40
        for group in (tickets[0], tickets[1], tickets[6], tickets[7]):
            assert await m.redact(group[0], "me") == Redacted(1, len(group))
        for ticket in (each[-1] + 1000, each[0]):
            with pytest.raises(UnknownTicket):
                await m.redact(ticket)
        assert (await m.label(tickets[6][1], "no")).kind == "learned"  # it is open without its event
        assert await m.redact(tickets[6][1], "me") == Redacted(1, 1)  # its label
        assert await m.redact(tickets[6][2], "me") == Redacted(0, 0)  # its snapshots
        assert await m.redact(tickets[6][8], "me") == Redacted(1, 1)
        kept = hub.storage.snapshot(m.number)
        assert kept is not None and b"secret3-3" in kept[1]
        removed = (b"secret0-0", b"secret3-0", b"secret3-1", b"secret3-2")
        texts = [*kept[1:], *(event for page in hub.storage.pages(m.number) for event in page.events if event)]
        live, number, storage = state_bytes(m.hosted), m.number, hub.storage
        names = m.hosted.champion.learner.to_bytes()
        for text in texts:
            assert not [name for name in removed if name in text.replace(names, b"")]
        assert {one.position for one in storage.snapshots(number)} == {kept[0].position}
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
