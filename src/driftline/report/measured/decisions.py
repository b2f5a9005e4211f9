"""What the decisions of a run have achieved, as a table."""

from __future__ import annotations

import math

from driftline.evaluate.decision import Decision
from driftline.report.html_table import Row, facts
from driftline.report.measured.numbers import text
from driftline.report.safe_text import escaped


def decisions_table(decision: Decision) -> str:
    """Return the table of decisions: threshold, precision, recall and cost.

    Parameters
    ----------
    decision : Decision
        The decision that saw the run.
    """
    found, threshold = decision.achieved, decision.threshold
    rows = [
        ("examples", f"{found.examples:,}, of which {found.positives:,} positive"),
        ("threshold at the end", "" if threshold is None else f"{threshold:.4g}"),
        ("decided positive", f"{found.decided_positive:,}"),
        ("precision", f"{text(found.precision)}, recently {text(found.recent_precision)}"),
        ("recall", f"{text(found.recall)}, recently {text(found.recent_recall)}"),
        ("cost", _cost(found.cost, found.expected_cost, found.cost_per_example)),
        ("note", escaped(found.note)),
    ]
    return facts("Decisions", [Row(row) for row in rows if row[1]])


def _cost(cost: float, expected: float, each: float) -> str:
    """Return the cost in words; empty without costs."""
    if math.isnan(cost):
        return ""
    return f"{cost:,.6g}, which is {each:,.4g} for each example; {expected:,.6g} were expected from the probabilities"
