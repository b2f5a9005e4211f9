"""The stream of the demo."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from driftline.serve.http import feeder
from driftline.serve.http.feeder import MAILS, PARCELS, feed, prepare
from driftline.serve.hub import Hub
from driftline.serve.storage.opening import open_storage


def test_the_models_learn_from_late_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeder, "DELAY_SECONDS", 0.2)

    async def run() -> None:
        hub = Hub.open(open_storage(str(tmp_path / "a.db")))
        await hub.start()
        await prepare(hub)
        await prepare(hub)  # a second start finds the models
        feeding = asyncio.ensure_future(feed(hub, challengers=("arow",)))
        for _ in range(1200):
            await asyncio.sleep(0.05)
            parcels, mails = (hub.model(name).info() for name in (PARCELS, MAILS))
            if min(one.counts.labelled for one in (*parcels.contenders, *mails.contenders)) >= 10:
                break
        assert not feeding.done() and [one.name for one in parcels.contenders] == ["original", "arow"]
        assert all(one.counts.labelled >= 10 for one in (*parcels.contenders, *mails.contenders))
        assert mails.contenders[0].counts.asked > 2 * mails.contenders[0].counts.labelled
        assert hub.model(MAILS).questions(5)
        feeding.cancel()
        await asyncio.wait({feeding})
        await hub.close()
        hub.storage.close()

    asyncio.run(run())
