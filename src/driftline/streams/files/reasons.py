"""The number of skipped examples, and why the first were skipped."""

from __future__ import annotations

from dataclasses import dataclass, field

LISTED = 20
"""Maximum number of messages kept for skipped examples."""


@dataclass
class Reasons:
    """The number of skipped examples, and the messages of the first ones."""

    count: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        """Count one more skipped example."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(reason)
