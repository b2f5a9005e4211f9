"""Late labels in a run: rows are predicted at their turn, and learned when their labels arrive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.encode.faults import RowError
from driftline.engines.state import WRONG
from driftline.evaluate.arrivals import ColumnDelay, RowDelay
from driftline.evaluate.blocks import Block, part
from driftline.evaluate.open_rows import OpenRow, OpenRows, StoredBlock, label_numbers, share_matrix
from driftline.internals.rows import FileRows
from driftline.internals.stopwatch import Stopwatch
from driftline.learners import LearnedBlock, Learner
from driftline.learners.late_rounds import late_rounds, learn_late_block, predictions_of, score_with_records
from driftline.saved.fault import UnfitError

if TYPE_CHECKING:
    from driftline.evaluate.learner_run import LearnerRun

FEWEST, MOST = 16, 4096
"""The number of rows that are tried at once: it doubles after success, and falls at a row that stops."""
NO_RECORD = np.zeros(0)
ARRAYS = ("positions", "arrivals", "scores", "margins", "predicted")


class LateLabels:
    """The open rows of a run. In a checkpoint they are a part of their own, as observers are.

    Parameters
    ----------
    run
        The run.
    delay
        When labels arrive.
    """

    name = "late"
    wants_probabilities = False

    def __init__(self, run: LearnerRun, delay: RowDelay | ColumnDelay) -> None:
        self.run = run
        self.delay = delay
        self.open = OpenRows()
        self._size = FEWEST
        self._resumed: dict[int, dict[str, Any]] | None = None
        """The open rows of a resumed run that have not been read again yet, by position."""

    # blocks ------------------------------------------------------------------------------------
    def store(self, block: Block, passed: int) -> StoredBlock:
        """A block of the stream, with the arrivals of its labels; ``passed`` rows came before it."""
        column, recipe = self.delay.plain, getattr(self.run.stream, "recipe", None)
        if isinstance(self.delay, ColumnDelay) and recipe is not None and column in recipe.features_from:
            raise ValueError(
                f"run: the column of delay={column!r} must not be a feature, because it is not known when a row is "
                f"predicted, got one. Pass drop=[{column!r}] to dl.streams.read"
            )
        return StoredBlock(block, passed, self.delay.of(block[0], passed, len(block[1])))

    def take(self, stored: StoredBlock, at: int, stop: int) -> None:
        """Predict the rows ``at`` to ``stop`` of a block; learn before each what has arrived."""
        while at < stop:
            fault = stored.arrivals.faults.get(at)
            if fault is not None:
                self._leave_out(stored, at, RowError(self.run.learner.kind, at, fault))
                at += 1
                continue
            end = at
            order: list[OpenRow] = []
            due: list[int] = []
            while end < stop and end - at < self._size and end not in stored.arrivals.faults:
                order += self.open.arrived(stored.arrivals.times[end])
                due.append(len(order))
                self.open.add(stored.arrivals.arrivals[end], stored.start + end, stored)
                end += 1
            at = self._work(order, due, stored, at)

    def learn_all(self) -> None:
        """Learn all open rows, at the end of the stream."""
        order = self.open.everything()
        self.open = OpenRows()
        self._work(order, [], None, 0)

    def _work(self, order: list[OpenRow], due: list[int], stored: StoredBlock | None, at: int) -> int:
        """Learn rows and predict others by turns; return the next row to predict.

        This is the row after the last one, or after a row that was refused.
        """
        with Stopwatch() as watch:
            following = self._by_turns(order, due, stored, at)
        self.run.ledger.seconds += watch.seconds
        return following

    def _by_turns(self, order: list[OpenRow], due: list[int], stored: StoredBlock | None, at: int) -> int:
        """Do the work of ``_work``."""
        done = asked = 0
        while done < len(order) or asked < len(due):
            rows = self._together(order, done)
            upto = int(np.searchsorted(due, done + len(rows), side="right"))
            turns = np.array(due[asked:upto], np.int64) - done
            learned, predicted = self._by_block(rows, turns, stored, at + asked)
            done, asked = done + learned, asked + predicted
            if learned == len(rows) and predicted == len(turns):
                self._size = min(MOST, 2 * self._size)
                continue
            self._size = FEWEST
            if asked == len(due) or due[asked] > done:
                self._learn_one(order[done])
                done += 1
                continue
            assert stored is not None
            refused = self._predict_one(stored, at + asked)
            asked += 1
            if refused:
                self.open.give_back(order[done:], below=stored.start + at + asked - 1)
                break
        return at + asked

    def _together(self, order: list[OpenRow], start: int) -> list[OpenRow]:
        """The next rows that can be learned at once: of one block, up to the next point of the history."""
        most = self.run.until_history()
        rows = order[start : start + min(most, MOST)]
        end = next((k for k, row in enumerate(rows) if row.stored is not rows[0].stored), len(rows))
        return rows[:end]

    def _by_block(
        self, rows: list[OpenRow], turns: np.ndarray, stored: StoredBlock | None, first: int
    ) -> tuple[int, int]:
        """Learn and predict as many rows as possible; return how many of each."""
        learner, asked = self.run.learner, None
        if len(turns):
            assert stored is not None
            asked = part(stored.block, first, first + len(turns))
        if not rows:
            assert asked is not None and stored is not None
            try:
                scores, records = score_with_records(learner, asked[0])
            except ValueError:
                return 0, 0
            stored.keep_records(first, records)
            stored.predicted(first, predictions_of(learner, scores, asked[1]))
            if self._keeps_probabilities:
                stored.keep_shares(first, learner.labels, learner.predict_proba_many(asked[0]))
            return 0, len(turns)
        if not learner.n_seen:
            return 0, 0
        X, y, w = rows[0].stored.rows([row.place for row in rows])
        waiting = None if asked is None else asked[0]
        found = late_rounds(
            learner,
            X,
            y,
            w,
            waiting,
            turns,
            keep_probabilities=self._keeps_probabilities,
            records=_Records(rows, stored, first),
        )
        if len(found.scores):
            assert asked is not None and stored is not None
            labels = part(asked, 0, len(found.scores))[1]
            stored.predicted(first, predictions_of(learner, found.scores, labels))
            if found.probabilities is not None:
                stored.keep_shares(first, learner.labels, found.probabilities)
        if len(found.learned):
            self._count(rows[: len(found.learned)], found.learned, part((X, y, w), 0, len(found.learned))[0])
        return len(found.learned), len(found.scores)

    # one row -----------------------------------------------------------------------------------
    def _learn_one(self, row: OpenRow) -> None:
        """Learn one row, or leave it out if it is refused."""
        X, y, w = _single(row.stored, row.place)
        try:
            learned = learn_late_block(self.run.learner, X, y, w, row.stored.records.get(row.place))
        except RowError as error:
            self._leave_out(row.stored, row.place, error)
        else:
            self._count([row], learned, X)

    def _predict_one(self, stored: StoredBlock, place: int) -> bool:
        """Predict one row; return whether it was left out, because it is refused."""
        X, y, _ = _single(stored, place)
        learner = self.run.learner
        try:
            scores, records = score_with_records(learner, X)
        except RowError as error:
            self._leave_out(stored, place, error)
            return True
        stored.keep_records(place, records)
        stored.predicted(place, predictions_of(learner, scores, y))
        if self._keeps_probabilities:
            stored.keep_shares(place, learner.labels, learner.predict_proba_many(X))
        return False

    def _leave_out(self, stored: StoredBlock, place: int, error: RowError) -> None:
        """Leave out a row of a file; a refused row of any other stream is an error."""
        X, leave_out = stored.block[0], self.run.leave_out()
        if leave_out is None or not isinstance(X, FileRows):
            raise RowError(self.run.learner.kind, place, error.what, joined=error.joined)
        leave_out(X[place : place + 1], 0, error.what)

    # counts ------------------------------------------------------------------------------------
    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """See a learned block, as an observer; nothing is done here."""

    @property
    def _keeps_probabilities(self) -> bool:
        return any(observer.wants_probabilities for observer in self.run.observers)

    def _count(self, rows: list[OpenRow], learned: LearnedBlock, X: Any) -> None:
        """Count learned rows by their predictions, not by the scores at the moment of learning."""
        labels, stored, places = self.run.learner.labels, rows[0].stored, [row.place for row in rows]
        predicted, events = None, learned.events
        if learned.several:
            predicted = label_numbers(labels, (stored.labels[place] for place in places))
            wrong = predicted != learned.classes
            events = (events & ~np.uint8(WRONG)) | np.where(wrong, np.uint8(WRONG), np.uint8(0))
        for row in rows:
            row.stored.records.pop(row.place, None)
        shares = None
        if self._keeps_probabilities:
            shares = share_matrix(labels, [stored.shares.pop(place) for place in places])
        scores = (stored.margins if learned.several else stored.scores)[places]
        self.run.count(
            replace(learned, scores=scores, events=events, predicted=predicted, probabilities=shares), X, 0.0
        )

    # checkpoints -------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The open rows as plain values and arrays; the rows themselves are read again."""
        rows, labels = self.open.everything(), self.run.learner.labels
        pairs = [(row.stored, row.place) for row in rows]
        arrays = {
            "positions": np.array([row[1] for row in rows], np.int64),
            "arrivals": np.array([row[0] for row in rows], np.float64),
            "scores": np.array([stored.scores[place] for stored, place in pairs], np.float64),
            "margins": np.array([stored.margins[place] for stored, place in pairs], np.float64),
            "predicted": label_numbers(labels, (stored.labels[place] for stored, place in pairs)).astype(np.int64),
        }
        if self._keeps_probabilities:
            arrays["shares"] = share_matrix(labels, [stored.shares[place] for stored, place in pairs])
        records = [stored.records.get(place, NO_RECORD) for stored, place in pairs]
        if any(record.size for record in records):
            arrays["records"] = np.concatenate(records)
            arrays["record_sizes"] = np.array([record.size for record in records], np.int64)
        return {"delay": self.delay.plain}, arrays

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over the open rows; they are found again while the stream is read."""
        if meta.get("delay") != self.delay.plain:
            raise ValueError(f"delay {meta.get('delay')!r} instead of {self.delay.plain!r}")
        size = len(arrays["positions"])
        kinds = dict.fromkeys(ARRAYS, np.float64) | {"positions": np.int64, "predicted": np.int64}
        for name, kind in kinds.items():
            if arrays[name].shape != (size,) or arrays[name].dtype != kind or not np.isfinite(arrays[name]).all():
                raise ValueError(f"{name} of shape {arrays[name].shape} and {arrays[name].dtype}")
        records = self._restored_records(arrays, size)
        expected = {*ARRAYS, "shares"} if self._keeps_probabilities else set(ARRAYS)
        if arrays.keys() != expected or len(set(arrays["positions"].tolist())) < size:
            raise ValueError(f"arrays {sorted(arrays)} of open rows")
        if "shares" in expected and (arrays["shares"].ndim != 2 or len(arrays["shares"]) != size):
            raise ValueError(f"shares of shape {arrays['shares'].shape}")
        columns = {name: arrays[name].tolist() for name in expected}
        self._resumed = {
            position: {name: column[k] for name, column in columns.items()} | {"record": records[k]}
            for k, position in enumerate(columns["positions"])
        }

    @staticmethod
    def _restored_records(arrays: dict[str, np.ndarray], size: int) -> list[np.ndarray]:
        """Take the records of the open rows out of the arrays; empty ones if there are none."""
        flat, sizes = arrays.pop("records", NO_RECORD), arrays.pop("record_sizes", np.zeros(size, np.int64))
        if flat.ndim != 1 or flat.dtype != np.float64 or sizes.shape != (size,) or sizes.dtype != np.int64:
            raise ValueError(f"records of shape {flat.shape} and {flat.dtype}")
        if (sizes < 0).any() or (sizes > flat.size).any() or sizes.sum() != flat.size:
            raise ValueError("records that do not fit their sizes")
        return np.split(flat, np.cumsum(sizes)[:-1]) if size else []

    def check_resumed(self, done: int) -> None:
        """Check the restored rows: they are among the first ``done`` rows, and their labels are known."""
        labels = len(self.run.learner.labels)
        if self._resumed is None:
            raise UnfitError("a run without delay", "Resume with the same options as before")
        for position, row in self._resumed.items():
            if not (0 <= position < done and -1 <= row["predicted"] < labels and len(row.get("shares", ())) <= labels):
                raise UnfitError(f"an open row {position} after {done} rows, with {labels} labels")

    def pass_over(self, block: Block, stop: int, passed: int) -> None:
        """Find the open rows among the first ``stop`` rows of a block, which the saved run had read."""
        if not self._resumed:
            return
        found = [place for place in range(stop) if passed + place in self._resumed]
        stored = self.store(block, passed) if found else None
        labels = (*self.run.learner.labels, None)
        for place in found:
            assert stored is not None
            row = self._resumed.pop(passed + place)
            stored.scores[place], stored.margins[place] = row["scores"], row["margins"]
            stored.labels[place] = labels[row["predicted"]]
            if row["record"].size:
                stored.records[place] = row["record"]
            if "shares" in row:
                stored.shares[place] = dict(zip(labels, row["shares"], strict=False))
            self.open.add(row["arrivals"], passed + place, stored)


class _Records:
    """The records of rows to learn, and of the rows that are predicted from ``first`` on in a block."""

    def __init__(self, rows: list[OpenRow], stored: StoredBlock | None, first: int) -> None:
        self._rows, self._stored, self._first = rows, stored, first

    def of(self, k: int) -> Any:
        """The record of row k of the rows to learn; None if there is none."""
        return self._rows[k].stored.records.get(self._rows[k].place)

    def keep(self, at: int, record: Any) -> None:
        """Keep the record of a predicted row."""
        assert self._stored is not None
        self._stored.records[self._first + at] = record


def _single(stored: StoredBlock, place: int) -> Block:
    """One row of a block; the error for a list of one label names its row."""
    X, y, w = part(stored.block, place, place + 1)
    return X, y.tolist() if hasattr(y, "tolist") else y, w
