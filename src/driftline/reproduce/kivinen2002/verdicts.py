"""The claims of section 5, judged by the 95 % interval of differences on the same streams.

No decisive difference is said to be there where the whole interval of NORMA - ALMA is within a quarter of the smaller
one of their gaps to their forms without margin; there is one where the whole interval is outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.intervals import interval, less, mean_and_error, paired
from driftline.reproduce.kivinen2002.grids import ALMA, ALMA0, NORMA, NORMA0, PERCEPTRON, TITLES
from driftline.reproduce.kivinen2002.streams import KINDS, SWITCHING
from driftline.reproduce.kivinen2002.tuning import chosen, policies

SMALL = 0.25
CLAIMS = (
    (NORMA, NORMA0, "A positive margin makes fewer mistakes than a margin of zero: NORMA"),
    (ALMA, ALMA0, "A positive margin makes fewer mistakes than a margin of zero: ALMA"),
    (NORMA0, PERCEPTRON, "Forgetting helps even without a margin: NORMA₀ makes fewer mistakes than the Perceptron"),
    (ALMA0, PERCEPTRON, "A ball helps even without a margin: ALMA₀ makes fewer mistakes than the Perceptron"),
)
JUMPS = (NORMA, PERCEPTRON, "NORMA works well where the target jumps: it makes fewer mistakes than the Perceptron")
ALIKE = "NORMA and ALMA do not differ decisively"


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Every claim on either kind of stream, by either way of tuning."""
    found = []
    for kind in KINDS:
        for policy in policies(answers):
            mistakes = {name: one["mistakes"] for name, one in chosen(answers, kind, policy).items()}
            where = f"{kind}, {policy}"
            claims = (*CLAIMS, JUMPS) if kind == SWITCHING else CLAIMS
            found += [fewer(mistakes, a, b, claim, where) for a, b, claim in claims]
            found.append(alike(mistakes, where))
    return found


def fewer(mistakes: Mapping[str, Sequence[float]], a: str, b: str, claim: str, where: str) -> Verdict:
    """Whether learner a makes fewer mistakes than learner b."""
    first, second = mistakes[a], mistakes[b]
    difference, error = paired(first, second)
    (low_a, high_a), (low_b, high_b) = interval(first), interval(second)
    apart = high_a < low_b or high_b < low_a
    numbers = {
        "difference": difference,
        "standard error": error,
        **_named(a, first),
        **_named(b, second),
        "intervals overlap": float(not apart),
    }
    says = (
        f"{_said(a, first)}, {_said(b, second)}: a difference of {difference:.1f}, standard error {error:.1f}; "
        f"the 95 % intervals {'do not overlap' if apart else 'overlap'}."
    )
    return Verdict(claim, where, less(first, second), numbers, says)


def alike(mistakes: Mapping[str, Sequence[float]], where: str) -> Verdict:
    """Whether NORMA and ALMA differ by little against what a margin brings either of them."""
    difference, error = paired(mistakes[NORMA], mistakes[ALMA])
    low, high = interval([a - b for a, b in zip(mistakes[NORMA], mistakes[ALMA], strict=True)])
    gaps = [paired(mistakes[zero], mistakes[full])[0] for full, zero in ((NORMA, NORMA0), (ALMA, ALMA0))]
    gap = min(gaps)
    numbers = {"difference": difference, "standard error": error, "low": low, "high": high, "smaller gap": gap}
    holds: bool | None = None
    says = f"NORMA - ALMA is {difference:.1f}, standard error {error:.1f}; "
    if gap > 0.0:
        numbers["ratio"] = abs(difference) / gap
        limit = SMALL * gap
        if -limit <= low and high <= limit:
            holds = True
        elif high < -limit or low > limit:
            holds = False
        says += (
            f"that is {numbers['ratio']:.2f} of the smaller gap to the forms without margin, {gap:.1f}, and its 95 % "
            f"interval is {low:.1f} to {high:.1f}, where {limit:.1f} would be a quarter of the gap."
        )
    else:
        says += "a margin brings nothing here that it could be compared with."
    return Verdict(ALIKE, where, holds, numbers, says)


def _named(name: str, values: Sequence[float]) -> dict[str, float]:
    low, high = interval(values)
    title = TITLES[name]
    return {title: mean_and_error(values)[0], f"{title} low": low, f"{title} high": high}


def _said(name: str, values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{TITLES[name]} {mean_and_error(values)[0]:.1f} ({low:.1f} to {high:.1f})"
