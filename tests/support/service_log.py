"""Logs of a service in a SQLite file, written without a server."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from driftline.serve.chain import next_page
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.state import state_bytes
from driftline.serve.log.events import Created, Limits, encode
from driftline.serve.spec import Spec
from driftline.serve.storage.opening import open_storage
from driftline.serve.storage.storage import Batch, NewSnapshot

PAGE = 16
"""Events of a commit."""


def write_log(path: Path, events: int = 100, snapshot_at: int = 64, name: str = "mails", **spec: Any) -> HostedModel:
    """Write the log of a model whose labels come late, with a snapshot; return the live model."""
    created = Created(0.0, Spec(learner="pa1", labels=["ham", "spam"], **spec), "test", None, Limits())
    model = HostedModel.created(created)
    datas = [encode(created)]
    rng, waiting = Random(3), []
    snapshots = []
    while len(datas) < events:
        at = float(len(datas))
        x = {f"w{rng.randrange(5)}": 1.0, "size": rng.uniform(-1.0, 1.0)}
        y = "spam" if x["size"] > 0.1 else "ham"
        if rng.random() < 0.3:
            _, data = model.learn(x, y, None, "test", at)
        elif waiting and rng.random() < 0.5:
            _, data = model.tell(*waiting.pop(0), "test", at)
        else:
            prediction, data = model.ask(x, None, at)
            waiting.append((prediction.ticket, y))
        assert data is not None
        datas.append(data)
        if len(datas) == snapshot_at:
            snapshots.append((len(datas), state_bytes(model)))
    storage = open_storage(str(path))
    try:
        number = storage.create_model(name, "{}", 0.0)
        head = storage.head(number)
        for start in range(0, len(datas), PAGE):
            page = next_page(number, head, datas[start : start + PAGE])
            storage.commit(Batch(pages=[page]))
            head = (page.last, page.chain)
        for position, content in snapshots:
            storage.commit(Batch(snapshots=[NewSnapshot(number, position, 1.0, "auto", content)]))
    finally:
        storage.close()
    return model
