"""A progress line on stderr; without a terminal it is not shown."""

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
COMPILING = "compiling (once on this machine; may take a minute)"


class Progress:
    """A line on stderr, rewritten in place: examples done, rate, a bar and the time left.

    Parameters
    ----------
    total
        The number of examples, or None if it is not known.
    show
        Whether the line is shown; None shows it if stderr is a terminal.
    what
        A text at the start of the line.
    unit
        What is counted.
    """

    def __init__(self, total: int | None, show: bool | None = None, what: str = "", *, unit: str = "examples") -> None:
        self.total = total
        self.what = what
        self.unit = unit
        self.show = sys.stderr.isatty() if show is None else show
        self.start = self.shown = perf_counter()
        self.width = 0

    def update(self, done: int, fraction: float | None = None) -> None:
        """Show the progress, at most a few times a second.

        Parameters
        ----------
        done
            The number of examples so far.
        fraction
            The share of the stream that is done; it is used if the total is not known.
        """
        now = perf_counter()
        if not self.show or now - self.shown < EVERY:
            return
        self.shown = now
        self._write(self._line(done, now - self.start, done / self.total if self.total else fraction))

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """A context that reports when code is being compiled, and clears the line at the end."""
        try:
            with compiling(self._compiling) if self.show else nullcontext():
                yield
        finally:
            self.close()

    def _compiling(self) -> None:
        if not self.width:
            self._write(COMPILING)

    def close(self) -> None:
        """Clear the line."""
        if self.width:
            self._write("")
            self.width = 0

    def _line(self, done: int, seconds: float, part: float | None) -> str:
        """The text after ``seconds`` seconds, when ``part`` of the whole is done."""
        line = f"{self.what}{done:,} {self.unit}, {done / seconds:,.0f}/s"
        if part:
            part = min(1.0, part)
            line += f" {bar(part)}, {seconds * (1.0 / part - 1.0):.0f} s left"
        return line

    def _write(self, line: str) -> None:
        room = columns() - 1  # a full line may wrap, and a wrapped line cannot be rewritten
        sys.stderr.write("\r" + line.ljust(self.width)[:room] + ("\r" if not line else ""))
        sys.stderr.flush()
        self.width = len(line[:room])


def columns() -> int:
    """The width of the terminal of stderr, which may differ from that of stdout."""
    try:
        found = os.get_terminal_size(sys.stderr.fileno()).columns
    except (AttributeError, OSError, ValueError):
        found = 0
    return found or shutil.get_terminal_size().columns


def bar(part: float) -> str:
    """A progress bar with this share filled.

    >>> bar(0.5)
    '[###############...............] 50 %'
    """
    return f"[{'#' * int(BAR * part):.<{BAR}}] {100 * part:.0f} %"
