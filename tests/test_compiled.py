"""What is compiled is kept on disk, and nobody is given the code of another signature or of an earlier source."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SOURCE = """
from driftline.compiled import jit

@jit
def total(values):
    return values.sum() + 0.0
"""


@pytest.fixture
def imported(tmp_path: Path) -> Callable[[str], Any]:
    """Imports a source file anew, as another process would: its function is compiled, or found on disk."""

    def load(source: str) -> Any:
        path = tmp_path / "summing.py"
        if not path.exists() or path.read_text() != source:
            path.write_text(source)
        spec = importlib.util.spec_from_file_location("summing", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.total

    return load


def between_index_and_code(function: Any, happens: Callable[[], None]) -> None:
    """Let something happen when this function's entry in the index is written and its code is not."""
    file = function._cache._cache_file
    write = file._save_data

    def later(name: str, data: Any) -> None:
        happens()
        write(name, data)

    file._save_data = later


def test_two_processes_that_save_at_once_do_not_take_each_others_code(imported: Callable[[str], Any]) -> None:
    one, other = imported(SOURCE), imported(SOURCE)
    index = Path(one._cache._cache_file._index_path)

    def overwrites() -> None:
        index.unlink()  # the other one saw no entry yet
        assert other(np.ones(3, np.float32)) == 3.0

    between_index_and_code(one, overwrites)
    assert one(np.ones(3)) == 3.0
    for _ in range(2):
        found = imported(SOURCE)
        assert (found(np.ones(3, np.float32)), found(np.ones(3))) == (3.0, 3.0)
    # what was lost is there again
    assert sum(found.stats.cache_hits.values()) == 2


def test_old_code_is_not_taken_for_new(imported: Callable[[str], Any]) -> None:
    changed = SOURCE.replace("0.0", "10.0")
    assert imported(SOURCE)(np.ones(3)) == 3.0
    saves, reads = imported(changed), imported(changed)
    answers = []
    between_index_and_code(saves, lambda: answers.append(reads(np.ones(3))))
    assert [saves(np.ones(3)), *answers] == [13.0, 13.0]
