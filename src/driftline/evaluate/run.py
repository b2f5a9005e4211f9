"""Prequential (test-then-train) runs: every example is scored before it is learned."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from driftline.evaluate.alarm_observer import AlarmObserver, OnAlarm
from driftline.evaluate.alarms import Alarms, alarms_of
from driftline.evaluate.arrivals import delay_of
from driftline.evaluate.blocks import ROWS, blocks, labelled, total
from driftline.evaluate.by_task import check_one_task, comparison_of, observer_of
from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.decision import Decision
from driftline.evaluate.file_recipe import expect_task, keep_recipe, read_by_recipe
from driftline.evaluate.interrupted import Interrupted
from driftline.evaluate.learner_names import named
from driftline.evaluate.learner_run import BaselineRun, LearnerRun
from driftline.evaluate.metrics.settings import keep_slice
from driftline.evaluate.observer import Observer
from driftline.evaluate.progress import Progress
from driftline.evaluate.regression.alarm_observer import RegressionAlarmObserver
from driftline.evaluate.result import Run
from driftline.evaluate.time_line import TimeLine
from driftline.internals.interrupt_gate import InterruptGate
from driftline.internals.record_stream import RecordStream
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
    delay: int | str = 0,
    decision: Decision | None = None,
    slice: str | int | None = None,  # noqa: A002
    probabilities: bool | None = None,
    window: int = 1000,
    alarms: bool | Alarms = False,
    on_alarm: OnAlarm | None = None,
    progress: bool | None = None,
) -> Run:
    """Test, then train the learner on every example of the stream.

    An error names the example that caused it. The blocks before that example have been learned;
    its block has not. Of a file, all rows before the example have been learned. Ctrl-C raises
    ``dl.Interrupted`` with the ``result`` so far.

    Parameters
    ----------
    learner
        The learner. It is trained in place, unless a checkpoint is resumed. In either case
        ``run.learner`` has seen all examples.
    stream
        A pair of arrays ``(X, y)``; an iterable of examples ``(x, y)``; an iterable of blocks
        ``(X, y)`` or ``(X, y, w)`` with sample weights w; or files (``dl.streams.read``). Examples
        with the label None are not learned; ``run.unlabelled`` is their number.
    rows
        The number of examples per block, for arrays and single examples. The result does not
        depend on it.
    points
        The most points of the curve.
    history
        Whether the largest weights, and the norm of all weights, are recorded along the run.
    checkpoint
        Where and how often the run is saved, and whether a saved run is resumed.
    certify
        Whether the examples are kept in memory for ``run.certificate()``.
    delay
        How late the labels come. With n, row t is predicted at its turn and learned just before
        row t + n + 1 is predicted; rows without a label do not count. With the name of a column,
        a row is learned when the time in that column has come: before the first row whose time is
        not earlier. The stream then is ``dl.streams.read(..., time=TIME, keep=[TIME, column],
        drop=[column])``. At the end of the stream, the rows with open labels are learned in order.
        All counts are about the predictions that were made at their turn.
    decision
        A rule that decides each example by its probabilities before it is learned, and then learns
        its label. ``run.decision`` says what the decisions have achieved and cost. Not for
        regressors.
    slice
        A column by whose values ``run.metrics.slices`` are measured: the name of a column or key,
        or the number of a column of an array. Values are taken as they are, numbers as text; at
        most 50 are told apart. A column of times is refused.
    probabilities
        Whether the metrics of probabilities are measured: log loss, Brier score, calibration, and
        AUC with several labels. None measures them for a ``Tracker``.
    window
        The number of examples in ``run.metrics.window``.
    alarms
        Whether drift detectors watch the error, the inputs and the shares of the labels; or
        ``dl.Alarms(...)`` to choose them. ``run.alarms`` lists what they found. For a regressor
        they watch the absolute errors, the inputs and the targets.
    on_alarm
        A function that is called with each ``Alarm``, once the block of its example has been
        learned. Its errors end the run. A resumed run does not repeat the calls for alarms that the
        checkpoint contains. If it is given, ``alarms`` is on.
    progress
        Whether a progress line is shown on stderr; None shows it if stderr is a terminal.

    Returns
    -------
    Run
        The learner, its counts and its curve. Of a regressor, its errors: ``run.mae``,
        ``run.rmse``, ``run.r2``, and ``run.metrics`` is a ``dl.RegressionMetrics``.

    >>> import driftline as dl
    >>> dl.run(dl.PA1(), [({"a": 1.0}, 1), ({"b": 1.0}, 0), ({"a": 1.0}, 1)]).mistakes
    2
    """
    if not isinstance(learner, Learner):
        remedy = ". Call its method run" if type(learner).__name__ == "Keyed" else ". Pass dl.PA1()"
        raise ValueError(f"run: learner must be a driftline learner, got {learner!r}{remedy}")
    whole_at_least("run", "rows", rows, 1)
    whole_at_least("run", "points", points, 2)
    if decision is not None and not isinstance(decision, Decision):
        raise ValueError(f"run: decision must be a driftline.Decision, got {decision!r}. Leave it out")
    if learner.rule.regresses:
        _check_regression(learner, decision, certify)
    if certify and checkpoint is not None:
        raise ValueError("run: certify must be False with a checkpoint, got both. Certify a separate run")
    if certify and learner.rule.several:
        raise ValueError(
            f"run: certify must be False for a learner of several classes, got {learner!r}. "
            "Certify a learner of two labels"
        )
    late = delay_of("run", delay, stream, [learner])
    if certify and late is not None:
        raise ValueError(
            f"run: delay must be 0 with certify=True, got {delay!r}. The theorems are about labels that come at once"
        )
    keep_slice(stream, slice)
    if on_alarm is not None and not callable(on_alarm):
        raise ValueError(f"run: on_alarm must be a function of an alarm, got {on_alarm!r}")
    settings = alarms_of("run", alarms or on_alarm is not None)
    only = LearnerRun(
        learner.kind,
        learner,
        stream,
        points,
        history=history,
        certify=certify,
        checkpoint=checkpoint,
        delay=late,
        observers=[
            observer_of("run", learner, slice, probabilities, window),
            *([] if decision is None else [decision]),
            *_observers(learner, points, settings, on_alarm),
        ],
    )
    interrupted = feed([only], stream, rows, progress)
    result = only.finish(complete=not interrupted)
    result.decision = decision
    if interrupted:
        raise Interrupted(result, result.examples)
    return result


def compare(
    learners: Sequence[Learner] | Mapping[str, Learner],
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 2000,
    history: bool = False,
    beside: Collection[str] = (),
    delay: int | str = 0,
    slice: str | int | None = None,  # noqa: A002
    probabilities: bool | None = None,
    window: int = 1000,
    alarms: bool | Alarms = False,
    progress: bool | None = None,
) -> Comparison:
    """Run several learners over one pass of the stream.

    An error names the example that caused it. The blocks before that example have been learned.
    Ctrl-C raises ``dl.Interrupted`` with the ``result`` so far.

    Parameters
    ----------
    learners
        A list of learners, or a dict of learners by name.
    stream, rows, points, history, delay, slice, probabilities, window, alarms, progress
        As for ``run``. Each run has its own alarms.
    beside
        The names of baselines. A baseline stops at the first example that it refuses, while the
        other learners continue. ``run.stopped`` then gives the reason. A row in that message is
        counted from the first row that was read with it.

    Returns
    -------
    Comparison
        The runs in the order of the learners.

    >>> import math
    >>> import driftline as dl
    >>> stream = [({"a": 1.0}, 1), ({"a": math.inf}, 0), ({"a": 2.0}, 1)]
    >>> found = dl.compare({"all": dl.Tracker(), "some": dl.PA1()}, stream, beside=["some"])
    >>> [run.examples for run in found.runs], found["some"].stopped
    ([3, 1], "PA1: row 1, feature 'a' must be finite, got inf. Clip it, or pass None in a dict if it is missing")
    """
    each = named("compare", learners)
    check_one_task("compare", each.values())
    main = [name for name in each if name not in beside]
    if not main or len(main) + len(set(beside)) > len(each):
        raise ValueError(
            f"compare: beside must name some of the learners, but not all, got {list(beside)!r}. "
            f"Choose among {list(each)!r}"
        )
    whole_at_least("compare", "rows", rows, 1)
    whole_at_least("compare", "points", points, 2)
    late, settings = delay_of("compare", delay, stream, each.values()), alarms_of("compare", alarms)
    keep_slice(stream, slice)
    runs = {
        name: (LearnerRun if name in main else BaselineRun)(
            name,
            learner,
            stream,
            points,
            history=history,
            delay=late,
            observers=[
                observer_of("compare", learner, slice, probabilities, window),
                *_observers(learner, points, settings),
            ],
        )
        for name, learner in each.items()
    }
    baselines = [name for name in each if name in beside]
    interrupted = feed([runs[name] for name in (*main, *baselines)], stream, rows, progress)
    result = comparison_of([one.finish(complete=not interrupted) for one in runs.values()])
    if interrupted:
        raise Interrupted(result, max(one.examples for one in result.runs))
    return result


def _check_regression(learner: Learner, decision: Decision | None, certify: bool) -> None:
    """Raise ValueError for what a regressor does not have: decisions and mistake bounds."""
    if decision is not None:
        raise ValueError(
            f"run: decision must be None for a regressor, got one with {learner.kind}. Decide by the predictions, or "
            "run a classifier"
        )
    if certify:
        raise ValueError(
            f"run: certify must be False for a regressor, got True with {learner.kind}. The certificates bound mistakes"
        )


def feed(runs: Sequence[LearnerRun], stream: Any, rows: int, progress: bool | None) -> bool:
    """Feed one pass of the stream to all runs; return whether Ctrl-C ended it early.

    After Ctrl-C all runs have learned the same whole blocks. Baselines must come last: they leave
    out the rows that the others have left out.
    """
    read_by_recipe([one.given for one in runs], stream)
    expect_task([one.learner for one in runs], stream)
    line, gate = Progress(total(stream), progress), InterruptGate()
    try:
        with line.lasting(), gate:
            for block in blocks(stream, rows):
                block, without = labelled(block)
                with gate.held:
                    for one in runs:
                        one.unlabelled += without
                        one.feed(block)
                line.update(runs[0].passed, stream.fraction if isinstance(stream, RecordStream) else None)
    except KeyboardInterrupt:
        if gate.torn:
            raise
        return True
    finally:
        for one in runs:
            keep_recipe(one.learner, stream)
    return False


def _observers(learner: Learner, points: int, alarms: Alarms | None, on_alarm: OnAlarm | None = None) -> list[Observer]:
    """New observers of a run; alarms come last, so that a callback finds the others up to date."""
    watcher = RegressionAlarmObserver if learner.rule.regresses else AlarmObserver
    watching = [] if alarms is None else [watcher(alarms, learner.n_seen, on_alarm)]
    return [TimeLine(learner.n_seen, points), *watching]


def whole_at_least(where: str, name: str, value: object, least: int) -> None:
    """Raise ValueError unless the value is a whole number >= ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{where}: {name} must be a whole number >= {least}, got {value!r}")
