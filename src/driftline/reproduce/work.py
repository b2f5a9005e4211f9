"""Pieces of work in processes of their own: as many at a time as there are cores, in whatever order they end.

Workers are new processes, not copies of this one. They leave an interruption to this process, which ends them, and
end by themselves when it is killed. Linear algebra gets one thread in each, so that answers do not depend on how many
there are; nothing that driftline compiles starts threads.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from multiprocessing import active_children, get_context, parent_process
from threading import Thread, current_thread, main_thread
from typing import Any

from driftline.evaluate.progress import Progress, bar
from driftline.reproduce.experiment import Setting, Task
from driftline.reproduce.folder import Solved
from driftline.reproduce.sources import imported
from driftline.reproduce.used import Watched


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def work(module: str, tasks: Sequence[Task], setting: Setting, jobs: int) -> Generator[tuple[Task, Solved]]:
    """Do the tasks of the experiment in this module, and yield each when it is done; one job is done right here.

    To close it before its end ends the workers.
    """
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            with _blamed(task):
                solved = solve(module, dict(task.what), setting)
            yield task, solved
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"), initializer=_begin)
    try:
        with _uninterrupted():
            waiting = {pool.submit(solve, module, dict(task.what), setting): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], _answered(future, waiting[future])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    pool.shutdown()


def solve(module: str, what: Mapping[str, Any], setting: Setting) -> Solved:
    """One piece of work, with one thread for linear algebra."""
    sources = Watched.over(setting.sources)
    with imported("threadpoolctl").threadpool_limits(1):
        answer = import_module(module).EXPERIMENT.solve(what, replace(setting, sources=sources))
    return Solved(answer, sources.used())


class TaskProgress(Progress):
    """Tasks done of all, a bar, and the time that is left at the pace of this run; ``kept`` were done before it."""

    def __init__(self, total: int, kept: int, show: bool | None, what: str) -> None:
        super().__init__(total, show, what)
        self.kept = kept
        if self.show:
            self._write(self._line(kept, 0.0, kept / total))

    def _line(self, done: int, seconds: float, part: float | None) -> str:
        line = f"{self.what}{done} of {self.total} tasks {bar(part or 0.0)}"
        now = done - self.kept
        return f"{line}, {seconds * ((self.total or 0) - done) / now:.0f} s left" if now else line


def _answered(future: Future[Solved], task: Task) -> Solved:
    with _blamed(task):
        return future.result()


@contextmanager
def _blamed(task: Task) -> Iterator[None]:
    """Any error of the task as one line that names it; the error itself is its cause."""
    try:
        yield
    except BrokenProcessPool as error:
        raise ValueError(
            f"reproduce: task {task.key} must end, got a worker that was killed, maybe for want of memory. "
            "Run it again with --jobs 1: what is done is kept"
        ) from error
    except (ValueError, ImportError, OSError) as error:
        raise ValueError(f"{error} (in task {task.key})") from error
    except Exception as error:
        raise ValueError(
            f"reproduce: task {task.key} must end without an error, got {type(error).__name__}: {error}"
        ) from error


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes started here know nothing of Ctrl-C from their first moment on."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin() -> None:
    """A worker's first deed: leave interruptions to the process that started it, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    Thread(target=follow, daemon=True).start()
