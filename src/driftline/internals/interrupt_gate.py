"""Delay Ctrl-C while a block is learned, so that an interrupted run has a consistent result."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self


class InterruptGate:
    """A context in which Ctrl-C is delivered at once, except inside ``held``.

    Inside ``held``, the first Ctrl-C is delivered at the end of the block, and a second one at
    once. Only the main thread receives Ctrl-C; in other threads nothing changes. The same holds if
    SIGINT is ignored.

    Attributes
    ----------
    torn
        Whether a KeyboardInterrupt left the block of ``held`` before its end.
    """

    def __init__(self) -> None:
        self.torn = False
        self.held = _Held(self)
        self._closed = self._waiting = False
        self._before: Any = None

    def __enter__(self) -> Self:
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._before = handler
            signal.signal(signal.SIGINT, self._receive)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._closed and not self._waiting:
            self._waiting = True
        else:
            self._before(number, frame)

    def _close(self) -> None:
        self._closed = True

    def _open(self, error: type[BaseException] | None) -> None:
        self._closed = False
        if error is not None:
            self.torn = issubclass(error, KeyboardInterrupt)
        elif self._waiting:
            self._waiting = False
            self._before(signal.SIGINT, None)


class _Held:
    """The context in which Ctrl-C waits."""

    def __init__(self, gate: InterruptGate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        self._gate._close()

    def __exit__(
        self, error: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate._open(error)


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Deliver Ctrl-C at the end of this context. In other threads than the main one nothing changes."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    received: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda number, frame: received.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if received:
        handler(signal.SIGINT, received[0])
