"""Within a session numba's contexts repeat nothing, and see what is added."""

from __future__ import annotations

import operator
from typing import Any

import numba
import pytest
from llvmlite.binding import ffi
from numba.core import types
from numba.core.event import Event, Listener, install_listener
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from driftline.internals.compile_session import session
from driftline.internals.compiled import PLAIN_LOOPS

pytestmark = pytest.mark.skipif(PLAIN_LOOPS, reason="compiles")


def test_the_contexts_are_as_before_also_after_an_error() -> None:
    context = cpu_target.target_context
    before = dict(vars(context)), dict(vars(context.typing_context))
    with pytest.raises(ZeroDivisionError), session(context), session(context):
        assert "refresh" in vars(context)
        raise ZeroDivisionError
    assert (vars(context), vars(context.typing_context)) == before


def test_listeners_hear_the_lock_of_llvm() -> None:
    class Heard(Listener):  # type: ignore[misc]
        def __init__(self) -> None:
            self.times = 0

        def on_start(self, event: Event) -> None:
            self.times += 1

        def on_end(self, event: Event) -> None:
            pass

    context, callbacks = cpu_target.target_context, list(ffi.lib._lock._cblist)
    assert len(callbacks) == 1
    with session(context):
        assert not ffi.lib._lock._cblist
    assert ffi.lib._lock._cblist == callbacks
    heard = Heard()
    with install_listener("numba:llvm_lock", heard), session(context):
        assert numba.njit(lambda: 1)() == 1
    assert heard.times


def test_registries_are_installed_again_only_after_additions(monkeypatch: pytest.MonkeyPatch) -> None:
    context, told = cpu_target.target_context, list[int]()
    context.refresh()
    refresh = type(context).refresh
    monkeypatch.setattr(type(context), "refresh", lambda self: (told.append(1), refresh(self)))
    with session(context):
        context.refresh()
        del told[:]
        context.refresh()
        assert not told

        @intrinsic
        def seven(typing: Any) -> Any:
            return types.int64(), lambda context, builder, signature, args: context.get_constant(types.int64, 7)

        assert numba.njit(lambda: seven())() == 7
        assert told


def test_functions_that_are_added_later_are_found() -> None:
    def twice(x: Any) -> Any:
        raise NotImplementedError

    context = cpu_target.target_context

    @overload(twice)
    def _(x):  # type: ignore[no-untyped-def]
        return (lambda x: 2 * x) if isinstance(x, types.Integer) else None

    with session(context):
        assert numba.njit(lambda x: twice(x))(3) == 6
        with pytest.raises(numba.TypingError):
            numba.njit(lambda x: twice(x))(3.0)

    @overload(twice)
    def _(x):  # type: ignore[no-untyped-def]
        return (lambda x: x + x) if isinstance(x, types.Float) else None

    with session(context):
        assert numba.njit(lambda x: twice(x))(3.0) == 6.0


def test_types_of_sums_are_those_without_a_session() -> None:
    operands = [types.int8, types.uint64, types.int64, types.float32, types.float64, types.boolean, types.literal(3)]
    context, typing = cpu_target.target_context, cpu_target.typing_context
    context.refresh()
    for name in ("add", "floordiv", "lt", "and_", "lshift"):
        function = typing.resolve_value_type(getattr(operator, name))
        for one in operands:
            for other in operands:
                try:
                    expected = typing.resolve_function_type(function, (one, other), {})
                except numba.TypingError:
                    continue
                with session(context):
                    for _ in range(2):
                        found = typing.resolve_function_type(function, (one, other), {})
                        assert (found.return_type, found.args) == (expected.return_type, expected.args)
