"""The time of a piece of work, without the compilation that a first call needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from time import perf_counter
from types import TracebackType
from typing import Self

from numba.core.event import Event, Listener, install_listener


class Stopwatch(Listener):  # type: ignore[misc]
    """A context that measures its ``seconds``, without those in which its thread compiles.

    The first call of a function on a machine compiles it, which takes seconds. Counted, it would
    make the learner that happens to run first look thousands of times slower than the next one.

    Parameters
    ----------
    clock : callable, default=time.perf_counter
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.seconds = 0.0
        self._clock = clock
        self._open = 0  # compilations that have started and not ended: one may need another
        self._listening = ExitStack()

    def __enter__(self) -> Self:
        self._thread = threading.get_ident()
        self._listening.enter_context(install_listener("numba:compile", self))
        self.seconds = -self._clock()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.seconds += self._clock()
        self._listening.close()

    def on_start(self, event: Event) -> None:
        """Stop the clock when the first compilation starts."""
        if threading.get_ident() == self._thread:
            if self._open == 0:
                self.seconds += self._clock()
            self._open += 1

    def on_end(self, event: Event) -> None:
        """Start the clock again when the last compilation ends."""
        if threading.get_ident() == self._thread:
            self._open -= 1
            if self._open == 0:
                self.seconds -= self._clock()
