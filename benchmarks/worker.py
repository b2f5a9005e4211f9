"""A worker process: it loads the data, warms up, then runs the task named by each line of its
input.

    python worker.py DATA_FOLDER MODULE...

It answers with lines of JSON: first the list of its tasks, then the seconds of each task. It ends
when its input is closed.
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
                with suppress(Exception):  # a failing task reports its error when it is run
                    measure(task)
            tasks.update({f"{task.heat}: {task.name}": task for task in contestant.tasks(arrays)})
            versions.update(contestant.versions())
        except AbsentError as why:
            absent[module] = str(why)
        except Exception as error:  # an error of one contestant must not stop the others
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
    """Prepare `task` and time its run without garbage collection. Return (seconds, |w|^2)."""
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
    """Reserve standard output for the answers. Output of libraries goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
