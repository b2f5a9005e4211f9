"""One learner on a stream: blocks are learned, counted, recorded and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from driftline.certify.evidence import EvidenceRecorder
from driftline.encode.faults import RowError
from driftline.evaluate.alarm_observer import AlarmObserver
from driftline.evaluate.arrivals import ColumnDelay, RowDelay
from driftline.evaluate.blocks import Block, part
from driftline.evaluate.by_task import new_ledger, new_run
from driftline.evaluate.checkpoint import KIND, Checkpoint
from driftline.evaluate.file_recipe import keep_recipe, sort_labels
from driftline.evaluate.history import History
from driftline.evaluate.late_labels import LateLabels
from driftline.evaluate.metrics import MetricsObserver
from driftline.evaluate.observer import Observer
from driftline.evaluate.regression.observer import RegressionObserver
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.result import Run
from driftline.evaluate.stream_identity import difference, identity_of
from driftline.evaluate.time_line import TimeLine
from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows
from driftline.internals.stopwatch import Stopwatch
from driftline.learners import LearnedBlock, Learner
from driftline.learners.state import bias_value
from driftline.saved import ModelError
from driftline.saved.fault import loading
from driftline.streams.files.scan.row_digest import RowDigest

LeaveOut = Callable[[FileRows, int, str], None]
NO_STOP = 1 << 62
"""More examples than any block has."""


class LearnerRun:
    """A learner and its ledger; optionally its history, its evidence and its checkpoint.

    Parameters
    ----------
    name
        The name of the run.
    learner
        The learner.
    stream
        The stream. A ``RecordStream`` decides what happens to rows that the learner refuses; on
        any other stream a refused row is an error.
    points
        The most points of the curve.
    history
        Whether the largest weights are recorded along the run. Votes always record their heaviest
        voters.
    certify
        Whether the examples are kept for a certificate.
    checkpoint
        Where the run is saved. A saved run is resumed if the checkpoint says so.
    observers
        What else sees every learned block. Checkpoints save their state.
    delay
        When the labels arrive; None if each row is learned at its turn.
    """

    def __init__(
        self,
        name: str,
        learner: Learner,
        stream: Any,
        points: int,
        *,
        history: bool = False,
        certify: bool = False,
        checkpoint: Checkpoint | None = None,
        observers: Sequence[Observer] = (),
        delay: RowDelay | ColumnDelay | None = None,
    ) -> None:
        self.name = name
        self.late = None if delay is None else LateLabels(self, delay)
        self.observers = observers
        self._measures = any(one.wants_probabilities for one in observers)
        self.given = learner
        """The learner before the run; a resumed run continues with a saved one."""
        self.learner = learner
        self.stopped = ""
        self.ledger = new_ledger(learner.rule, points)
        self.history = History() if history or learner.rule.elects else None
        self.recorder = (
            EvidenceRecorder(learner.n_seen, bias_value(learner), str(learner.options["dtype"])) if certify else None
        )
        self.stream = stream
        self.checkpoint = checkpoint
        self._baselines_in: MetricsObserver | None = None
        """The metrics that have counted the baselines of the ledger; None if the ledger has them."""
        self._identity: dict[str, Any] | None = None
        self._began = False
        self.unlabelled = 0
        """The number of examples without a label, which were not learned."""
        self.passed = 0
        """The number of examples of the stream that were learned or left out."""
        self._resume_at = 0
        self._saved_rows: str | None = None
        """The digest of the rows that the resumed run had consumed; None if it is not known."""
        self._digest = RowDigest() if checkpoint is not None and isinstance(stream, RecordStream) else None
        if self.history is not None:
            self.history.record(0, learner)
        if checkpoint is not None:
            self._resume_at = self._resume(checkpoint)

    def feed(self, block: Block) -> None:
        """Test, then train on the next block of the stream.

        Only this method splits a block: after the examples that a resumed run has seen, where the
        history is recorded, where the run is saved, and at refused rows. The result does not
        depend on the splits.

        If a row is refused, the rows before it are learned first, because one of them may be
        refused for another reason. The number of rows that are tried at once then doubles, so that
        many refused rows do not make the run slow.

        Parameters
        ----------
        block
            Rows, labels and sample weights; the weights are None if there are none.
        """
        if not self._began:
            self._began = True
            keep_recipe(self.learner, self.stream)
            sort_labels(self.learner, self.stream)
        size = len(block[1])
        at = min(size, self._resume_at - self.passed) if self.passed < self._resume_at else 0
        if at:
            if self.late is not None:
                self.late.pass_over(block, at, self.passed)
            self._pass(block, 0, at)
            self._check_consumed(block[0], at - 1)
        if self.late is not None:
            self._feed_late(self.late, block, at)
            return
        most = size
        while at < size:
            stop = min(size, at + most, at + self._until_next_stop())
            X, y, w = part(block, at, stop)
            if isinstance(X, FileRows) and len(X) == 1:
                y = y.tolist()  # the error for a list of one label names its row
            try:
                self._learn(X, y, w)
            except RowError as error:
                leave_out = self.leave_out()
                if leave_out is None or not isinstance(X, FileRows):
                    raise
                if error.row:
                    most = error.row
                    continue
                leave_out(X, 0, error.what)
                stop = at + 1
            else:
                most *= 2
                self._record_history()
            self._pass(block, at, stop)
            at = stop
            self._save_if_due()

    def _feed_late(self, late: LateLabels, block: Block, at: int) -> None:
        """Predict the rows from ``at`` on, and learn the rows whose labels arrive."""
        size = len(block[1])
        stored = late.store(block, self.passed - at)
        while at < size:
            until_saved = NO_STOP if self.checkpoint is None else self.checkpoint.next(self.passed) - self.passed
            stop = min(size, at + until_saved)
            late.take(stored, at, stop)
            self._pass(block, at, stop)
            at = stop
            self._save_if_due()

    def finish(self, *, complete: bool = True) -> Run:
        """End the run: save it, learn the rows with open labels, and record the end of its history.

        Parameters
        ----------
        complete
            Whether the stream has ended; False after Ctrl-C.

        Returns
        -------
        Run
            The result.
        """
        if self.checkpoint is not None:
            if self.passed >= self._resume_at:
                self._save(self.checkpoint)
            elif complete:
                raise ModelError(
                    f"{self.checkpoint.path}: the stream must have the {self._resume_at:,} examples that the run has "
                    f"consumed, got only {self.passed:,}. Restore it, or start a new run in another folder"
                )
        nothing_arrived = self.late is not None and self.passed > 0 and self.ledger.examples == 0
        if self.late is not None and complete and not self.stopped:
            self.late.learn_all()
        if self.history is not None:
            self.history.record(self.ledger.examples, self.learner)
        self._take_baselines()
        run = new_run(self.name, self.learner, self.ledger, self.history, self.recorder, self.stopped)
        if nothing_arrived and self.late is not None and complete:
            run.remarks.append(
                f"no label arrived before the end of the stream (delay: {self.late.delay}), so all "
                f"{self.passed:,} predictions were made before anything was learned"
            )
        run.unlabelled = self.stream.unlabelled if isinstance(self.stream, RecordStream) else self.unlabelled
        for observer in self.observers:
            if isinstance(observer, MetricsObserver):
                observer.name_classes(self.learner)
                run.metrics = observer.metrics
            elif isinstance(observer, RegressionObserver) and isinstance(run, RegressionRun):
                run.metrics = observer.metrics
            elif isinstance(observer, AlarmObserver):
                run.alarms = observer.alarms
            elif isinstance(observer, TimeLine):
                run.times = observer.table()
        return run

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        """Test, then train; count the rounds, and record them for a certificate."""
        keep = self.recorder is not None
        with Stopwatch() as watch:
            learned = self.learner.learn_block(
                X, y, w, keep_rows=keep, keep_votes=keep, keep_probabilities=self._measures
            )
        if learned.several:
            self.recorder = None  # a Tracker that has met a third label has no certificate
        if self.recorder is not None:
            self.recorder.add(learned)
        self.count(learned, X, watch.seconds)

    def count(self, learned: LearnedBlock, X: Any, seconds: float) -> None:
        """Count learned rows, and show them to the observers.

        Parameters
        ----------
        learned
            The record of the rows.
        X
            The rows, as the stream gave them.
        seconds
            The time that they took, without compilation.
        """
        known = self.ledger.baselines is not None
        metrics = next((one for one in self.observers if known and isinstance(one, MetricsObserver)), None)
        if metrics is not None and not metrics.counts_baselines(learned, self.ledger.examples):
            metrics = None
        if metrics is None:
            self._take_baselines()
        self.ledger.add(learned, seconds, count_labels=metrics is None)
        for observer in self.observers:
            observer.add(learned, X, self.learner)
        if metrics is not None and len(learned):
            self._baselines_in = metrics
        if self.late is not None:
            self._record_history()

    def _take_baselines(self) -> None:
        """Give the ledger the baselines that the metrics have counted for it."""
        if self._baselines_in is not None:
            self.ledger.baselines = self._baselines_in.baselines()
            self._baselines_in = None

    def leave_out(self) -> LeaveOut | None:
        """The function that leaves out a refused row; None if a refused row is an error."""
        return self.stream.leave_out if isinstance(self.stream, RecordStream) else None

    # where a block is split --------------------------------------------------------------------
    def _until_next_stop(self) -> int:
        """The number of examples until the history is recorded or the run is saved."""
        checkpoint = self.checkpoint
        until_saved = NO_STOP if checkpoint is None else checkpoint.next(self.passed) - self.passed
        return min(self.until_history(), until_saved)

    def until_history(self) -> int:
        """The number of examples until the history is recorded."""
        history, examples = self.history, self.ledger.examples
        return NO_STOP if history is None else history.next(examples) - examples

    def _record_history(self) -> None:
        history, examples = self.history, self.ledger.examples
        if history is not None and history.next(examples - 1) == examples:
            history.record(examples, self.learner)

    def _save_if_due(self) -> None:
        if self.checkpoint is not None and self.passed % self.checkpoint.every == 0:
            self._save(self.checkpoint)

    # checkpoints -------------------------------------------------------------------------------
    def _pass(self, block: Block, start: int, stop: int) -> None:
        """Count rows as passed, and add them to the digest."""
        if self._digest is not None:
            self._digest.add(*part(block, start, stop))
        self.passed += stop - start

    def _check_consumed(self, X: Any, row: int) -> None:
        """Compare the rows with those that the saved run had consumed; ``row`` is the last one."""
        if self.passed < self._resume_at or self._digest is None or self._saved_rows is None:
            return
        assert self.checkpoint is not None
        if self._digest.hexdigest() != self._saved_rows:
            raise ModelError(
                f"{self.checkpoint.path}: the {self.passed:,} examples that the run has consumed, up to "
                f"{X.place(row)}, must not change, got other examples. Restore the files, or start a new run in "
                "another folder"
            )

    def _save(self, checkpoint: Checkpoint) -> None:
        self._take_baselines()
        progress: dict[str, Any] = {"done": self.passed, "stream": self._identity, "refused": None}
        keep_recipe(self.learner, self.stream)
        if isinstance(self.stream, RecordStream):
            progress["refused"] = self.stream.refusals()
        if self._digest is not None:
            progress["rows"] = self._digest.hexdigest()
        checkpoint.write(self.learner, self.ledger, self.history, progress, self._saved_parts)

    @property
    def _saved_parts(self) -> Sequence[Observer]:
        """What a checkpoint holds besides the learner, the ledger and the history."""
        return self.observers if self.late is None else (*self.observers, self.late)

    def _resume(self, checkpoint: Checkpoint) -> int:
        """Load the saved run, if there is one; return its position in the stream."""
        self._identity = identity_of(self.stream)
        checkpoint.prepare()
        saved = checkpoint.read(self.learner, self.history is not None, self._saved_parts)
        if saved is None:
            return 0
        self.learner, self.ledger, self.history, progress = saved
        if self.late is not None:
            with loading(checkpoint.path, KIND):
                self.late.check_resumed(int(progress["done"]))
        if found := difference(self.stream, progress["stream"]):
            raise ModelError(
                f"{checkpoint.path}: must be a checkpoint of the same stream, got one {found}. "
                "Give the same files and options, or choose another folder"
            )
        if self.given.recipe is None and self.learner.recipe is not None:
            self.stream.hold(self.learner.recipe.kinds)
        if progress["refused"]:
            self.stream.resume_refusals(progress["refused"])
        self._saved_rows = progress.get("rows")
        return int(progress["done"])


class BaselineRun(LearnerRun):
    """A run that ends at the first refused example, while the other runs continue.

    On a stream of files, rows that the other learners leave out are left out here too.
    """

    def feed(self, block: Block) -> None:
        """Test, then train on the next block, up to the first refused example.

        After a refused example, do nothing.

        Parameters
        ----------
        block
            Rows, labels and sample weights; the weights are None if there are none.
        """
        if self.stopped:
            return
        while len(block[1]):
            before = self.passed
            try:
                super().feed(block)
                return
            except ValueError as error:
                self.stopped = str(error)
                if self.late is not None:
                    return  # the rows before the refused one are predicted, and learned as far as labels arrived
                # nothing of the last part was learned: next, learn its rows before the refused one
                learned, row = self.passed - before, error.row if isinstance(error, RowError) else 0
                block = part(block, learned, learned + row)

    def leave_out(self) -> LeaveOut | None:
        """The function that leaves out a row that the main learner refused too."""
        return self.stream.leave_out_of_baseline if isinstance(self.stream, RecordStream) else None
