"""Functions that only borrow arrays count no references, and arrays live exactly as long as they must."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from driftline.internals.compiled import PLAIN_LOOPS
from tests.support.compiled_source import imported

__all__ = ["imported"]

pytestmark = pytest.mark.skipif(PLAIN_LOOPS, reason="reads compiled code")

Imported = Callable[[str], Any]
COUNTS = "NRT_incref", "NRT_decref"
HEAD = """
import numpy as np
from driftline.internals.compiled import inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.internals.numeric.simd import dot_dense

@jit
def made(values):
    return np.zeros(values.size)

@jit
def first(values):
    return values[0]

"""
BORROWING = {
    "rows": ("    total = 0.0\n    for row in values.reshape(2, -1):\n        total += row[0]\n    return total", 3.0),
    "slice": ("    part = values[1:3]\n    part[:] = 2.0\n    return first(part) + len(part)", 4.0),
    "tuple": ("    pair = values, values[1:]\n    return pair[0][0] + pair[1][0] + pair[1].T.size", 6.0),
    "borrowed": ("    lent = borrowed((values, values))\n    return lent[0][0] + lent[1][1]", 1.0),
    "loop": ("    other = values\n    for k in range(3):\n        other = other[1:]\n    return other[0]", 3.0),
}
COUNTING = {
    "new": ("    kept = np.empty(4)\n    kept[:] = 3.0\n    return kept[1]", 3.0),
    "returned": ("    return values[1:]", [1.0, 2.0, 3.0, 4.0, 5.0]),
    "from another function": ("    other = made(values)\n    other[0] += 1.0\n    return other[0]", 1.0),
    "expression": ("    return (values + values)[1]", 2.0),
    "copied slice": ("    values[1:4] = values[:3]\n    return values[3]", 2.0),
    "picked": ("    return values[np.array([1, 2])][1]", 2.0),
    "method": ("    return values.copy()[1]", 1.0),
    "reduction": ("    return values.sum()", 15.0),
}


@pytest.fixture
def counted() -> Iterator[None]:
    """numba counts its allocations."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def compiled(imported: Imported, body: str) -> tuple[Any, str]:
    """The function, and its linked code in LLVM's language."""
    function = imported(f"{HEAD}@jit\ndef total(values):\n{body}\n")
    function(np.arange(6.0))
    ((_, result),) = function.linked.overloads.items()
    return function, str(result.library._final_module)


@pytest.mark.parametrize(("body", "expected"), BORROWING.values(), ids=list(BORROWING))
def test_borrowed_arrays_are_not_counted(
    imported: Callable[[str], Any], counted: None, body: str, expected: object
) -> None:
    function, code = compiled(imported, body)
    assert not any(name in code for name in COUNTS)
    check(function, expected)


@pytest.mark.parametrize(("body", "expected"), COUNTING.values(), ids=list(COUNTING))
def test_new_arrays_are_counted(imported: Imported, counted: None, body: str, expected: object) -> None:
    function, code = compiled(imported, body)
    assert "NRT_" in code
    check(function, expected)


def check(function: Any, expected: object) -> None:
    """The result is right, the argument has as many references as before, and no memory leaks."""
    values = np.arange(6.0)
    assert np.array_equal(function(values), expected)
    references, before = sys.getrefcount(values), rtsys.get_allocation_stats()
    for _ in range(5):
        function(values)
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(values) == references
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
