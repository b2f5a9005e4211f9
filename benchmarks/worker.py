"""A contestant's process: loads the data, warms up, then runs the task named by each line of its input.

    python worker.py DATA_FOLDER MODULE...

Answers are lines of JSON: first what it can run, then for each task its seconds. It ends with its input.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import data
from contest import AbsentError, Task

WARM_ROWS = 500


def main(folder: str, modules: list[str]) -> None:
    answers = _own_stdout()
    arrays = data.load(Path(folder))
    tasks: dict[str, Task] = {}
    versions: dict[str, str] = {}
    absent: dict[str, str] = {}
    for module in modules:
        try:
            contestant: Any = importlib.import_module(module)
            for task in contestant.tasks(arrays.first(WARM_ROWS)):
                with suppress(Exception):  # a task that fails will say so when it is raced
                    measure(task)
            tasks.update({f"{task.heat}: {task.name}": task for task in contestant.tasks(arrays)})
            versions.update(contestant.versions())
        except AbsentError as why:
            absent[module] = str(why)
        except Exception as error:  # one contestant's trouble must not stop the others
            absent[module] = f"{type(error).__name__}: {error}".splitlines()[0]
    gc.freeze()
    listed = [[key, task.heat, task.name, task.rows] for key, task in tasks.items()]
    _say(answers, {"tasks": listed, "versions": versions, "absent": absent})
    for line in sys.stdin:
        try:
            seconds, w_sq = measure(tasks[line.rstrip("\n")])
            _say(answers, {"seconds": seconds, "w_sq": w_sq})
        except Exception as error:
            _say(answers, {"error": f"{type(error).__name__}: {error}".splitlines()[0]})


def measure(task: Task) -> tuple[float, float | None]:
    """Prepare `task`, time its run with the garbage collector off, and return (seconds, |w|^2)."""
    attempt = task.prepare()
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        attempt.run()
        seconds = time.perf_counter() - start
    finally:
        gc.enable()
    return seconds, attempt.after()


def _own_stdout() -> TextIO:
    """Keep standard output for the answers alone: whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
