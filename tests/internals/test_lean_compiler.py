"""Functions compile to the same machine code with and without the passes that are left out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite.binding import ObjectFileRef
from numba.core.compiler import Compiler, Flags

import driftline
from driftline.internals import linking
from driftline.internals.compiled import PLAIN_LOOPS, STAMPED, compiling
from driftline.internals.lean_compiler import UNUSED, LeanCompiler, LeanFlags
from driftline.internals.lean_passes import REPLACED
from tests.support.compiled_source import imported

__all__ = ["imported"]

pytestmark = pytest.mark.skipif(PLAIN_LOOPS, reason="compares machine code")

HOME = Path(driftline.__file__).parent
DECORATORS = {"jit", "brief", "inlined", "leaf", "fused"}
SOURCE = """
import numpy as np
from driftline.internals.compiled import fused, jit

@fused
def dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total

@jit
def total(values, scale=None):
    if scale is not None:
        return dot(values, scale) / 2.0
    kept = np.zeros(4)
    for i in range(values.size):
        kept[i % 4] = max(kept[i % 4], values[i])
    return dot(kept, kept)
"""


def machine_code(function: Any) -> str:
    """The hash of the instructions of the only compiled signature."""
    ((_, result),) = function.overloads.items()
    sections = ObjectFileRef.from_data(result.library._get_compiled_object()).sections()
    found = b"".join(section.data() for section in sections if section.is_text())
    assert len(found) > 100
    return sha256(found).hexdigest()


def test_the_machine_code_is_that_of_all_passes(
    imported: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codes = []
    for compiler, flags in (LeanCompiler, LeanFlags), (Compiler, Flags):
        monkeypatch.setattr(linking, "LeanCompiler", compiler)
        monkeypatch.setattr(linking, "LeanFlags", flags)
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / compiler.__name__))
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / compiler.__name__))
        function = imported(SOURCE)
        assert function(np.ones(3)) == 3.0
        codes.append(machine_code(function))
    assert codes[0] == codes[1]


def compiled_functions() -> list[tuple[Path, ast.FunctionDef]]:
    """Every function with a decorator that compiles it."""
    return [
        (path, node)
        for folder in STAMPED
        for path in sorted((HOME / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one, ast.Name) and one.id in DECORATORS for one in node.decorator_list)
    ]


def test_no_compiled_function_needs_a_pass_that_is_left_out() -> None:
    found = compiled_functions()
    assert len(found) > 100
    for path, function in found:
        for node in ast.walk(function):
            assert not isinstance(node, ast.With | ast.Yield | ast.YieldFrom), f"{path}: {function.name}"
            assert not (isinstance(node, ast.Name) and node.id.startswith("literal")), f"{path}: {function.name}"


def test_unused_passes_are_left_out_and_the_others_stay() -> None:
    class State:
        func_ir = None
        flags = Flags()

    compiler, whole = LeanCompiler.__new__(LeanCompiler), Compiler.__new__(Compiler)
    compiler.state = whole.state = State()
    (lean,), (full,) = compiler.define_pipelines(), whole.define_pipelines()
    names = [one.__name__ for one, _ in full.passes]
    kept = [REPLACED[name].__name__ if name in REPLACED else name for name in names if name not in UNUSED]
    assert [one.__name__ for one, _ in lean.passes] == kept
    assert set(names) >= UNUSED | set(REPLACED)


def test_flags_are_equal_if_their_options_are() -> None:
    one, other, changed = LeanFlags(), LeanFlags(), LeanFlags()
    one.error_model = other.error_model = changed.error_model = "numpy"
    changed.release_gil = True
    assert one == other == one.copy()
    assert hash(one) == hash(other)
    assert one != changed
    assert one != Flags(one)
    assert isinstance(one.copy(), LeanFlags)


def test_linked_code_that_is_there_is_not_compiled_again(imported: Callable[[str], Any]) -> None:
    function, told = imported(SOURCE), list[int]()
    function(np.ones(3))
    ((types, _),) = function.overloads.items()
    with compiling(lambda: told.append(1)):
        assert function.linked.compile(types) is function.linked.compile(types)
    assert not told
