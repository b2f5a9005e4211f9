"""Settings of all tests of saved files."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving a model does not wait until the disk has it."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
