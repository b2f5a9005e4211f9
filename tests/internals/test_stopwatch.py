"""The time of a piece of work leaves compilation out."""

import threading

import pytest
from numba.core.event import trigger_event

from driftline.internals.stopwatch import Stopwatch


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def compile_for(clock: Clock, seconds: float) -> None:
    with trigger_event("numba:compile"):
        clock.now += seconds


def test_work_is_counted_and_compilation_is_not() -> None:
    clock = Clock()
    with Stopwatch(clock) as watch:
        clock.now += 1.0
        with trigger_event("numba:compile"):
            clock.now += 20.0
            compile_for(clock, 3.0)
            clock.now += 5.0
        clock.now += 2.0
        compile_for(clock, 7.0)
    compile_for(clock, 50.0)
    assert watch.seconds == 3.0


def test_compilation_in_another_thread_is_not_subtracted() -> None:
    clock = Clock()
    with Stopwatch(clock) as watch:
        other = threading.Thread(target=compile_for, args=(clock, 4.0))
        other.start()
        other.join()
    assert watch.seconds == 4.0


def test_a_compilation_that_fails_ends() -> None:
    clock = Clock()
    with Stopwatch(clock) as watch:
        with pytest.raises(ValueError, match="no"), trigger_event("numba:compile"):
            clock.now += 9.0
            raise ValueError("no")
        clock.now += 1.0
    assert watch.seconds == 1.0
