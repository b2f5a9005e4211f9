"""A target and whether it was met."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """A target on a stream, the result, and whether the target was met. None: not run.

    A missed target is close if chance may be the cause.
    """

    stream: str
    aim: str
    got: str
    met: bool | None
    close: bool = False

    def told(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return asdict(self)


def not_run(stream: str, aim: str) -> Verdict:
    """Return the verdict about a learner that has not run."""
    return Verdict(stream, aim, "not run", None)
