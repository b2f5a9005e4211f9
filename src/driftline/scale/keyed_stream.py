"""Test, then train keyed learners on Ray on a stream, such as the rows of files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftline.evaluate.blocks import blocks, labelled, total
from driftline.evaluate.keyed_run import KeyedRun, prepare
from driftline.evaluate.progress import Progress
from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows
from driftline.keyed.in_use import KeyCounts
from driftline.keyed.rows import keys_and_rows
from driftline.saved import ModelError
from driftline.saved.atomic_write import replace as replace_file
from driftline.saved.plain import parsed, written

if TYPE_CHECKING:
    from driftline.keyed import Keyed as KeyedInOneProcess
    from driftline.scale.keyed import Keyed

STREAM = "stream.json"
"""The file that says of which stream the checkpoints are."""


def run_stream(keyed: Keyed, stream: Any, rows: int, progress: bool | None) -> KeyedRun:
    """``scale.Keyed.run``."""
    if isinstance(stream, RecordStream):
        prepare(keyed._template, stream)
        _check_same(keyed.folder / STREAM, stream, resumed=any(sender.position.next for sender in keyed._senders))
    line, passed, unlabelled = Progress(total(stream), progress), 0, 0
    with line.lasting():
        for block in blocks(stream, rows):
            passed += len(block[1])
            (X, y, w), without = labelled(block)
            unlabelled += without
            found = None
            if isinstance(X, FileRows):
                found, X = keys_and_rows(X, keyed.key, None)
                X = replace(X, kept=None)
            keyed.learn_many(X, y, w, keys=found)
            line.update(passed, stream.fraction if isinstance(stream, RecordStream) else None)
        keyed.checkpoint()
    for sender in keyed._senders:
        if sender.position.next > sender.rows:
            raise ModelError(
                f"{keyed.folder}: the stream must have the rows of the checkpoints, got only {passed:,} rows. "
                "Restore it, or choose another folder"
            )
    alone = keyed.collect()
    if isinstance(stream, RecordStream):
        alone.recipe = stream.recipe
    return KeyedRun(alone, *alone.totals, unlabelled)


def summed(keyed: KeyedInOneProcess) -> KeyCounts:
    """The examples and errors of all keys."""
    each = [keyed.counts(key) for key in keyed]
    return KeyCounts(
        sum(one.rows for one in each), sum(one.errors for one in each), math.fsum(one.loss for one in each)
    )


def _check_same(path: Path, stream: RecordStream, resumed: bool) -> None:
    """Write the identity of the files; raise ModelError if the checkpoints are of other files."""
    if not path.exists() and not resumed:
        replace_file(path, [written({"identity": stream.identity}).encode("ascii")])
        return
    try:
        saved = parsed(path.read_text("ascii"))["identity"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelError(
            f"{path}: must say of which files the checkpoints are, got none. Choose another folder"
        ) from None
    if saved != stream.identity_like(saved):
        raise ModelError(
            f"{path.parent}: the files and options must be those of the checkpoints, got others. Resume with the same "
            "files, or choose another folder"
        )
