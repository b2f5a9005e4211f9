"""Why a run has no bound: the rule has no theorem, or the run violates a condition of its theorem."""

from __future__ import annotations


class NoTheoremError(Exception):
    """No theorem applies to this run. The message continues "no bound on mistakes:"."""


class VacuousError(Exception):
    """The theorem holds for every comparator, but none gives a bound below the number of examples."""


class UnmetError(NoTheoremError):
    """A condition of the theorem, and what the run has instead."""

    def __init__(self, asked: str, got: object) -> None:
        super().__init__(f"the theorem needs {asked}, got {got}")
