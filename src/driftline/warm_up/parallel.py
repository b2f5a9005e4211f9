"""Run the tasks in several processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from driftline.internals.compiled import compiling
from driftline.warm_up.tasks import Task, tasks


def chosen(learners: Collection[str]) -> list[Task]:
    """The tasks of these learners, named as in ``dl.REGISTRY``; all tasks if there are none."""
    return [task for task in tasks() if not learners or task.learner in learners]


def warm(learners: Collection[str], processes: int, tell: Callable[[int, int, str], None]) -> tuple[int, int]:
    """Run the tasks. Return the number of tasks and of functions that were compiled.

    Code that is already on disk is loaded, so that a second call continues an interrupted one.

    Parameters
    ----------
    learners
        Names in ``dl.REGISTRY``; empty runs the tasks of all learners, files and detectors.
    processes
        The number of processes.
    tell
        Called after each task with the number done, the number of all, and its name.
    """
    names = [task.name for task in chosen(learners)]
    functions = 0
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _ignore_interrupts)
    try:
        running = {pool.submit(_run, tuple(learners), at): name for at, name in enumerate(names)}
        for done, future in enumerate(as_completed(running), 1):
            functions += future.result()
            tell(done, len(names), running[future])
    finally:
        pool.shutdown(cancel_futures=True)
    return len(names), functions


def _ignore_interrupts() -> None:
    """Let the parent process alone react to Ctrl-C: a worker finishes its task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(learners: tuple[str, ...], at: int) -> int:
    """Run one task; return the number of functions that it compiled."""
    compiled: list[None] = []
    with compiling(lambda: compiled.append(None)):
        chosen(learners)[at].run()
    return len(compiled)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
