"""Solve tasks in worker processes and yield each answer as soon as it is ready.

Workers are spawned, not forked. They ignore Ctrl-C, because the parent process handles it and
terminates them. They exit when the parent process is killed. Linear algebra runs on one thread in
each worker, so that answers do not depend on the number of workers. Code compiled by driftline
starts no threads.
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
from driftline.reproduce.data_origins import RecordingSources
from driftline.reproduce.experiment import Setting, Task
from driftline.reproduce.folder import SolvedTask
from driftline.reproduce.sources import import_optional


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_tasks(module: str, tasks: Sequence[Task], setting: Setting, jobs: int) -> Generator[tuple[Task, SolvedTask]]:
    """Solve tasks of the experiment in this module, and yield each one with its answer.

    With ``jobs=1`` the tasks are solved in this process. Closing the generator early terminates
    the workers.
    """
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            with _errors_name_task(task):
                solved = solve_task(module, dict(task.what), setting)
            yield task, solved
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"), initializer=_init_worker)
    try:
        with _ignoring_interrupts():
            waiting = {pool.submit(solve_task, module, dict(task.what), setting): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], _result_of(future, waiting[future])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    pool.shutdown()


def solve_task(module: str, what: Mapping[str, Any], setting: Setting) -> SolvedTask:
    """Solve one task, with one thread for linear algebra."""
    sources = RecordingSources.over(setting.sources)
    with import_optional("threadpoolctl").threadpool_limits(1):
        answer = import_module(module).EXPERIMENT.solve(what, replace(setting, sources=sources))
    return SolvedTask(answer, sources.used())


class TaskProgress(Progress):
    """A progress line: solved tasks, a bar, and the remaining time at the pace of this run.

    ``kept`` is the number of tasks that an earlier run solved.
    """

    def __init__(self, total: int, kept: int, show: bool | None, what: str) -> None:
        super().__init__(total, show, what)
        self.kept = kept
        if self.show:
            self._write(self._line(kept, 0.0, kept / total))

    def _line(self, done: int, seconds: float, part: float | None) -> str:
        line = f"{self.what}{done} of {self.total} tasks {bar(part or 0.0)}"
        now = done - self.kept
        return f"{line}, {seconds * ((self.total or 0) - done) / now:.0f} s left" if now else line


def _result_of(future: Future[SolvedTask], task: Task) -> SolvedTask:
    with _errors_name_task(task):
        return future.result()


@contextmanager
def _errors_name_task(task: Task) -> Iterator[None]:
    """Turn any error of the task into a one-line ValueError that names the task."""
    try:
        yield
    except BrokenProcessPool as error:
        raise ValueError(
            f"reproduce: task {task.key} must finish, got a killed worker process, perhaps out of memory. "
            "Run it again with --jobs 1; finished tasks are kept"
        ) from error
    except (ValueError, ImportError, OSError) as error:
        raise ValueError(f"{error} (in task {task.key})") from error
    except Exception as error:
        raise ValueError(
            f"reproduce: task {task.key} must finish without an error, got {type(error).__name__}: {error}"
        ) from error


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers start, so that they inherit this from their first moment on."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _init_worker() -> None:
    """Initialise a worker: ignore Ctrl-C, and exit when the parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    Thread(target=follow, daemon=True).start()
