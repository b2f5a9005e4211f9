"""A decision in words: its rule, its threshold, and what it has achieved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline.evaluate.decision.achieved import Achieved
    from driftline.evaluate.decision.decision import Decision


def rule_text(decision: Decision) -> str:
    """The rule, such as "'fraud' with precision 0.9"."""
    if decision.target is not None:
        return f"{decision.positive!r} with {decision.target.quantity} {decision.target.target:g}"
    assert decision.costs is not None
    return f"least cost of {len(decision.costs.labels)} labels"


def one_line(rule: str, threshold: float | None, ready: bool, found: Achieved) -> str:
    """Everything in one line."""
    parts = [rule, *([] if threshold is None else [f"threshold {threshold:.4g}"]), *([] if ready else ["not ready"])]
    parts.append(f"{found.examples:,} examples")
    for name in ("precision", "recall", "cost"):
        value = getattr(found, name)
        parts += [] if math.isnan(value) else [f"{name} {value:.4g}"]
    return ", ".join(parts)


def in_lines(decision: Decision) -> list[str]:
    """The rule and what it has achieved, in a few lines for a terminal."""
    found, threshold = decision.achieved, decision.threshold
    first = f"decision: {rule_text(decision)}"
    first += "" if threshold is None else f", threshold {threshold:.4g}"
    first += "" if decision.ready else " (not ready: the default threshold)"
    first += ", which no probability reaches" if threshold == math.inf else ""
    lines = [first]
    if decision.positive is not None:
        recent = f"recently {_share(found.recent_precision)} and {_share(found.recent_recall)}"
        lines.append(f"precision {_share(found.precision)}, recall {_share(found.recall)}, {recent}")
    if decision.costs is not None:
        each = f"{found.cost_per_example:.4g} per example"
        lines.append(f"cost {found.cost:.6g} ({each}), expected from the probabilities {found.expected_cost:.6g}")
    return lines + ([found.note] if found.note else [])


def to_dict(decision: Decision) -> dict[str, Any]:
    """The settings and the results as values for JSON."""
    found, threshold, target = decision.achieved, decision.threshold, decision.target
    return {
        "positive": decision.positive,
        "target": None if target is None else {target.quantity: target.target},
        "costs": None if decision.costs is None else decision.costs.listed(),
        "ready": decision.ready,
        "threshold": None if threshold is None or threshold == math.inf else threshold,
        "achieved": found.to_dict(),
    }


def _share(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
