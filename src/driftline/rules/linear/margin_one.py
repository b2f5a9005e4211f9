"""Base class of the rules with target margin 1; ``when`` says which margins cause an update."""

from __future__ import annotations

from driftline.rules.rule import Rule, When, limit


class MarginOne(Rule):
    """A rule with margin errors m <= 1 that updates on m < 1, or on mistakes only."""

    when: When

    @property
    def margin(self) -> float:
        """1."""
        return 1.0

    @property
    def passive(self) -> float:
        """1, or the smallest normal float above 0 if only mistakes update."""
        return limit(self.when)
