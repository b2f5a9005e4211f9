"""The alarms of a run, and the times of its examples."""

from __future__ import annotations

from typing import Any

from driftline.evaluate import Run
from driftline.internals.compiled import Floats


def alarms_of(run: Run) -> list[Any]:
    """Return the alarms of a run."""
    return getattr(run, "alarms", [])


def times_of(run: Run) -> dict[str, Floats] | None:
    """Return the times of some examples of a run: the arrays "examples" and "seconds"; None if unknown."""
    return getattr(run, "times", None)
