"""One learner on its way through a stream: it is fed block by block, counted, recorded and saved."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from driftline.certify.evidence import Witness
from driftline.encode.faults import RowError
from driftline.engines.state import BIAS
from driftline.evaluate.blocks import Block, part
from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.history import History
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.result import Run
from driftline.internals.rows import FileRows, Rows, length
from driftline.learners import Learner, Trials
from driftline.saved import ModelError

Refuse = Callable[[FileRows, int, str], None]


class Lane:
    """A learner, its ledger and its history."""

    def __init__(self, name: str, learner: Learner, points: int, history: bool, certify: bool = False) -> None:
        self.name = name
        self.learner = learner
        self.stopped = ""
        self.ledger = Ledger(learner.rule.margin, points)
        self.history = History() if history or learner.rule.elects else None
        self.witness = Witness(learner.n_seen) if certify else None
        self._shown: list[Rows] = []
        if self.history is not None:
            self.history.record(0, learner)

    def feed(self, block: Block, refuse: Refuse | None) -> None:
        """Test, then train on a block; the history has its records where they are due."""
        at, size = 0, len(block[1])
        while at < size:
            stop = size
            if self.history is not None:
                stop = min(size, at + self.history.next(self.ledger.examples) - self.ledger.examples)
            self._learn(part(block, at, stop), refuse)
            at = stop
            if self.history is not None and self.history.next(self.ledger.examples - 1) == self.ledger.examples:
                self.history.record(self.ledger.examples, self.learner)

    def _learn(self, block: Block, refuse: Refuse | None) -> None:
        """All examples of a block but those that are refused and may be left out.

        What comes before a refused row is tried by itself: one of its rows may be refused for another reason. What is
        tried grows from there, so that many refused rows do not make it slow.
        """
        at, size = 0, len(block[1])
        most = size
        while at < size:
            stop = min(size, at + most)
            X, y, w = part(block, at, stop)
            if isinstance(X, FileRows) and len(X) == 1:
                y = y.tolist()  # as a list of one label, so that an error says its row
            try:
                self._count(X, y, w)
                at, most = stop, 2 * most
            except RowError as error:
                if refuse is None or not isinstance(X, FileRows):
                    raise
                if error.row:
                    most = error.row
                else:
                    refuse(X, 0, error.what)
                    at += 1

    def _count(self, X: Any, y: Any, w: Any) -> None:
        """Test, then train, and add what came of it to the ledger."""
        start = perf_counter()
        trials = self._test_then_train(X, y, w)
        self.ledger.add(trials, perf_counter() - start)

    def _test_then_train(self, X: Any, y: Any, w: Any) -> Trials:
        """``test_then_train``, before the eyes of the witness if there is one."""
        if self.witness is None:
            return self.learner.test_then_train(X, y, w)
        self._shown.clear()
        engine = self.learner._engine
        ballots: list[np.ndarray] = []
        self.learner._witness = self._shown.append
        engine.ballots = ballots
        try:
            trials = self.learner.test_then_train(X, y, w)
        finally:
            self.learner._witness = engine.ballots = None
        if self.learner.rule.several:  # since a third label appeared
            self.witness = None
            return trials
        self.witness.hear(ballots)
        bias = float(self.learner._engine.state[BIAS])
        start = 0
        for rows in self._shown:
            part = slice(start, start + length(rows))
            self.witness.see(rows, bias, trials.y[part], trials.scores[part], trials.updated[part])
            start = part.stop
        self.witness.asked += int(trials.asked.sum())
        if w is not None and np.any(np.asarray(w) != 1.0):
            self.witness.weighted = True
        return trials

    def finished(self) -> Run:
        """What the run leaves."""
        if self.history is not None:
            self.history.record(self.ledger.examples, self.learner)
        return Run(self.name, self.learner, self.ledger, self.history, self.witness, self.stopped)

    def save(self, checkpoint: Checkpoint, stream: Any, done: int) -> None:
        """Save all of it, after so many examples of the stream."""
        checkpoint.write(self.learner, self.ledger, self.history, {"done": done, **_facts(stream)})

    def resume(self, checkpoint: Checkpoint, stream: Any) -> int:
        """Take up what was saved; return how many examples of the stream were done."""
        facts = _facts(stream)
        checkpoint.prepare()
        saved = checkpoint.read(self.learner, self.history is not None)
        if saved is None:
            return 0
        self.learner, self.ledger, self.history, progress = saved
        if progress["stream"] != facts["stream"]:
            raise ModelError(
                f"{checkpoint.path}: must be a checkpoint of the same stream, got one of "
                f"{progress['stream']}. Give the same files and options, or choose another folder"
            )
        if progress["refused"]:
            stream.take_up(progress["refused"])
        return int(progress["done"])


def _facts(stream: Any) -> dict[str, Any]:
    """Which stream it is, and what was left out of it because the learner refused it."""
    if not hasattr(stream, "identity"):
        return {"stream": None, "refused": None}
    return {"stream": stream.identity, "refused": stream.refusals()}
