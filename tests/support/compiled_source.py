"""A source file with one compiled function, and a fixture that imports it as another process would."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = """
from driftline.internals.compiled import jit

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
