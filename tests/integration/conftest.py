"""One Ray of two workers for all tests of a process: on loopback, without authentication and dashboard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray reads this name; workers that give way to all other processes may not start for a minute
collect_ignore = [] if find_spec("ray") else ["scale"]


@pytest.fixture(scope="session")
def two_workers() -> Iterator[None]:
    """A running Ray; it is stopped at the end of the tests."""
    from driftline.scale.cluster import cluster

    with cluster(2):
        yield
