"""A hosted model and its log, without a hub: each live call appends its event."""

from __future__ import annotations

from typing import Any

from driftline.serve.chain import next_page
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.state import freeze, state_bytes
from driftline.serve.log.events import Created, Limits, RolledBack, encode
from driftline.serve.recovery import rolled_back, state_at
from driftline.serve.spec import Spec
from driftline.serve.storage.storage import Batch, IdRow, NewSnapshot
from tests.support.memory_storage import MemoryStorage

SPEC = Spec(learner="pa1", labels=["no", "yes"], expire_after=20.0)


class LoggedModel:
    """A model whose events go to a storage at once."""

    def __init__(self, spec: Spec = SPEC, limits: Limits | None = None) -> None:
        self.storage = MemoryStorage()
        self.number = self.storage.create_model("m", "{}", 0.0)
        created = Created(0.0, spec, "", None, limits or Limits(max_open=50, remember=5, window=30))
        self.model = HostedModel.created(created)
        self.write(encode(created))

    def write(self, event: bytes | None, snapshot: bytes | None = None) -> None:
        if event is None:
            assert not self.model.ids.new
            return
        batch = Batch(pages=[next_page(self.number, self.storage.head(self.number), [event])])
        at = self.model.position
        batch.ids = [IdRow(self.number, key, kind, at, content) for key, kind, content in self.model.ids.new]
        self.model.ids.new = []
        if snapshot is not None:
            batch.snapshots = [NewSnapshot(self.number, at, 0.0, "auto", snapshot)]
        self.storage.commit(batch)

    def earlier(self, ticket: Any) -> Any:
        keys = self.model.ids.keys_of(ticket)
        rows = {
            kind: {k: (row.position, row.content) for k, row in self.storage.find_ids(self.number, keys, kind).items()}
            for kind in "xy"
        }
        return self.model.ids.earlier(ticket, rows)

    def ask(self, x: Any, key: str | None, at: float) -> Any:
        earlier = (self.earlier(key),) if key is not None and not self.model.tickets.know(key) else ()
        found, event = self.model.ask(x, key, at, *earlier)
        self.write(event)
        return found

    def tell(self, ticket: Any, y: Any, at: float, x: Any = None) -> Any:
        earlier = (self.earlier(ticket),) if not self.model.tickets.know(ticket) else ()
        found, event = self.model.tell(ticket, y, "t", at, x, *earlier)
        self.write(event)
        return found

    def learn(self, x: Any, y: Any, at: float, key: str | None = None) -> Any:
        if key is not None:
            return self.tell(key, y, at, x)
        found, event = self.model.learn(x, y, None, "t", at)
        self.write(event)
        return found

    def snapshot(self) -> None:
        content = freeze(self.model).to_bytes()
        self.storage.commit(Batch(snapshots=[NewSnapshot(self.number, self.model.position, 0.0, "auto", content)]))

    def rollback(self, to: int, at: float) -> None:
        event = RolledBack(max(at, self.model.last_at), to, "t")
        earlier = state_at(self.storage, self.number, to).model
        self.model = rolled_back(earlier, self.model, event)
        self.write(encode(event), state_bytes(self.model))

    def restarted(self, **how: Any) -> HostedModel:
        return state_at(self.storage, self.number, **how).model
