"""NUMBA_BOUNDSCHECK=1 finds an index out of range in compiled code, also after a run without checks.

``make bounds`` runs a large part of the tests in that mode. The planted overruns here show that it would find one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftline.internals.compiled import BOUNDS_CHECKED
from tests.support.processes import printed

# The last two entries of ``whole`` are beyond ``part``: without checks, they are read and written.
PLANTED = """
import numpy as np
from driftline.internals.compiled import brief, fused, inlined, jit, leaf
from driftline.internals.numeric.simd import add_dense, dot_dense, dot_eights
from driftline.internals.numeric.column_tiles import dots_of, move_all
from driftline.rules.kernel.kernel_columns import LINEAR, TILE, column

WRAPPERS = {"jit": jit, "brief": brief, "inlined": inlined, "leaf": leaf, "fused": fused}

def last(part, at):
    return part[at]

def put(part, at):
    part[at] = 7.0
    return part[at]

@jit
def inside(part, at):
    return READERS_inlined(part, at)

READERS_inlined = inlined(last)

@jit
def simd(part, values, n):
    dot, _ = dot_dense(part, values, np.uint64(0), np.uint64(n))
    return dot

@jit
def simd_add(part, values, n):
    add_dense(part, values, np.uint64(0), np.uint64(n), 1.0)

@jit
def simd_eights(part, values, n):
    return dot_eights(part, values, np.uint64(0), np.uint64(n))

@jit
def columns(V, values, dots, n):
    dots_of(V, np.uint64(n), np.zeros(1, np.uint32), values, np.uint64(0), np.uint64(0), dots)

@jit
def columns_sparse(V, indices, values, dots, n):
    dots_of(V, np.uint64(0), indices, values, np.uint64(0), np.uint64(n), dots)

@jit
def moved(V, indices, values, factors, n):
    move_all(V, np.uint64(0), indices, values, np.uint64(0), np.uint64(n), factors)

@jit
def kernel(tiles, c, k, x, n):
    return column(LINEAR, (1.0, 0.0, 0.0), tiles, c, k, 0, 1, x, n, 0.0)

def tried(name, function, *args):
    try:
        function(*args)
    except IndexError:
        print(name, "found")
    else:
        print(name, "missed")

whole = np.ones(32)
part = whole[:8]
for name, wrapper in WRAPPERS.items():
    tried(f"{name} read", wrapper(last), part, 8)
    tried(f"{name} write", wrapper(put), part, 8)
tried("call", inside, part, 9)
tried("dot_dense", simd, part, whole, 9)
tried("add_dense", simd_add, part, whole, 9)
tried("dot_eights", simd_eights, part, whole, 16)
V = np.ones((12, 8))
rows = V[:8]
tried("dots_of", columns, rows, whole, np.zeros(8), 9)
tried("dots_of sparse", columns_sparse, rows, np.arange(10).astype(np.uint32), whole, np.zeros(8), 10)
tried("move_all", moved, rows, np.arange(10).astype(np.uint32), whole, np.ones(8), 10)
tiles = np.ones((2, 4, TILE))
tried("column", kernel, tiles[:1], np.ones(TILE), np.ones(TILE), np.ones(5), 5)
"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    path = tmp_path / "planted.py"
    path.write_text(PLANTED)
    return path


def outcomes(path: Path, **env: str) -> list[str]:
    lines = printed(f"import runpy; runpy.run_path({str(path)!r}, run_name='planted')", **env).splitlines()
    assert len(lines) == 18
    return [line.rpartition(" ")[2] for line in lines]


def test_planted_overruns_are_found_with_checks_only(planted: Path, tmp_path: Path) -> None:
    """Both runs share a cache: numba's key ignores the mode, ours does not."""
    cache = str(tmp_path / "cache")
    assert set(outcomes(planted, NUMBA_BOUNDSCHECK="0", NUMBA_CACHE_DIR=cache)) == {"missed"}
    assert set(outcomes(planted, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=cache)) == {"found"}
    assert set(outcomes(planted, NUMBA_BOUNDSCHECK="0", NUMBA_CACHE_DIR=cache)) == {"missed"}


def test_this_process_is_in_the_mode_that_it_was_started_in(planted: Path) -> None:
    assert bool(int(os.environ.get("NUMBA_BOUNDSCHECK", "0"))) == BOUNDS_CHECKED
    assert set(outcomes(planted)) == {"found" if BOUNDS_CHECKED else "missed"}
