"""A storage in memory, for tests of the hub: it may fail before or after a commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from driftline.serve.chain import START, follows
from driftline.serve.storage.storage import Batch, IdRow, ModelRow, Page, SnapshotRow, StorageError


class MemoryStorage:
    """The storage protocol as far as the hub and the recovery use it.

    ``fails`` is asked before each commit: "before" raises and stores nothing, "after" stores the
    batch and raises, as a broken connection does.
    """

    renew_every: float | None = None
    sharing: Any = None

    def __init__(self, fails: Callable[[], str] = lambda: "") -> None:
        self.fails = fails
        self.rows: dict[int, ModelRow] = {}
        self.logs: dict[int, list[Page]] = {0: []}
        self.ids: dict[tuple[int, str, str], IdRow] = {}
        self.kept: list[tuple[SnapshotRow, bytes]] = []
        self.commits = 0

    def commit(self, batch: Batch) -> None:
        how = self.fails()
        if how == "before":
            raise StorageError("memory: must have room, got none")
        for page in batch.pages:
            assert follows(page, self.head(page.model))
            self.logs[page.model].append(page)
        for row in batch.ids:
            row = IdRow(*row)
            assert (row.model, row.id, row.kind) not in self.ids, row
            self.ids[row.model, row.id, row.kind] = row
        for new in batch.snapshots:
            assert new.position <= self.head(new.model)[0]
            row = SnapshotRow(len(self.kept) + 1, new.model, new.position, new.at, new.kind, len(new.content))
            self.kept.append((row, new.content))
        for model in batch.deleted:
            self.delete_model(model, 0.0)
        self.commits += 1
        if how == "after":
            raise StorageError("memory: the connection must stay open, got a break")

    def renew(self) -> None:
        raise AssertionError

    def models(self) -> list[ModelRow]:
        return list(self.rows.values())

    def create_model(self, name: str, spec: str, at: float) -> int:
        number = max([0, *self.logs]) + 1
        self.rows[number] = ModelRow(number, name, at, spec)
        self.logs[number] = []
        return number

    def delete_model(self, model: int, at: float) -> None:
        del self.rows[model]
        self.logs[model] = []

    def head(self, model: int) -> tuple[int, bytes]:
        log = self.logs[model]
        return (log[-1].last, log[-1].chain) if log else (0, START)

    def chain_before(self, model: int, position: int) -> tuple[int, bytes]:
        found = (0, START)
        for page in self.logs[model]:
            if page.last < position:
                found = page.last, page.chain
        return found

    def pages(self, model: int, after: int = 0, until: int | None = None) -> Iterator[Page]:
        for page in list(self.logs[model]):
            if page.last > after and (until is None or page.first <= until):
                yield page

    def snapshot(self, model: int, at_most: int | None = None) -> tuple[SnapshotRow, bytes] | None:
        rows = [one for one in self.kept if one[0].model == model and (at_most is None or one[0].position <= at_most)]
        return max(rows, key=lambda one: (one[0].position, one[0].id), default=None)

    def snapshots(self, model: int) -> list[SnapshotRow]:
        return sorted((row for row, _ in self.kept if row.model == model), key=lambda row: (row.position, row.id))

    def drop_snapshot(self, snapshot: int) -> None:
        self.kept = [one for one in self.kept if one[0].id != snapshot]

    def find_ids(self, model: int, ids: Sequence[str], kind: str) -> dict[str, IdRow]:
        return {one: self.ids[model, one, kind] for one in ids if (model, one, kind) in self.ids}

    def complete_from(self, model: int) -> int:
        return 1

    def close(self) -> None: ...

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)
