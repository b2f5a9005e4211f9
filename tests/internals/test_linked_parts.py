"""numba's own functions become parts of compiled functions, and work in other functions as before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.event import Event, Listener, install_listener
from numba.core.registry import cpu_target
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.extending import overload

from driftline.internals.compiled import PLAIN_LOOPS
from driftline.internals.linking import Part, linked_parts
from tests.support.compiled_source import imported

__all__ = ["imported"]

pytestmark = pytest.mark.skipif(PLAIN_LOOPS, reason="compiles")

SOURCE = """
import numpy as np
from driftline.internals.compiled import jit

@jit
def total(values):
    made = np.full((3, 2), 0.5)
    return made.sum() + max(values[0], 1.5) + min(values[1], np.int8(7))
"""


class Compiled(Listener):  # type: ignore[misc]
    """The dispatchers that compile."""

    def __init__(self) -> None:
        self.dispatchers: list[Any] = []

    def on_start(self, event: Event) -> None:
        self.dispatchers.append(event.data["dispatcher"])

    def on_end(self, event: Event) -> None:
        pass


def test_functions_of_numba_are_parts_and_results_are_the_same(
    imported: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    heard = Compiled()
    with install_listener("numba:compile", heard):
        assert imported(SOURCE)(np.array([4.0, 2.0])) == 9.0
    own = [one for one in heard.dispatchers if one.py_func.__module__.startswith("numba.")]
    assert own
    assert all(isinstance(one, Part) for one in own)
    assert imported(SOURCE)(np.array([1.0, 9.0])) == 11.5  # stored without its parts
    assert not list((tmp_path / "cache").rglob("*full*"))


def test_parts_work_in_functions_of_other_packages() -> None:
    def thrice(x: Any) -> Any:
        raise NotImplementedError

    @overload(thrice)
    def _(x):  # type: ignore[no-untyped-def]
        return lambda x: 3 * x

    def caller(x):  # type: ignore[no-untyped-def]
        return thrice(x)

    before = _OverloadFunctionTemplate._get_jit_decorator
    heard = Compiled()
    with install_listener("numba:compile", heard), linked_parts(cpu_target.typing_context):
        assert numba.njit(caller)(5) == 15
    assert any(isinstance(one, Part) for one in heard.dispatchers)
    assert _OverloadFunctionTemplate._get_jit_decorator is before
    assert numba.njit(caller)(7) == 21  # the part that is there
    assert numba.njit(caller)(0.5) == 1.5  # the part, compiled for another type


def test_functions_with_options_of_their_own_stay_as_they_are() -> None:
    def half(x: Any) -> Any:
        raise NotImplementedError

    @overload(half, jit_options={"fastmath": True})
    def _(x):  # type: ignore[no-untyped-def]
        return lambda x: x / 2

    heard = Compiled()
    with install_listener("numba:compile", heard), linked_parts(cpu_target.typing_context):
        assert numba.njit(lambda x: half(x))(3.0) == 1.5
    assert len(heard.dispatchers) == 2
    assert not any(isinstance(one, Part) for one in heard.dispatchers)


def test_the_choice_is_as_before_after_an_error() -> None:
    before = _OverloadFunctionTemplate._get_jit_decorator
    with pytest.raises(ZeroDivisionError), linked_parts(cpu_target.typing_context):
        raise ZeroDivisionError
    assert _OverloadFunctionTemplate._get_jit_decorator is before
