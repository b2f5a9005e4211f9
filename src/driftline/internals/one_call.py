"""One call at a time on an object that several threads share.

A flag on the object says whether a call is running. A call claims the flag in one statement:

    busy, self._busy = self._busy, True

CPython switches threads and delivers signals only after calls, at the start of functions and at
backward jumps. The statement has none of these, so it is an atomic test-and-set, and it costs less
than a tenth of ``with lock``. The claim must stand inside ``try``, with the release in ``finally``:

    busy = True
    try:
        busy, self._busy = self._busy, True
        ...
    finally:
        if not busy:
            self._busy = False

A call that finds the flag set waits. Python without its global lock would need a real lock here.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from copy import deepcopy
from functools import partial, wraps
from types import CodeType, FrameType
from typing import Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Shared")
Method = TypeVar("Method", bound=Callable[..., Any])

SHORTEST_NAP, LONGEST_NAP = 2e-5, 1e-3  # seconds between two looks at the flag
FORK_PATIENCE = 5.0  # seconds for which a fork waits for running calls

_shared: dict[int, weakref.ref[Shared]] = {}
_claiming: set[CodeType] = set()
_forks: dict[int, tuple[list[Shared], list[Shared]]] = {}


def claims(method: Method) -> Method:
    """Register a method that claims the flag itself, with local variables ``self`` and ``busy``."""
    _claiming.add(method.__code__)
    return method


def whole_call(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Make a method, or a function of a ``Shared`` object, run while no other call runs.

    It must not call another such method of the same object.
    """

    @wraps(method)
    def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        busy = True
        try:
            busy, self._busy = self._busy, True
            while busy:
                wait(self)
                busy, self._busy = self._busy, True
            return method(self, *args, **kwargs)
        finally:
            if not busy:
                self._busy = False

    return claims(guarded)


class Shared:
    """An object that any number of threads may use: its calls run one at a time.

    A copy or a pickle is taken while no call is running. A fork waits until no call is running, so
    that the child gets whole objects.
    """

    _busy = False
    _torn = False
    """Whether a call of another thread was running when this process was forked."""
    _uncopied: ClassVar[tuple[str, ...]] = ("_busy", "_torn")
    """Attributes that a copy does not take over."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Register the object for forks."""
        self = super().__new__(cls)
        _shared[id(self)] = weakref.ref(self, partial(_shared.pop, id(self)))
        return self

    def __getstate__(self) -> dict[str, Any]:
        return _whole_state(self, {})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return _whole_copy(self, memo)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _copied_state(self, memo: dict[int, Any]) -> dict[str, Any]:
        """A copy of all attributes: another thread may change them while they are pickled."""
        return deepcopy({k: value for k, value in self.__dict__.items() if k not in self._uncopied}, memo)

    def _copy(self, memo: dict[int, Any]) -> Self:
        """A copy that shares nothing with this object."""
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__setstate__(self._copied_state(memo))
        return twin


@whole_call
def _whole_state(shared: Shared, memo: dict[int, Any]) -> dict[str, Any]:
    return shared._copied_state(memo)


@whole_call
def _whole_copy(shared: S, memo: dict[int, Any]) -> S:
    return shared._copy(memo)


def wait(shared: Shared) -> None:
    """Wait until the flag may be free; raise RuntimeError if it never will be."""
    name = type(shared).__name__
    if shared._torn:
        raise RuntimeError(
            f"{name}: no call may be running in another thread while the process forks, got one that ran for "
            f"{FORK_PATIENCE:g} s or more. Fork before learning, or load the learner in the child"
        )
    if _runs_here(shared):
        raise RuntimeError(
            f"{name}: a call must not start inside another call on the same object in the same thread. "
            "Set a flag in a signal handler or callback, and make the call after the running one has returned"
        )
    nap = SHORTEST_NAP
    while shared._busy and not shared._torn:
        time.sleep(nap)
        nap = min(2.0 * nap, LONGEST_NAP)


def _runs_here(shared: Shared) -> bool:
    """Whether a running call of this thread has claimed the flag of the object."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in _claiming and not frame.f_locals["busy"] and frame.f_locals["self"] is shared:
            return True
        frame = frame.f_back
    return False


# forks ------------------------------------------------------------------------------------------
def _claim_all() -> None:
    """Claim every object; give up on those that stay busy."""
    deadline = time.monotonic() + FORK_PATIENCE
    while True:
        claimed: list[Shared] = []
        running: list[Shared] = []
        for reference in list(_shared.values()):
            shared = reference()
            if shared is None:
                continue
            busy, shared._busy = shared._busy, True
            if not busy:
                claimed.append(shared)
            elif not _runs_here(shared):
                running.append(shared)
        if not running or time.monotonic() > deadline:
            _forks[threading.get_ident()] = claimed, running
            return
        for shared in claimed:  # none is held while waiting: another call may need two
            shared._busy = False
        time.sleep(LONGEST_NAP)


def _release_all() -> None:
    """Release the objects, after the fork."""
    claimed, _ = _forks.pop(threading.get_ident())
    for shared in claimed:
        shared._busy = False


def _release_in_child() -> None:
    """Release the objects in the child, and mark those that another thread was changing."""
    for shared in _forks[threading.get_ident()][1]:
        shared._torn = True
    _release_all()
    _forks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_claim_all, after_in_parent=_release_all, after_in_child=_release_in_child)
