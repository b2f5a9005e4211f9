"""What a search for comparators offers: bounds that hold for a run, and the comparators that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from driftline import bounds, rules
from driftline.certify.comparators import Comparator
from driftline.certify.evidence import Evidence
from driftline.certify.successions import Succession

Offers = Iterator[tuple[bounds.Bound, Comparator | Succession]]
Finder = Callable[[rules.Rule, Evidence], Offers]


def made(kind: type[bounds.Bound], **inputs: float) -> bounds.Bound | None:
    """The bound; None where rounding has broken a condition."""
    try:
        return kind(**inputs)
    except ValueError:
        return None
