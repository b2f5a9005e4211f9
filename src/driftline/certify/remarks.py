"""What must be said beside a bound, so that it is not taken for more than it is."""

from __future__ import annotations

from driftline import rules


def remarks(rule: rules.Rule) -> list[str]:
    """Sentences without a full stop."""
    if isinstance(rule, rules.Averaged):
        return [
            "the bound is on updates, which are the mistakes of the hypotheses that are averaged; no theorem bounds "
            "those of the average itself"
        ]
    if isinstance(rule, rules.LabelEfficient) and rule.b < float("inf"):
        return [
            "the bound is on mistakes in expectation over the coins that decide which labels are asked for: a run with "
            "one sequence of coins may make more"
        ]
    return []
