"""A progress line on a terminal, nothing in a pipe."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from time import perf_counter

from driftline.internals.compiled import compiling

EVERY = 0.2
BAR = 30
COMPILING = "compiling, once on this machine, which may take a minute"


class Progress:
    """Examples done, rate, a bar and time left, rewritten in place on stderr; ``show=None``: on a terminal only."""

    def __init__(self, total: int | None, show: bool | None = None, what: str = "") -> None:
        self.total = total
        self.what = what
        self.show = sys.stderr.isatty() if show is None else show
        self.start = self.shown = perf_counter()
        self.width = 0

    def update(self, done: int, fraction: float | None = None) -> None:
        """Say how far it is, at most a few times a second; ``fraction`` is told by a stream of unknown length."""
        now = perf_counter()
        if not self.show or now - self.shown < EVERY:
            return
        self.shown = now
        self._write(self._line(done, now - self.start, done / self.total if self.total else fraction))

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Say meanwhile if something has to be compiled first; wipe the line in the end."""
        try:
            with compiling(self._compiling) if self.show else nullcontext():
                yield
        finally:
            self.close()

    def _compiling(self) -> None:
        if not self.width:
            self._write(COMPILING)

    def close(self) -> None:
        """Wipe the line."""
        if self.width:
            self._write("")
            self.width = 0

    def _line(self, done: int, seconds: float, part: float | None) -> str:
        """What is said after so many seconds, where this part of the whole is done."""
        line = f"{self.what}{done:,} examples, {done / seconds:,.0f}/s"
        if part:
            part = min(1.0, part)
            line += f" {bar(part)}, {seconds * (1.0 / part - 1.0):.0f} s left"
        return line

    def _write(self, line: str) -> None:
        room = columns() - 1  # a line that reaches the last column may wrap, and what has wrapped cannot be rewritten
        sys.stderr.write("\r" + line.ljust(self.width)[:room] + ("\r" if not line else ""))
        sys.stderr.flush()
        self.width = len(line[:room])


def columns() -> int:
    """How wide the terminal is that errors go to, which output need not go to."""
    try:
        found = os.get_terminal_size(sys.stderr.fileno()).columns
    except (AttributeError, OSError, ValueError):
        found = 0
    return found or shutil.get_terminal_size().columns


def bar(part: float) -> str:
    """A bar that is full by this part.

    >>> bar(0.5)
    '[###############...............] 50 %'
    """
    return f"[{'#' * int(BAR * part):.<{BAR}}] {100 * part:.0f} %"
