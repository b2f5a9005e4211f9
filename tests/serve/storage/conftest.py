"""One set of tests for both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.storage.opening import open_storage
from driftline.serve.storage.storage import Storage
from tests.support.postgres import postgres_server


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.fixture
def postgres(server: str) -> str:
    """The URL of an empty database."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS driftline CASCADE")
    return server


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: Any, tmp_path: Path) -> str:
    return str(tmp_path / "log.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture
def storage(address: str) -> Iterator[Storage]:
    opened = open_storage(address)
    yield opened
    opened.close()
