"""The test-then-train run: every example is scored before it is learned, at engine speed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from driftline.encode.faults import RowError
from driftline.evaluate.blocks import ROWS, Block, blocks, part, total
from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.learner_names import named
from driftline.evaluate.progress import Progress
from driftline.evaluate.result import Run
from driftline.evaluate.runner import Lane, Refuse
from driftline.learners import Learner


def run(
    learner: Learner,
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 2000,
    history: bool = False,
    checkpoint: Checkpoint | None = None,
    certify: bool = False,
    progress: bool | None = None,
) -> Run:
    """Test, then train the learner on every example of the stream.

    ``stream`` is a pair of arrays ``(X, y)``, an iterable of examples ``(x, y)`` or of blocks ``(X, y)`` or
    ``(X, y, w)``, or files (``dl.streams.read``). Examples go to the engine ``rows`` at a time; the curve keeps at most
    ``points`` points. ``history`` also records the largest weights and their norm along the run. With a ``checkpoint``
    the run is saved as it goes and can be resumed; ``run.learner`` is then the learner that has seen it all.
    ``certify`` keeps the examples in memory, so that ``run.certificate()`` can say what is guaranteed about the run.
    ``progress`` shows a line on stderr.

    >>> import driftline as dl
    >>> dl.run(dl.PA1(), [({"a": 1.0}, 1), ({"b": 1.0}, 0), ({"a": 1.0}, 1)]).mistakes
    2
    """
    if not isinstance(learner, Learner):
        raise ValueError(f"run: learner must be a driftline learner, got {learner!r}")
    whole_at_least("run", "rows", rows, 1)
    whole_at_least("run", "points", points, 2)
    if certify and checkpoint is not None:
        raise ValueError("run: certify must be False where a checkpoint is given, got both. Certify a run of its own")
    if certify and learner.rule.several:
        raise ValueError(
            f"run: certify must be False for a learner of several classes, got {learner!r}. "
            "Certify a learner of two labels"
        )
    lane = Lane(learner.kind, learner, points, history, certify)
    done = lane.resume(checkpoint, stream) if checkpoint is not None else 0
    feed([lane], stream, rows, progress, done, checkpoint)
    return lane.finished()


def compare(
    learners: Sequence[Learner] | Mapping[str, Learner],
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 2000,
    history: bool = False,
    beside: Collection[str] = (),
    progress: bool | None = None,
) -> Comparison:
    """Run several learners side by side over one pass of the stream; ``learners`` is a list, or a dict with names.

    Where the stream turns out bad, the error says so; blocks before the bad one have been learned by then. But those
    whose names are in ``beside`` just stop where they refuse an example; the others go on. ``run.stopped`` says why; a
    row that it names counts from the first one that was read together with it.

    >>> import driftline as dl
    >>> stream = [({"a": 1.0}, 1), ({"a": None}, 0), ({"a": 2.0}, 1)]
    >>> found = dl.compare({"all": dl.Tracker(), "some": dl.PA1()}, stream, beside=["some"])
    >>> [run.examples for run in found.runs], found["some"].stopped
    ([3, 1], "PA1: row 1, feature 'a' must be a number, bool or string, got None. Leave missing values out")
    """
    each = named("compare", learners)
    leading = [name for name in each if name not in beside]
    if not leading or len(leading) + len(set(beside)) > len(each):
        raise ValueError(
            f"compare: beside must name some of the learners, and not all, got {list(beside)!r}. "
            f"Choose among {list(each)!r}"
        )
    whole_at_least("compare", "rows", rows, 1)
    whole_at_least("compare", "points", points, 2)
    lanes = [Lane(name, learner, points, history) for name, learner in each.items()]
    leaders, others = ([lane for lane in lanes if (lane.name in leading) == leads] for leads in (True, False))
    feed(leaders, stream, rows, progress, 0, None, others)
    return Comparison([lane.finished() for lane in lanes])


def feed(
    lanes: list[Lane],
    stream: Any,
    rows: int,
    progress: bool | None,
    done: int,
    checkpoint: Checkpoint | None,
    beside: Sequence[Lane] = (),
) -> None:
    """One pass of the stream, from after its first ``done`` examples on, for all learners.

    Those ``beside`` stop, each by itself, at an example that they refuse.
    """
    line = Progress(total(stream), progress)
    refuse, refuse_beside = getattr(stream, "refused", None), getattr(stream, "refused_beside", None)
    passed = 0
    with line.lasting():
        for block in blocks(stream, rows):
            size = len(block[1])
            at = min(size, max(0, done - passed))
            passed += at
            while at < size:
                stop = size if checkpoint is None else min(size, at + checkpoint.next(passed) - passed)
                for lane in lanes:
                    lane.feed(part(block, at, stop), refuse)
                for lane in beside:
                    _accompany(lane, part(block, at, stop), refuse_beside)
                passed += stop - at
                at = stop
                if checkpoint is not None and passed % checkpoint.every == 0:
                    lanes[0].save(checkpoint, stream, passed)
            line.update(passed, getattr(stream, "fraction", None))
        if checkpoint is not None:
            lanes[0].save(checkpoint, stream, passed)


def _accompany(lane: Lane, block: Block, refuse: Refuse | None) -> None:
    """Feed a learner as long as it takes what it gets."""
    if lane.stopped:
        return
    before = lane.ledger.examples
    try:
        lane.feed(block, refuse)
    except ValueError as error:
        lane.stopped = str(error)
        done = lane.ledger.examples - before
        if isinstance(error, RowError) and error.row:
            lane.feed(part(block, done, done + error.row), refuse)


def whole_at_least(where: str, name: str, value: object, least: int) -> None:
    """Require a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{where}: {name} must be a whole number >= {least}, got {value!r}")
