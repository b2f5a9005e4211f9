"""driftline's compiled PA-I pass without the public call around it: the one place that names it."""

from __future__ import annotations

from collections.abc import Callable

from contest import Attempt
from data import Data


def driftline_kernel(kind: str) -> Callable[[Data], Attempt] | None:
    """Return what prepares one pass of the kernel over `kind` ("sparse" or "dense"), or None to leave it out.

    The answer is called with the data, untimed: it makes a fresh state for PA-I with C = 1 and no bias,
    converts the arrays to the types that the kernel takes, and returns an `Attempt` whose `run` is the bare
    compiled call.
    """
    return None
