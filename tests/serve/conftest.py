"""A PostgreSQL server for all tests of the service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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
