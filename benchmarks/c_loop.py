"""The bare C loop: loop.c, compiled at start and called through ctypes on the same arrays as
driftline.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from contest import AbsentError, Attempt, Task, block_heat
from data import Data

SOURCE = Path(__file__).with_name("loop.c")
FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")
LIBRARIES = ("-lm",)
SPARSE = {"C loop, plain": "pa1_sparse_plain", "C loop, two chains": "pa1_sparse_chains"}


def compiler() -> str:
    """Return the C compiler: the environment variable CC, or cc."""
    return os.environ.get("CC", "cc")


def versions() -> dict[str, str]:
    """Return the first line of the compiler's version and its flags."""
    told = subprocess.run([compiler(), "--version"], capture_output=True, text=True)
    return {"C compiler": (told.stdout.splitlines() or ["unknown"])[0], "C flags": " ".join(FLAGS)}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the sparse loops and the dense one."""
    library = compiled(SOURCE)
    rows, columns = data.sizes.sparse_rows, data.sizes.features
    indptr, indices = data.indptr.view(np.uint32), data.indices.view(np.uint32)
    for name, symbol in SPARSE.items():
        loop = function(library, symbol)
        ready = _Pass(loop, (rows, indptr, indices, data.values, data.sparse_y), columns)
        yield Task(block_heat("sparse", None), name, rows, ready)
    rows, columns = data.X.shape
    ready = _Pass(function(library, "pa1_dense"), (rows, columns, data.X, data.dense_y), columns)
    yield Task(block_heat("dense", None), "C loop", rows, ready)


class _Pass:
    """Prepare one pass, untimed: allocate and touch the weights, convert the arguments."""

    def __init__(self, loop: Any, arguments: tuple[Any, ...], columns: int) -> None:
        self.loop, self.arguments, self.columns = loop, arguments, columns

    def __call__(self) -> Attempt:
        w = np.zeros(self.columns)
        w.fill(0.0)
        converted = [in_c(argument) for argument in (*self.arguments, 1.0, w)]
        return Attempt(lambda: self.loop(*converted), lambda: float(w @ w))


def in_c(value: Any) -> Any:
    """Convert an argument for C. An array becomes a pointer that keeps the array alive."""
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_size_t(value)


def function(library: ctypes.CDLL, symbol: str) -> Any:
    """Return a function of the library with return type size_t."""
    found = getattr(library, symbol)
    found.restype = ctypes.c_size_t
    return found


def compiled(source: Path) -> ctypes.CDLL:
    """Compile one C file and return the library."""
    if shutil.which(compiler()) is None:
        raise AbsentError(f"C compiler {compiler()!r} not found: set CC")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "loop.so"
        command = [compiler(), *FLAGS, "-o", str(target), str(source), *LIBRARIES]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode != 0:
            why = (built.stderr.splitlines() or [f"exit {built.returncode}"])[0]
            raise AbsentError(f"{compiler()} did not compile {source.name}: {why}")
        return ctypes.CDLL(str(target))
