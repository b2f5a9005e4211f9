"""Remarks on a bound that limit what it says."""

from __future__ import annotations

from driftline import rules


def remarks(rule: rules.Rule) -> list[str]:
    """Return sentences without a full stop."""
    if isinstance(rule, rules.Averaged):
        return [
            "the bound is on updates, that is on the mistakes of the averaged hypotheses; no theorem bounds the "
            "mistakes of the average itself"
        ]
    if isinstance(rule, rules.LabelEfficient) and rule.b < float("inf"):
        return [
            "the bound is on expected mistakes over the random choice of the labels that are requested: "
            "a single run may make more"
        ]
    return []
