"""Run the tasks in worker processes.

Each repeat runs every task, heat by heat, in rotating order.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contest import HEATS, SLOW_HEATS

ROUNDS, BRIEF = 5, 0.15
SLOW_REPEATS = 5

WORKER = Path(__file__).with_name("worker.py")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Worker:
    """A process that runs the tasks of `modules`.

    `ready` waits until it has loaded and warmed up.
    """

    def __init__(self, python: Path, folder: Path, modules: list[str], log: Path) -> None:
        self.modules = modules
        self._log = log.open("w")
        self._process = subprocess.Popen(
            [str(python), str(WORKER), str(folder), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **dict.fromkeys(THREADS, "1")},
        )

    def ready(self) -> dict[str, Any]:
        """Return its tasks, its versions, and the reasons for modules that cannot run."""
        try:
            return self._answer()
        except ChildProcessError as why:
            return {"tasks": [], "versions": {}, "absent": dict.fromkeys(self.modules, str(why))}

    def run(self, key: str) -> dict[str, Any]:
        """Run one task once. Return {"seconds", "w_sq"} or {"error"}."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(key + "\n")
            self._process.stdin.flush()
            return self._answer()
        except (ChildProcessError, BrokenPipeError):
            return {"error": f"its process ended with code {self._process.wait()}"}

    def close(self) -> None:
        """Close its input, which ends the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._log.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"its process ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@dataclass
class Entry:
    """A task and its measurements so far."""

    key: str
    heat: str
    name: str
    rows: int
    worker: Worker
    seconds: list[float] = field(default_factory=list)
    w_sq: float | None = None
    error: str | None = None


def by_heat(entries: list[Entry]) -> list[list[Entry]]:
    """Return the entries grouped by heat, in the order of `HEATS`."""
    return [heat for name in HEATS if (heat := [entry for entry in entries if entry.heat == name])]


def repeat(entries: list[Entry], repeats: int, tell: Callable[[str], None]) -> None:
    """Run every entry in every repeat. The entries of a heat run in turn, with a rotating start.

    A task shorter than `BRIEF` seconds is sensitive to noise, so it runs `ROUNDS` times per
    repeat and the median counts. Slow heats take part in the first `SLOW_REPEATS` repeats only.
    """
    for turn in range(repeats):
        for heat in by_heat(entries):
            if turn >= SLOW_REPEATS and heat[0].heat in SLOW_HEATS:
                continue
            start = turn % len(heat)
            times: dict[str, list[float]] = {entry.key: [] for entry in heat}
            for again in range(ROUNDS):
                for entry in heat[start:] + heat[:start]:
                    if entry.error is None and (again == 0 or times[entry.key][0] < BRIEF):
                        tell(f"repeat {turn + 1} of {repeats}: {entry.key}")
                        _run(entry, times[entry.key])
            for entry in heat:
                if entry.error is None:
                    entry.seconds.append(statistics.median(times[entry.key]))


def _run(entry: Entry, times: list[float]) -> None:
    """Run one task once, and record its seconds or its error."""
    answer = entry.worker.run(entry.key)
    if "error" in answer:
        entry.error = str(answer["error"])
    else:
        times.append(answer["seconds"])
        entry.w_sq = answer["w_sq"]
