"""What two processes can do on this machine at the moment, as a limit for a sweep on two workers."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

Work = Callable[[int], Any]


class TwoProcesses:
    """Two plain processes that were forked when all data was in memory, and share nothing else.

    Start them before Ray, whose threads do not survive a fork.

    Parameters
    ----------
    work
        Called in each process with its number, 0 or 1, as often as ``run`` is called.
    """

    def __init__(self, work: Work) -> None:
        fork = multiprocessing.get_context("fork")
        self._ends = []
        for number in (0, 1):
            own, other = fork.Pipe()
            fork.Process(target=_serve, args=(work, number, other), daemon=True).start()
            self._ends.append(own)

    def run(self) -> list[Any]:
        """Let both work, and return their results."""
        for end in self._ends:
            end.send(True)
        return [end.recv() for end in self._ends]

    def close(self) -> None:
        """End both."""
        for end in self._ends:
            end.send(False)
            end.close()


def _serve(work: Work, number: int, end: Any) -> None:
    with suppress(EOFError):
        while end.recv():
            end.send(work(number))


def processor_seconds() -> dict[int, float]:
    """The processor time of this process and its descendants, by their numbers."""
    found: dict[int, tuple[int, float]] = {}
    tick = os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text().rpartition(")")[2].split()
            found[int(path.parent.name)] = (
                int(fields[1]),
                (int(fields[11]) + int(fields[12])) / tick,
            )
    family = {os.getpid()}
    while more := {number for number, (parent, _) in found.items() if parent in family} - family:
        family |= more
    return {number: found[number][1] for number in family}


def processor_seconds_since(before: dict[int, float]) -> tuple[float, float]:
    """The processor time of this process since then, and that of its busiest descendant.

    Parameters
    ----------
    before
        What ``processor_seconds`` returned then.
    """
    used = {number: seconds - before.get(number, 0.0) for number, seconds in processor_seconds().items()}
    return used.pop(os.getpid()), max(used.values(), default=0.0)
