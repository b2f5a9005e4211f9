"""One call at a time: exclusion, interrupts, nested calls, copies and forks."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from driftline.internals import one_call
from driftline.internals.one_call import Shared, claims, whole_call
from tests.support.threads import hasty, in_threads


class Counter(Shared):
    """Adds in steps between which another thread may run."""

    def __init__(self) -> None:
        self.value = 0
        self.twin = 0
        self.release = threading.Event()
        self.release.set()

    @whole_call
    def add(self) -> int:
        seen = self.value
        for _ in range(3):
            _step()
        self.value = seen + 1
        self.twin = self.value
        return seen

    @claims
    def add_fast(self) -> int:
        busy = True
        try:
            busy, self._busy = self._busy, True
            if not busy:
                seen = self.value
                _step()
                self.value = seen + 1
                self.twin = self.value
                return seen
        finally:
            if not busy:
                self._busy = False
        return self.add()

    @whole_call
    def hold(self, entered: threading.Event) -> None:
        self.value += 1
        entered.set()
        assert self.release.wait(60)
        self.twin = self.value

    @whole_call
    def interrupted(self) -> None:
        self.value += 1
        signal.raise_signal(signal.SIGUSR1)

    @whole_call
    def nested(self) -> int:
        return self.add()

    @claims
    def nested_fast(self) -> int:
        busy = True
        try:
            busy, self._busy = self._busy, True
            return self.add()
        finally:
            if not busy:
                self._busy = False

    def _copied_state(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {"value": self.value, "twin": self.twin}


def _step() -> None:
    """A call, after which CPython may switch to another thread."""


@pytest.mark.parametrize("method", ["add", "add_fast", "both"])
def test_calls_exclude_each_other(method: str) -> None:
    counter = Counter()
    found: list[int] = []

    def work(k: int) -> None:
        name = method if method != "both" else ("add", "add_fast")[k % 2]
        call = getattr(counter, name)
        found.extend([call() for _ in range(2000)])

    in_threads(*(lambda k=k: work(k) for k in range(6)))
    assert sorted(found) == list(range(12_000))
    assert counter.value == 12_000


def test_without_the_flag_counts_are_lost() -> None:
    """The test above can fail: the same work without a claim loses counts."""
    counter = Counter()
    add = Counter.add.__wrapped__  # type: ignore[attr-defined]
    in_threads(*(lambda: [add(counter) for _ in range(20_000)] for _ in range(6)))
    assert counter.value < 120_000


@pytest.mark.parametrize("method", ["nested", "nested_fast"])
def test_a_nested_call_is_an_error_not_a_deadlock(method: str) -> None:
    counter = Counter()
    with pytest.raises(RuntimeError, match=r"^Counter: a call must not start inside another call .* Set a flag"):
        getattr(counter, method)()
    assert counter.add() == 0  # the flag was released


def test_a_signal_handler_gets_an_error() -> None:
    counter, seen = Counter(), []

    def handler(*_: object) -> None:
        try:
            counter.add()
        except RuntimeError as error:
            seen.append(str(error))

    previous = signal.signal(signal.SIGUSR1, handler)
    try:
        counter.interrupted()
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert len(seen) == 1
    assert counter.add() == 1


@pytest.mark.parametrize("method", ["add", "add_fast"])
def test_an_interrupt_at_any_moment_releases_the_flag(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupt(BaseException):
        pass

    monkeypatch.setattr(threading, "excepthook", lambda _: None)  # an interrupt may end the thread itself

    counter, done, interrupts = Counter(), threading.Event(), 0
    call = getattr(counter, method)

    def work() -> None:
        nonlocal interrupts
        while not done.is_set():
            try:
                while not done.is_set():
                    call()
            except Interrupt:
                interrupts += 1

    def guarded() -> None:
        while not done.is_set():
            with suppress(Interrupt):
                work()

    thread = threading.Thread(target=guarded)
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    with hasty():
        thread.start()
        while interrupts < 300:
            if not thread.is_alive():
                thread = threading.Thread(target=guarded)
                thread.start()
            raise_in(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Interrupt))
            time.sleep(1e-4)
        done.set()
        thread.join()
    assert not counter._busy
    counter.add()


def test_a_copy_and_a_pickle_wait_for_the_running_call() -> None:
    counter, entered = Counter(), threading.Event()
    counter.release.clear()
    copies: list[Counter] = []

    def work() -> None:
        copies.append(copy.deepcopy(counter))
        copies.append(copy.copy(counter))
        copies.append(pickle.loads(pickle.dumps(counter)))

    holder = threading.Thread(target=counter.hold, args=(entered,))
    holder.start()
    assert entered.wait(60)
    copier = threading.Thread(target=work)
    copier.start()
    copier.join(0.05)
    assert not copies
    counter.release.set()
    holder.join()
    copier.join()
    assert [(one.value, one.twin, one._busy) for one in copies] == [(1, 1, False)] * 3


def child_says(question: Any) -> bytes:
    """Fork; the child writes what ``question`` returns."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, repr(question()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    said = b""
    while part := os.read(reading, 1000):
        said += part
    os.close(reading)
    os.waitpid(pid, 0)
    return said


def test_a_fork_waits_for_running_calls() -> None:
    counter, done = Counter(), threading.Event()

    def work() -> None:
        while not done.is_set():
            counter.add()

    thread = threading.Thread(target=work)
    with hasty():
        thread.start()
        try:
            for _ in range(20):
                said = child_says(lambda: (counter.value == counter.twin, counter.add() == counter.value - 1))
                assert said == b"(True, True)"
        finally:
            done.set()
            thread.join()
    assert not counter._busy


def test_a_fork_during_a_long_call_leaves_an_object_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_call, "FORK_PATIENCE", 0.01)
    counter, entered = Counter(), threading.Event()
    counter.release.clear()
    holder = threading.Thread(target=counter.hold, args=(entered,))
    holder.start()
    assert entered.wait(60)

    def question() -> str:
        try:
            counter.add()
        except RuntimeError as error:
            return str(error)
        return "no error"

    said = child_says(question).decode()
    counter.release.set()
    holder.join()
    assert "no call may be running in another thread while the process forks" in said
    assert counter.add() == 1


def test_dead_objects_are_not_kept() -> None:
    gc.collect()  # objects of other tests that are only in cycles
    before = len(one_call._shared)
    some = [Counter() for _ in range(100)]
    assert len(one_call._shared) == before + 100
    del some
    assert len(one_call._shared) == before
