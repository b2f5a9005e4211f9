"""The writer: one thread that stores all waiting events in one commit, and then reports it.

The event loop puts entries into a queue. The thread takes what waits, up to a number of bytes,
makes one page for each model, and commits. While a commit runs, further entries gather for the
next one. As long as nobody waits for the storage, they gather for a few milliseconds: the tickets of
many predictions share the cost of a commit. After a failed commit nothing is written until ``resume``.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

from driftline.serve.chain import next_page
from driftline.serve.storage.storage import Batch, IdRow, NewSnapshot, Storage

ID_BYTES = 100
"""Roughly what an id takes in the queue."""


@dataclass(slots=True)
class Entry:
    """Something to write: an event, its ids, a snapshot, the spec or the end of a model."""

    model: int
    event: bytes | None = None
    ids: list[IdRow] = field(default_factory=list)
    snapshot: NewSnapshot | None = None
    spec: str | None = None
    deleted_at: float | None = None
    size: int = 0
    """Roughly the bytes that it takes."""

    def __post_init__(self) -> None:
        content = 0 if self.snapshot is None else len(self.snapshot.content)
        self.size = (0 if self.event is None else len(self.event)) + ID_BYTES * len(self.ids) + content


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that succeeded.

    Attributes
    ----------
    upto
        The count of all entries that were stored since the writer started.
    entries, size
        The count of the entries of this commit, and their bytes.
    heads
        The last position of each model in it.
    seconds
        How long it took.
    """

    upto: int
    entries: int
    size: int
    heads: dict[int, int]
    seconds: float


class Writer:
    """The thread that writes.

    Parameters
    ----------
    storage
        Where to write.
    most_bytes
        The most that one commit writes, unless one entry is larger.
    gather_seconds
        The time for which entries gather before a commit, unless ``hurry`` is called.
    on_commit, on_failure
        Called in the writer thread after each commit; they hand over to the event loop.
    """

    def __init__(
        self,
        storage: Storage,
        most_bytes: int,
        gather_seconds: float,
        on_commit: Callable[[Commit], None],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        self._storage = storage
        self._most_bytes = most_bytes
        self._gather_seconds = gather_seconds
        self._on_commit = on_commit
        self._on_failure = on_failure
        self._queue: deque[Entry] = deque()
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._heads: dict[int, tuple[int, bytes]] = {}
        self._failed = self._closing = False
        self._done = 0
        self._thread = threading.Thread(target=self._run, name="driftline-writer", daemon=True)

    def start(self, heads: Mapping[int, tuple[int, bytes]]) -> None:
        """Start the thread.

        Parameters
        ----------
        heads
            The last position and chain of each log.
        """
        self._heads = dict(heads)
        self._thread.start()

    def put(self, entry: Entry) -> None:
        """Add an entry to the queue."""
        self._queue.append(entry)
        if not self._wake.is_set():
            self._wake.set()

    def hurry(self) -> None:
        """Commit what waits now: somebody waits for it."""
        if not self._hurry.is_set():
            self._hurry.set()

    def add_head(self, model: int, head: tuple[int, bytes]) -> None:
        """Add the log of a new model, before its first entry."""
        self._heads[model] = head

    def resume(self, heads: Mapping[int, tuple[int, bytes]]) -> None:
        """Write again after a failure. The queue must be empty: see ``drop``.

        Parameters
        ----------
        heads
            The last position and chain of each log, read again.
        """
        self._heads = dict(heads)
        self._failed = False
        self._wake.set()

    def drop(self) -> int:
        """Forget what waits after a failure; return the count of all entries since the start."""
        dropped = len(self._queue)
        self._queue.clear()
        self._done += dropped
        return self._done

    def close(self) -> None:
        """Write what waits, and end the thread."""
        self._closing = True
        self._hurry.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._queue and not self._failed:
                if not self._closing:
                    self._hurry.wait(self._gather_seconds)
                    self._hurry.clear()  # what was put before is in this commit
                self._write()
            if self._closing and (self._failed or not self._queue):
                return

    def _write(self) -> None:
        started = perf_counter()
        entries, size = self._taken()
        count = len(entries)
        try:
            batch, heads = self._batch(entries)
            self._storage.commit(batch)
        except BaseException as error:  # reported to the event loop, which stops acknowledging
            self._failed = True
            self._done += count
            self._on_failure(error)
            return
        self._heads |= heads
        self._done += count
        positions = {model: head[0] for model, head in heads.items()}
        self._on_commit(Commit(self._done, count, size, positions, perf_counter() - started))

    def _taken(self) -> tuple[list[Entry], int]:
        """The next entries, in order, and their size."""
        queue, most = self._queue, self._most_bytes
        entries = [queue.popleft()]
        size = entries[0].size
        while queue and size < most:
            entry = queue.popleft()
            entries.append(entry)
            size += entry.size
        return entries, size

    def _batch(self, entries: list[Entry]) -> tuple[Batch, dict[int, tuple[int, bytes]]]:
        """What to commit, and the heads of the logs after it."""
        batch = Batch()
        events: dict[int, list[bytes]] = {}
        for entry in entries:
            if entry.event is not None:
                events.setdefault(entry.model, []).append(entry.event)
            if entry.ids:
                batch.ids.extend(entry.ids)
            if entry.snapshot is not None:
                batch.snapshots.append(entry.snapshot)
            if entry.spec is not None:
                batch.specs[entry.model] = entry.spec
            if entry.deleted_at is not None:
                batch.deleted[entry.model] = entry.deleted_at
        for model in batch.deleted:
            events.pop(model, None)
        if batch.deleted:
            batch.ids = [row for row in batch.ids if row.model not in batch.deleted]
            batch.snapshots = [one for one in batch.snapshots if one.model not in batch.deleted]
            batch.specs = {model: spec for model, spec in batch.specs.items() if model not in batch.deleted}
        heads = {}
        for model, new in events.items():
            page = next_page(model, self._heads[model], new)
            batch.pages.append(page)
            heads[model] = page.last, page.chain
        return batch, heads
