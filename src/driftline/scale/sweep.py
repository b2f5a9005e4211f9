"""A sweep on Ray: the settings are shared among workers, and the stream is stored once for all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import ray

from driftline.evaluate.blocks import ROWS
from driftline.evaluate.by_task import check_one_task, new_setting, sweep_of
from driftline.evaluate.file_recipe import expect_task, read_by_recipe
from driftline.evaluate.interrupted import Interrupted
from driftline.evaluate.learner_names import named
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.progress import Progress
from driftline.evaluate.run import feed, whole_at_least
from driftline.evaluate.sweep import groups, parameters_of, run_of
from driftline.evaluate.sweep_result import Setting, Sweep
from driftline.internals.record_stream import RecordStream
from driftline.learners import Learner
from driftline.scale.cluster import cluster
from driftline.scale.finished_settings import FinishedSettings
from driftline.scale.stored_stream import Refusal, RefusedRowError, StoredRecords, StoredStream

MOST = 128
"""The most settings of one task, so that settings are finished, and saved, now and then."""
LEAST = 16
"""Banks with fewer settings take more time for each of them."""
TASKS_PER_WORKER = 1
"""Each task of a bank reads the whole stream: more tasks cost more than they balance."""
Found = tuple[Ledger, Learner]


@dataclass
class Answer:
    """What a task returns: its settings by name, or the error that ended it.

    Attributes
    ----------
    found
        Ledger and learner of each setting; empty after an error.
    refused
        The rows of files that a learner refused.
    error, passed
        The error, and the number of examples before its block.
    """

    found: dict[str, Found] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    error: Exception | None = None
    passed: int = 0


def sweep(
    learners: Sequence[Learner] | Mapping[str, Learner],
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 200,
    progress: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Run many settings over a stream on the workers of Ray, and rank them by their mistakes.

    The result is that of ``dl.sweep``, with the same bits. The stream is read once and stored in
    the object store of Ray, so it must fit there. Ctrl-C raises ``dl.Interrupted``, whose
    ``result`` has the settings that were finished; if there are none, KeyboardInterrupt is raised.

    Parameters
    ----------
    learners, stream, rows, points
        As for ``dl.sweep``.
    progress
        Whether a line with the number of finished settings is shown on stderr; None shows it if
        stderr is a terminal.
    folder
        A folder to which finished settings are saved. Settings that were finished there by an
        earlier call on the same stream are not run again. None saves nothing.

    Returns
    -------
    Sweep
        The settings, fewest mistakes first; regressors by mean absolute error.

    >>> import driftline as dl
    >>> import driftline.scale as scale
    >>> stream = dl.streams.RotatingHyperplane(2000, 5, seed=1)
    >>> found = scale.sweep(dl.grid("norma", alpha=[0.1, 1.0], lam=[0.0, 0.01]), stream)
    >>> found.best.name, found.best.mistakes
    ('NORMA(alpha=1.0, lam=0.0, rho=1.0, p=2.0)', 104)
    """
    each = named("sweep", learners)
    check_one_task("sweep", each.values())
    whole_at_least("sweep", "rows", rows, 1)
    whole_at_least("sweep", "points", points, 2)
    finished = None if folder is None else FinishedSettings(folder)
    read_by_recipe(each.values(), stream)
    expect_task(each.values(), stream)
    with cluster() as workers:
        stored = StoredStream.of(stream, rows, finished is not None)
        found: dict[str, Found] = {}
        if finished is not None:
            found = finished.read(each, stored.digest, points)
        left = {name: learner for name, learner in each.items() if name not in found}
        tasks = _tasks(left, workers)
        line = Progress(len(each), progress, unit="settings")
        answers: dict[int, Answer] = {}
        interrupted = False
        with line.lasting():
            running: dict[Any, int] = {}
            try:
                for k, task in enumerate(tasks):
                    running[_run.remote({name: left[name] for name in task}, stored, rows, points)] = k
                while running:
                    ready, _ = ray.wait(list(running), timeout=0.2)
                    for reference in ready:
                        answer: Answer = ray.get(reference)
                        answers[running.pop(reference)] = answer
                        found |= answer.found
                        if finished is not None:
                            finished.write(answer.found, each, stored.digest, points)
                    line.update(len(found))
            except KeyboardInterrupt:
                for reference in running:
                    ray.cancel(reference, force=True)
                interrupted = True
    _pass_on([answers[k] for k in sorted(answers)], stream)
    settings = [_setting(name, each[name], found[name]) for name in each if name in found]
    if interrupted and not settings:
        raise KeyboardInterrupt
    result = sweep_of(settings)
    if interrupted:
        raise Interrupted(result, result.examples)
    return result


def _tasks(each: Mapping[str, Learner], workers: int) -> list[list[str]]:
    """The names of the learners, those of one bank in parts that keep all workers busy."""
    tasks: list[list[str]] = []
    for group in groups(each):
        most = max(-(-len(group) // MOST), min(TASKS_PER_WORKER * workers, len(group) // LEAST), 1)
        parts = -(-most // workers) * workers if most > 1 else 1
        ends = [len(group) * k // parts for k in range(parts + 1)]
        tasks += [group[start:stop] for start, stop in pairwise(ends) if start < stop]
    return tasks


def _run_task(group: Mapping[str, Learner], stored: StoredStream, rows: int, points: int) -> Answer:
    """Run one group of settings; this is called in a worker."""
    stream = stored.opened()
    run, settings = run_of(group, stream, points)
    refused = stream.refused if isinstance(stream, StoredRecords) else []
    try:
        feed([run], stream, rows, False)
        return Answer({one.name: (one.ledger, one.learned()) for one in settings}, refused)
    except RefusedRowError:
        return Answer(refused=refused, passed=run.passed)
    except Exception as error:
        return Answer(refused=refused, error=error, passed=run.passed)


_run = ray.remote(_run_task)


def _pass_on(answers: Sequence[Answer], stream: Any) -> None:
    """Raise the first error, and leave out of the stream of files what a learner refused."""
    if isinstance(stream, RecordStream):
        for rows, what in (refusal for answer in answers for refusal in answer.refused):
            stream.leave_out(rows, 0, what)
    failed = [answer for answer in answers if answer.error is not None]
    if failed:
        error = min(failed, key=lambda answer: answer.passed).error
        assert error is not None
        raise error


def _setting(name: str, learner: Learner, found: Found) -> Setting:
    ledger, learned = found
    return new_setting(name, parameters_of(learner), ledger, lambda: learned)
