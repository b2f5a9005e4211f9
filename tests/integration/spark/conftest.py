"""One Spark of two threads for all tests, on loopback and without its web page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from shutil import which
from typing import Any

import pytest

MISSING = "pyspark" if find_spec("pyspark") is None else "Java" if which("java") is None else ""


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A Spark session; skip the tests without pyspark or Java."""
    if MISSING:
        pytest.skip(f"without {MISSING}")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    yield made
    made.stop()
