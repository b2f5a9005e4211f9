"""A learner for each key on the workers of Ray: shards of keys, each in a process of its own."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from driftline.evaluate.blocks import ROWS
from driftline.evaluate.keyed_run import KeyedRun
from driftline.internals.require import require, whole
from driftline.keyed import Keyed as KeyedInOneProcess
from driftline.keyed import stable_hash
from driftline.keyed.keys import Key
from driftline.keyed.rows import Parts, check_lengths, keys_and_rows
from driftline.learners import Learner
from driftline.saved import ModelError
from driftline.saved.atomic_write import replace
from driftline.scale.cluster import cluster
from driftline.scale.keyed_shard import Sender
from driftline.scale.keyed_stream import run_stream, summed

WHERE = "scale.Keyed"
ABOUT = "keyed.json"
CACHED = 1 << 20
"""The most keys whose shard is remembered."""


class Keyed:
    """A ``dl.Keyed`` whose keys are shared among the workers of Ray.

    Each key belongs to a shard, by the hash of the key, and each shard to a worker. A key learns
    its rows in order, with the same bits as in a ``dl.Keyed`` of one process. Every row is learned
    exactly once, even if workers are killed: a lost worker is started again, on any machine, from
    the last checkpoint of its shard, and the rows since then are sent again.

    To continue after the program itself was killed, construct the object with the same folder, and
    pass the same rows from the start of the stream. The rows that are in the checkpoints are
    skipped.

    Parameters
    ----------
    learner : Learner
        A new learner, as for ``dl.Keyed``.
    key : str, int or None, default=None
        The feature of dicts, or the column of frames, that holds the key.
    folder : str or os.PathLike
        The folder of the checkpoints. All machines must see it.
    shards : int or None, default=None
        The number of shards; it cannot change later. None takes the number of processors.
    every : int, default=100_000
        The number of rows of a shard between two checkpoints. Only the keys that have changed are
        written. The rows between two checkpoints stay in the object store.
    prior : Learner or None, default=None
        The learner from which a new key starts, as for ``dl.Keyed``. "global" is refused, because a
        learner of all keys needs all rows in one order, in one process.

    Examples
    --------
    >>> import tempfile
    >>> import driftline as dl
    >>> import driftline.scale as scale
    >>> with tempfile.TemporaryDirectory() as folder, scale.Keyed(dl.PA1(), "customer", folder=folder) as keyed:
    ...     keyed.learn_many([{"customer": "ada", "price": 2.0}, {"customer": "bob", "price": 1.0}], [True, False])
    ...     alone = keyed.collect()
    >>> alone.predict_one({"customer": "ada", "price": 1.0}), len(alone)
    (True, 2)
    """

    def __init__(
        self,
        learner: Learner,
        key: str | int | None = None,
        *,
        folder: str | os.PathLike[str],
        shards: int | None = None,
        every: int = 100_000,
        prior: Learner | None = None,
    ) -> None:
        require(prior is None or isinstance(prior, Learner), WHERE, "prior must be None or a learner", prior)
        whole(WHERE, "every", every, 1)
        if shards is not None:
            whole(WHERE, "shards", shards, 1)
        self.key = key
        self._template = KeyedInOneProcess(learner, key, prior=prior)
        self._places: dict[Key, int] = {}
        with ExitStack() as stack:
            processors = stack.enter_context(cluster())
            self.folder = Path(folder)
            self.shards = self._agreed(shards or processors, shards is not None)
            data = self._template.options_bytes()
            given = None if prior is None else prior.to_bytes()
            self._senders: list[Sender] = []
            stack.callback(self._stop)
            for k in range(self.shards):
                self._senders.append(Sender(data, given, str(self.folder.resolve() / f"shard-{k:04}.keyed"), every))
            self._stack = stack.pop_all()

    def _agreed(self, shards: int, given: bool) -> int:
        """The number of shards in the folder; it is written for a new one."""
        path = self.folder / ABOUT
        self.folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            replace(path, [json.dumps({"shards": shards}).encode()])
            return shards
        try:
            saved = int(json.loads(path.read_bytes())["shards"])
        except (ValueError, KeyError, TypeError):
            raise ModelError(
                f"{path}: must hold the number of shards, got other content. Restore it from a copy"
            ) from None
        if given and saved != shards:
            raise ModelError(
                f"{self.folder}: must have {shards} shards, got checkpoints of {saved}. Pass shards={saved}, or choose "
                "another folder"
            )
        return saved

    def learn_many(self, X: Any, y: Any, w: Any = None, *, keys: Any = None) -> None:
        """Send the rows of X to their workers. The call returns before they are learned.

        A call to a worker takes about a millisecond: pass some 10,000 rows for each shard at once.
        If too many batches are under way, the call waits. If a row is refused, this call or a later
        one raises the error; nothing of that batch is learned.

        Parameters
        ----------
        X, y, w, keys
            As for ``dl.Keyed.learn_many``.
        """
        found, X = keys_and_rows(X, self.key, keys)
        check_lengths(found, X, y, w)
        places: dict[Any, list[int]] = {}
        for row, key in enumerate(found):
            shard = self._places.get(key)
            if shard is None:
                shard = self._shard(key)
            places.setdefault(shard, []).append(row)
        for number, rows, part, labels, weights in Parts(X, y, w, places):
            self._senders[int(number)].add(([found[row] for row in rows], part, labels, weights))

    def _shard(self, key: Key) -> int:
        """The shard of a key."""
        if len(self._places) >= CACHED:
            self._places.clear()
        shard = self._places[key] = stable_hash(key) % self.shards
        return shard

    def wait(self) -> None:
        """Wait until all rows are learned; raise the error of a refused row."""
        for sender in self._senders:
            sender.wait()

    def checkpoint(self) -> None:
        """Wait until all rows are learned and saved."""
        for sender in self._senders:
            sender.checkpoint()

    def collect(self) -> KeyedInOneProcess:
        """All keys as one ``dl.Keyed`` in this process, once all rows are learned.

        Returns
        -------
        Keyed
            It can be saved, and predicts and learns without Ray.
        """
        for sender in self._senders:
            for key, state in sender.states():
                self._template.put_state(key, state)
        self._template._totals = summed(self._template)
        return self._template

    def run(self, stream: Any, *, rows: int = ROWS, progress: bool | None = None) -> KeyedRun:
        """Test, then train the learners on every example of a stream, and save them.

        If the folder has checkpoints of the same stream, their rows are skipped. Examples with the
        label None are not learned. A row that a learner refuses ends the run, also with
        ``on_error="skip"``, which leaves out only what cannot be read.

        Parameters
        ----------
        stream
            Files (``dl.streams.read``) with the column ``key``, or what ``dl.run`` takes, of dicts
            or frames with the key.
        rows
            The number of examples per block, for arrays and single examples.
        progress
            Whether a progress line is shown on stderr; None shows it if stderr is a terminal.

        Returns
        -------
        KeyedRun
            As of ``dl.Keyed.run``; its ``keyed`` is that of ``collect``.
        """
        return run_stream(self, stream, rows, progress)

    def _stop(self) -> None:
        for sender in self._senders:
            sender.stop()

    def close(self) -> None:
        """End the workers, and Ray if it was started here. Rows since the last checkpoint are lost."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            if kind is None:
                self.checkpoint()
        finally:
            self.close()
