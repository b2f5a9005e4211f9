"""What numba's contexts need not do again while functions are compiled.

numba installs all its registries before each function, and looks for the signature of each call and
operator by trying every template, also those that raise an error. Within ``session`` the registries
are installed again only after an addition to them or an import, and a signature that was found is
kept. The templates of a function type never change: numba makes a new type instead.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba.core import event, types
from numba.core.types.misc import unliteral

_NAMES = "add sub mul truediv floordiv mod iadd isub imul itruediv lt le gt ge and_ or_ xor lshift rshift"
ARITHMETIC = {getattr(operator, name) for name in _NAMES.split()}
"""Operators for which a literal number has the type of any other number."""
NUMBERS = types.Number, types.Boolean
_found: dict[tuple[int, ...], tuple[Any, ...]] = {}
"""The identities of a function type and of the types of a call, to these objects and the signature."""

_sizes: dict[str, int] = {}
"""Types of LLVM to their sizes."""


@contextmanager
def session(context: Any) -> Iterator[None]:
    """Within this context, the target ``context`` and its typing context do nothing twice.

    numba's lock is held, so that no other thread uses them.
    """
    if "refresh" in vars(context):  # a function that is compiled while another one is
        yield
        return
    typing = context.typing_context
    context.refresh, typing.refresh = _after_additions(context), _after_additions(typing)
    typing.resolve_function_type = _remembered(typing.resolve_function_type)
    context.get_abi_sizeof = _measured_once(context.get_abi_sizeof)
    try:
        with _without_lock_events():
            yield
    finally:
        del context.refresh, context.get_abi_sizeof, typing.refresh, typing.resolve_function_type


@contextmanager
def _without_lock_events() -> Iterator[None]:
    """Remove numba's callbacks from the lock of llvmlite if nobody listens to their events.

    numba makes two events for each call of LLVM, which are tens of thousands.
    """
    lock = getattr(ffi.lib, "_lock", None)
    known = [] if event._registered["numba:llvm_lock"] else list(getattr(lock, "_cblist", []))
    removed = [pair for pair in known if all(one.__module__ == "numba.core.base" for one in pair)]
    for pair in removed:
        ffi.unregister_lock_callback(*pair)
    try:
        yield
    finally:
        for pair in removed:
            ffi.register_lock_callback(*pair)


def _registered(context: Any) -> tuple[int, ...]:
    """Numbers that change if a function, an attribute or a module that may contain them is added."""
    lists = (items for registry in context._registries for items in vars(registry).values() if isinstance(items, list))
    return len(sys.modules), *map(len, lists)


def _after_additions(context: Any) -> Callable[[], None]:
    """Call ``refresh`` only if something was added since the last time."""
    refresh, seen = context.refresh, ()

    def refreshed() -> None:
        nonlocal seen
        now = _registered(context)
        if now != seen:
            seen = now  # before the call: what it adds itself is installed by the next one
            refresh()

    return refreshed


def _remembered(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """``resolve_function_type`` that keeps what it found for numba's own functions."""

    def resolved(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if (
            named
            or not isinstance(function, types.Function)
            or any(isinstance(one, types.Callable) for one in arguments)
        ):
            return resolve(function, arguments, named)
        if function.typing_key in ARITHMETIC:
            plain = tuple(map(unliteral, arguments))
            if all(isinstance(one, NUMBERS) for one in plain):
                arguments = plain
        key = id(function), *map(id, arguments)
        known = _found.get(key)
        if known is None:
            signature = resolve(function, arguments, named)
            if signature is None:
                return None
            known = _found[key] = (signature, function, arguments)
        return known[0]

    return resolved


def _measured_once(measure: Callable[[Any], int]) -> Callable[[Any], int]:
    """``get_abi_sizeof`` that keeps the sizes of types; llvmlite compiles a module for each."""

    def measured(kind: Any) -> int:
        name = str(kind)
        if name not in _sizes:
            _sizes[name] = measure(kind)
        return _sizes[name]

    return measured
