"""Why a run has no bound: the condition of its theorem that does not hold."""

from __future__ import annotations


class UnmetError(ValueError):
    """What the theorem asks for, in its own words, and what the run has."""

    def __init__(self, asked: str, got: object) -> None:
        super().__init__(f"the theorem asks for {asked}, got {got}")
