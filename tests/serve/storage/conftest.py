"""One set of tests for both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.storage.opening import open_storage
from driftline.serve.storage.storage import Storage


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: Any, tmp_path: Path) -> str:
    return str(tmp_path / "log.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture
def storage(address: str) -> Iterator[Storage]:
    opened = open_storage(address)
    yield opened
    opened.close()
