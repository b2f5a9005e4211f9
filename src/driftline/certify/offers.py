"""The result of a search for comparators: bounds that hold for a run, each with its comparator."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.expert_sequences import Succession
from driftline.certify.evidence import Evidence

Offers = Iterator[tuple[bounds.Bound, Comparator | Succession]]
Finder = Callable[[rules.Rule, Evidence], Offers]


def made(kind: type[bounds.Bound], **inputs: float) -> bounds.Bound | None:
    """Return the bound, or None if a condition fails, for example by rounding."""
    try:
        return kind(**inputs)
    except ValueError:
        return None
