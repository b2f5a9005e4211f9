"""Test, then train the learners of a ``Keyed`` on a stream."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driftline.encode.faults import RowError
from driftline.evaluate.blocks import Block, blocks, labelled, part, total
from driftline.evaluate.progress import Progress
from driftline.internals.record_stream import RecordStream
from driftline.internals.require import whole
from driftline.internals.rows import FileRows
from driftline.saved import ModelError
from driftline.saved.fault import Place
from driftline.saved.plain import parsed, written
from driftline.streams.schema.recipe import CLASSIFICATION, REGRESSION

if TYPE_CHECKING:
    from driftline.keyed.in_use import KeyCounts
    from driftline.keyed.keyed import Keyed
    from driftline.keyed.keys import Key

WHERE = "Keyed.run"


@dataclass(frozen=True)
class KeyedRun:
    """The result of a run of a ``Keyed``; a resumed run counts from its start.

    Attributes
    ----------
    keyed
        The learners.
    examples, errors
        The number of examples, and of those with a wrong predicted label.
    loss
        The sum of the absolute errors of a regressor.
    unlabelled
        The number of examples without a label, which were not learned.
    """

    keyed: Keyed
    examples: int
    errors: int
    loss: float
    unlabelled: int

    @property
    def keys(self) -> int:
        """The number of keys."""
        return len(self.keyed)

    @property
    def error(self) -> float:
        """The share of examples with a wrong predicted label; NaN without examples."""
        return self.errors / self.examples if self.examples else math.nan

    @property
    def mae(self) -> float:
        """The mean absolute error of a regressor; NaN without examples."""
        return self.loss / self.examples if self.examples else math.nan

    def worst(self, k: int = 10) -> list[tuple[Key, KeyCounts]]:
        """The keys with the most errors; for regressors with the largest sum of absolute errors.

        Parameters
        ----------
        k
            The number of keys.
        """
        return self.keyed.worst(k)


def run_keyed(
    keyed: Keyed, stream: Any, keys: Any, checkpoint: Place | None, every: int, rows: int, progress: bool | None
) -> KeyedRun:
    """``Keyed.run``."""
    whole(WHERE, "every", every, 1)
    whole(WHERE, "rows", rows, 1)
    if isinstance(stream, RecordStream):
        prepare(keyed, stream)
    resumed = keyed.next or 0 if checkpoint is not None else 0
    if resumed:
        _check_same(keyed, stream, checkpoint)
    line, passed, saved, unlabelled = Progress(total(stream), progress), 0, resumed, 0
    with line.lasting():
        for block in blocks(stream, rows):
            size = len(block[1])
            at = min(size, max(0, resumed - passed))
            if at < size:
                given = None if keys is None else keys[passed + at : passed + size]
                unlabelled += _learn(keyed, stream, part(block, at, size), given)
            passed += size
            if checkpoint is not None and passed - saved >= every:
                keyed._checkpoint(checkpoint, passed, _about(stream))
                saved = passed
            line.update(passed, stream.fraction if isinstance(stream, RecordStream) else None)
    if passed < resumed:
        raise ModelError(
            f"{checkpoint}: the stream must have the {resumed:,} examples that the run has consumed, got only "
            f"{passed:,}. Restore it, or start a new run with another file"
        )
    if isinstance(stream, RecordStream):
        keyed.recipe = stream.recipe
    if checkpoint is not None:
        keyed._checkpoint(checkpoint, passed, _about(stream))
    rounds, errors, loss = keyed.totals
    return KeyedRun(keyed, rounds, errors, loss, unlabelled)


def prepare(keyed: Keyed, stream: RecordStream) -> None:
    """Let a stream of files pass on the column of the key, and follow the task."""
    if keyed.recipe is not None:
        stream.use(keyed.recipe)
    template = keyed.template
    stream.expect(REGRESSION if template.rule.regresses else CLASSIFICATION, template.kind)
    if keyed.key is None:
        raise ValueError(f"{WHERE}: a Keyed must have a key= to learn from files, got none. Name the column")
    if str(keyed.key) not in stream.kept:
        stream.keep(str(keyed.key))


def _learn(keyed: Keyed, stream: Any, block: Block, keys: Any) -> int:
    """Learn a block; return the number of rows without a label.

    If a row is refused, the rows before it are learned first. The stream then leaves it out, or
    raises an error.
    """
    block, without = labelled(block)
    if without and keys is not None:
        raise ValueError(f"{WHERE}: every row must have a label with keys=, got {without} without. Drop these rows")
    at, size = 0, len(block[1])
    most = size
    while at < size:
        stop = min(size, at + most)
        X, y, w = part(block, at, stop)
        try:
            keyed.learn_many(X, y, w, keys=None if keys is None else keys[at:stop])
        except RowError as error:
            if not isinstance(stream, RecordStream) or not isinstance(X, FileRows):
                raise
            if error.row:
                most = error.row
                continue
            stream.leave_out(X, 0, error.what)
            stop = at + 1
        most *= 2
        at = stop
    return without


def _about(stream: Any) -> bytes:
    """What a checkpoint says of the stream."""
    if not isinstance(stream, RecordStream):
        return b""
    return written({"identity": stream.identity, "refusals": stream.refusals()}).encode("ascii")


def _check_same(keyed: Keyed, stream: Any, checkpoint: Place | None) -> None:
    """Raise ModelError if the checkpoint is of another stream."""
    known = isinstance(stream, RecordStream)
    if known != bool(keyed._extra):
        raise ModelError(f"{checkpoint}: the stream must be that of the checkpoint, got another kind. Start a new run")
    if isinstance(stream, RecordStream):
        saved = parsed(keyed._extra.decode("ascii"))
        if saved["identity"] != stream.identity_like(saved["identity"]):
            raise ModelError(
                f"{checkpoint}: the files and options must be those of the checkpoint, got others. "
                "Resume with the same files, or start a new run with another file"
            )
        stream.resume_refusals(saved["refusals"])
