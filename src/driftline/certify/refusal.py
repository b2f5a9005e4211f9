"""Why nothing is said of a run: the condition of a theorem that does not hold, or a rule without a theorem."""

from __future__ import annotations

from driftline import rules


class NoTheoremError(Exception):
    """No theorem speaks of this run; the message says why, in words that follow "no bound on mistakes:"."""


class UnmetError(NoTheoremError):
    """What the theorem asks for, in its own words, and what the run has."""

    def __init__(self, asked: str, got: object) -> None:
        super().__init__(f"the theorem asks for {asked}, got {got}")


WITHOUT: dict[type[rules.Rule], str] = {
    rules.PA1: "no theorem of the catalogue speaks of steps that are capped at C; that of PA speaks of whole ones",
    rules.PA2: "no theorem of the catalogue speaks of steps that are softened by C; that of PA speaks of whole ones",
    rules.AROW: "no theorem of the catalogue speaks of AROW; that of second order is the second-order Perceptron's",
    rules.SCW: "no theorem of the catalogue speaks of SCW; that of second order is the second-order Perceptron's",
    rules.BatchOnline: (
        "no theorem bounds the mistakes of a batch classifier that is fitted again and again; its risk is bounded "
        "where examples are independent and from one source (dl.select)"
    ),
    rules.Committee: (
        "its theorem is that of the rule that combines, and speaks of what its learners said, which a run does not keep"
    ),
}
"""Rules that have no theorem, and what to say of them."""
