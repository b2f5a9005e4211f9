"""One shard of a keyed learner: the process that holds it, and its sender in the program.

The rows of a shard are numbered from 0. A worker learns the row with the number ``next``, and
stores ``next`` in the same transaction as the changed keys. So every row is learned once, whatever
is lost: a worker ignores rows before ``next`` and returns ``next`` for rows after it, and the
sender keeps all rows since the last checkpoint and sends them again from ``next``. Ray itself
repeats nothing.
"""

from __future__ import annotations

import pickle
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from driftline.keyed import Keyed
from driftline.keyed.keys import Key
from driftline.keyed.rows import Parts
from driftline.saved import ModelError, from_bytes

OUTSTANDING = 3
"""The most batches of a shard that are under way, so that a slow worker slows its sender down."""
RESTARTS = 20
"""The most restarts of a worker without a learned batch between them."""


@dataclass(frozen=True)
class Position:
    """How far a shard is.

    Attributes
    ----------
    next
        The number of rows that it has learned.
    saved
        The number of rows in its last checkpoint.
    error
        The error of the batch that was refused, or of a checkpoint that cannot be read.
    """

    next: int
    saved: int
    error: Exception | None = None


class Shard:
    """A shard in its worker.

    Parameters
    ----------
    template, prior
        The learner of new keys, and what they start from, as model files. No prior is None.
    path
        The file of its checkpoints. If there is one, the shard continues from it.
    every
        The number of rows after which a checkpoint is due; 0 for none.
    """

    def __init__(self, template: bytes, prior: bytes | None, path: str, every: int) -> None:
        self.path, self.every = Path(path), every
        self.next = self.saved = 0
        self.error: Exception | None = None
        try:
            self.keyed = self._opened(template, prior)
            self.next = self.saved = self.keyed.next or 0
        except Exception as error:  # Ray would report a worker that was lost
            self.error = error

    def _opened(self, template: bytes, prior: bytes | None) -> Keyed:
        """The keys in the checkpoint; none if there is no checkpoint."""
        if not self.path.exists():
            return Keyed(from_bytes(template), prior=None if prior is None else from_bytes(prior))
        keyed = Keyed.load(self.path)
        if keyed.options_bytes() != template:
            raise ModelError(
                f"{self.path}: must be a checkpoint of the same learner, got another one. Choose another folder"
            )
        return keyed

    def position(self) -> Position:
        """How far the shard is, or why it cannot start."""
        return Position(self.next, self.saved, self.error)

    def learn(self, first: int, batch: bytes) -> Position:
        """Learn the rows of a batch that follow ``next``.

        Parameters
        ----------
        first
            The number of its first row.
        batch
            Keys, rows, labels and sample weights, as ``pickle`` writes them.
        """
        keys, X, y, w = pickle.loads(batch)
        skip = self.next - first
        if skip < 0 or skip >= len(keys):
            return self.position()
        if skip:
            ((_, _, X, y, w),) = Parts(X, y, w, {0: list(range(skip, len(keys)))})
            keys = keys[skip:]
        try:
            self.keyed.learn_many(X, y, w, keys=keys)
        except Exception as error:
            return Position(self.next, self.saved, error)
        self.next += len(keys)
        if self.every and self.next - self.saved >= self.every:
            self.checkpoint()
        return self.position()

    def checkpoint(self) -> Position:
        """Save the changed keys and ``next`` in one transaction."""
        if self.next > self.saved:
            self.keyed.checkpoint(self.path, self.next)
            self.saved = self.next
        return self.position()

    def states(self) -> list[tuple[Key, bytes]]:
        """The states of all keys."""
        return list(self.keyed.states())

    def process(self) -> int:
        """The number of the process, for tests."""
        import os

        return os.getpid()


_Worker = ray.remote(max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(Shard)


@dataclass(frozen=True)
class Batch:
    """Rows of a shard in the object store.

    Attributes
    ----------
    first, end
        The numbers of its first row, and of the row after the last.
    content
        A reference to the pickled rows.
    """

    first: int
    end: int
    content: Any


class Sender:
    """Sends the rows of one shard, and starts its worker again when it was lost.

    Parameters
    ----------
    arguments
        The arguments of ``Shard``.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self._kept: deque[Batch] = deque()
        """The batches that no checkpoint holds yet."""
        self._sent = 0
        """How many of them have been sent to the present worker."""
        self._running: deque[tuple[Batch | None, Any]] = deque()
        self._failed: Exception | None = None
        self._restarts = 0
        self.rows = 0
        """The number of rows that were given."""
        self.worker: Any = None
        self._start()

    def add(self, content: tuple[list[Key], Any, Any, Any]) -> None:
        """Send the next rows; wait while too many batches are under way."""
        batch = Batch(self.rows, self.rows + len(content[0]), None)
        self.rows = batch.end
        if batch.end <= self.position.next and not self._kept:
            return  # learned before the program was started again
        self._kept.append(Batch(batch.first, batch.end, ray.put(pickle.dumps(content, 5))))
        self._send()
        while len(self._running) >= OUTSTANDING:
            self._take()

    def wait(self) -> None:
        """Wait until all rows are learned."""
        while self._running or self._sent < len(self._kept):
            self._send()
            self._take()

    def checkpoint(self) -> None:
        """Wait until all rows are learned and saved."""
        self.wait()
        while self.position.saved < min(self.rows, self.position.next) or self.position.next < self.rows:
            self._running.append((None, self.worker.checkpoint.remote()))
            self.wait()

    def states(self) -> list[tuple[Key, bytes]]:
        """The states of all keys, once all rows are learned."""
        while True:
            self.wait()
            try:
                found: list[tuple[Key, bytes]] = ray.get(self.worker.states.remote())
            except ray.exceptions.RayActorError:
                self._start()
            else:
                return found

    def stop(self) -> None:
        """End the worker."""
        ray.kill(self.worker)

    def _send(self) -> None:
        if self._failed is not None:
            raise self._failed
        while self._sent < len(self._kept) and len(self._running) < OUTSTANDING:
            batch = self._kept[self._sent]
            self._sent += 1
            self._running.append((batch, self.worker.learn.remote(batch.first, batch.content)))

    def _take(self) -> None:
        """Wait for the oldest call that is under way."""
        if not self._running:
            return
        batch, answer = self._running.popleft()
        try:
            self._place(ray.get(answer))
        except ray.exceptions.RayActorError:
            self._start()
            return
        if self.position.error is not None:
            self._failed = self.position.error
            raise self._failed
        if batch is not None and self.position.next < batch.end:
            self._rewind()
        else:
            self._restarts = 0

    def _place(self, position: Position) -> None:
        """Forget the batches that a checkpoint holds."""
        self.position = position
        while self._kept and self._kept[0].end <= position.saved:
            self._kept.popleft()
            self._sent = max(0, self._sent - 1)

    def _rewind(self) -> None:
        """Send everything after ``next`` again."""
        self._running.clear()
        self._sent = sum(batch.end <= self.position.next for batch in self._kept)

    def _start(self) -> None:
        """Start a worker; it continues from the last checkpoint."""
        while True:
            self._restarts += 1
            if self._restarts > RESTARTS:
                raise RuntimeError(
                    f"scale.Keyed: a worker must live until it has learned a batch, "
                    f"got {RESTARTS} lost workers in a row. Check the memory of the machines and the logs of Ray"
                )
            self.worker = _Worker.remote(*self._arguments)
            try:
                self._place(ray.get(self.worker.position.remote()))
            except ray.exceptions.RayActorError:
                continue
            if self.position.error is not None:
                raise self.position.error
            self._rewind()
            return
