"""One process that compiles: it takes tasks that no other process has taken, and prints a line for each.

    python -m wheels.compile_tasks FOLDER [TEXT...]

FOLDER holds a file for each task that was taken. With texts, only tasks with one of them in their
names are done.
"""

from __future__ import annotations

import sys
from pathlib import Path

from driftline.internals.compiled import compiling
from driftline.warm_up.tasks import tasks


def main() -> None:
    taken, texts = Path(sys.argv[1]), sys.argv[2:] or [""]
    compiled: list[None] = []
    chosen = [task for task in tasks() if any(text in task.name for text in texts)]
    with compiling(lambda: compiled.append(None)):
        for at, task in enumerate(chosen):
            try:
                (taken / str(at)).touch(exist_ok=False)
            except FileExistsError:
                continue
            before = len(compiled)
            task.run()
            print(f"{at + 1}/{len(chosen)} {task.name}: {len(compiled) - before} functions compiled", flush=True)


if __name__ == "__main__":
    main()
