"""What the passive-aggressive rules share: their target is margin 1, and ``when`` says what makes them fire."""

from __future__ import annotations

from driftline.rules.rule import Rule, When, limit


class MarginOne(Rule):
    """A rule whose margin errors are m <= 1 and that fires on m < 1, or on mistakes only."""

    when: When

    @property
    def margin(self) -> float:
        """1."""
        return 1.0

    @property
    def passive(self) -> float:
        """1, or just above 0 where only mistakes fire."""
        return limit(self.when)
