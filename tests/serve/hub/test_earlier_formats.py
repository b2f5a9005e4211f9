"""Databases of earlier versions: they open, replay to the same bits, and go on.

``format1.db.gz`` was written by a server that was killed, before the log had events of whole batches.
``format1.json`` has what that server knew.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.errors import Conflict
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.recovery import state_at
from driftline.serve.results import Outcome, Prediction
from driftline.serve.settings import Settings
from driftline.serve.storage.opening import attach_storage, open_storage

FOLDER = Path(__file__).parents[1] / "fixtures"
KNOWN: dict[str, Any] = json.loads((FOLDER / "format1.json").read_text())


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((FOLDER / "format1.db.gz").read_bytes()))
    return str(path)


def format_of(database: str) -> str:
    connection = sqlite3.connect(database)
    try:
        return str(connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()[0])
    finally:
        connection.close()


def facts_of(model: HostedModel) -> dict[str, Any]:
    contenders, totals = model.contenders, [one.board.total for one in model.contenders]
    return {
        "position": model.position,
        "tickets_above": model.tickets_above,
        "contenders": [one.name for one in contenders],
        "scores": [one.learner.score_one(x).hex() for one in contenders for x in KNOWN["probes"]],
        "open": list(model.tickets.open),
        "closed": list(model.tickets.closed),
        "unmatched": list(model.tickets.unmatched),
        "counts": [[one.asked, one.labelled, one.errors, one.log_loss.hex()] for one in totals],
        "window": len(model.champion.board.window),
    }


@pytest.mark.parametrize("name", ["spam", "flags"])
def test_the_log_and_the_snapshot_replay_to_the_bits_of_the_old_server(database: str, name: str) -> None:
    storage, known = attach_storage(database), KNOWN[name]
    number = known["number"]
    from_log, from_snapshot = (state_at(storage, number, use_snapshots=use).model for use in (False, True))
    facts = facts_of(from_log)
    assert facts == {key: known[key] for key in facts}
    assert state_bytes(from_log) == state_bytes(from_snapshot)
    assert storage.head(number)[1].hex() == known["digests"][0]
    storage.close()
    assert format_of(database) == "1"  # reading changes nothing


def test_a_server_goes_on_with_the_old_database(database: str) -> None:
    async def run() -> None:
        hub = Hub.open(open_storage(database), Settings(tick_seconds=100.0), lambda: 2000.0)
        await hub.start()
        assert format_of(database) == "2"  # an old server could not read what follows
        flags, known = hub.model("flags"), KNOWN["flags"]
        ticket = known["open"][0]
        assert (await flags.label(ticket, True)).kind == "learned"
        assert (await flags.label(ticket, True)).kind == "repeated"
        rows = [{"size": k - 4.5, "n": k} for k in range(10)]
        asked = await flags.predict_many([(x, None) for x in rows])
        assert [one.position for one in asked if isinstance(one, Prediction)] == [flags.position - 1] * 10
        learned = await flags.learn_many([(x, x["size"] > 0, None) for x in rows], "me")
        assert {one.kind for one in learned if isinstance(one, Outcome)} == {"learned"}
        assert flags.position == known["position"] + 4  # started, the label, and two batches
        with pytest.raises(Conflict):
            await hub.model("spam").learn({"size": 1.0}, "spam", "again0", "me")
        live = {one.number: state_bytes(one.hosted) for one in hub.served()}
        storage = hub.storage
        for number, state in live.items():
            assert state_bytes(state_at(storage, number, use_snapshots=False).model) == state
        await hub.close()
        storage.close()

    asyncio.run(run())
