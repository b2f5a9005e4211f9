"""Count, for each claim, the readings of the paper in which it holds.

A claim holds in a reading if all its verdicts there hold. Results that are shown but not judged do
not count. Where an experiment has only one reading of its paper, each verdict is a case by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftline.reproduce.experiment import Verdict

MANY = 30
"""Up to this many verdicts are printed one by one. More are summarised by claim."""


@dataclass(frozen=True)
class Conclusion:
    """A claim, and whether it holds in each reading."""

    claim: str
    cases: dict[str, bool | None]
    """The readings in which the claim was judged, or the places if there is only one reading."""

    def where(self, holds: bool | None) -> list[str]:
        """Return the cases with this outcome."""
        return [case for case, found in self.cases.items() if found is holds]

    @property
    def text(self) -> str:
        """In how many cases the claim holds, and in how many it is undecided."""
        if not self.cases:
            return "not judged"
        open_ = len(self.where(None))
        return f"{len(self.where(True))} of {len(self.cases)}" + (f", {open_} undecided" if open_ else "")


def conclusions(verdicts: Sequence[Verdict]) -> list[Conclusion]:
    """Return one conclusion per claim, in the order of the verdicts."""
    found: dict[str, dict[str, list[bool | None]]] = {}
    for one in verdicts:
        cases = found.setdefault(one.claim, {})
        if one.judged:
            cases.setdefault(one.reading or one.where, []).append(one.holds)
    return [Conclusion(claim, {case: every(some) for case, some in cases.items()}) for claim, cases in found.items()]


def count_text(verdicts: Sequence[Verdict]) -> str:
    """Return how many claims hold everywhere, in part and nowhere, and how many verdicts there are.

    Controls are no claims of the paper and are left out of the first sentence. If the paper can be
    read in several ways, a claim that was judged in one reading only does not count as held in
    every reading.

    >>> three = [Verdict("a", "x", True, {}, ""), Verdict("a", "y", False, {}, ""), Verdict("b", "x", None, {}, "")]
    >>> count_text(three)
    '2 claims: 0 hold in every case, 1 in some cases only, 1 in none. 3 verdicts: 1 hold, 1 do not hold, 1 undecided.'
    """
    case = unit(verdicts)
    claims = conclusions([one for one in verdicts if not one.control])
    needed = 2 if case == "reading" else 1
    held = [len(one.where(True)) for one in claims]
    everywhere = sum(needed <= n == len(one.cases) for n, one in zip(held, claims, strict=True))
    nowhere = held.count(0)
    some = len(claims) - everywhere - nowhere
    counts = {holds: sum(one.judged and one.holds is holds for one in verdicts) for holds in (True, False, None)}
    shown = sum(not one.judged for one in verdicts)
    return (
        f"{len(claims)} claims: {everywhere} hold in every {case}, {some} in some {case}s only, {nowhere} in none. "
        f"{len(verdicts)} verdicts: {counts[True]} hold, {counts[False]} do not hold, {counts[None]} undecided"
        + (f", {shown} shown but not judged." if shown else ".")
    )


def unit(verdicts: Sequence[Verdict]) -> str:
    """Return the word for what a conclusion counts: "reading" or "case"."""
    return "reading" if any(one.reading for one in verdicts) else "case"


def every(holds: Sequence[bool | None]) -> bool | None:
    """Return whether all hold: False if any is False, else None if any is undecided."""
    if any(one is False for one in holds):
        return False
    return None if any(one is None for one in holds) else True
