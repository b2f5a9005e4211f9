"""The claims of section 5, judged by 95 % intervals of paired differences.

"No decisive difference" between NORMA and ALMA compares their difference with the gap of each
learner to its version without margin. The claim holds if the whole interval of NORMA - ALMA lies
within a quarter of the smaller gap. It does not hold if the whole interval lies outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.intervals import interval, less, mean_and_error, paired
from driftline.reproduce.kivinen2002.grids import ALMA, ALMA0, NORMA, NORMA0, PERCEPTRON, TITLES
from driftline.reproduce.kivinen2002.streams import KINDS, SWITCHING
from driftline.reproduce.kivinen2002.tuning import chosen_answers, policies

SMALL = 0.25
CLAIMS = (
    (NORMA, NORMA0, "NORMA makes fewer mistakes with a positive margin than with margin zero"),
    (ALMA, ALMA0, "ALMA makes fewer mistakes with a positive margin than with margin zero"),
    (NORMA0, PERCEPTRON, "Forgetting helps even without a margin: NORMA₀ makes fewer mistakes than the Perceptron"),
    (ALMA0, PERCEPTRON, "Bounded weights help even without a margin: ALMA₀ makes fewer mistakes than the Perceptron"),
)
JUMPS = (NORMA, PERCEPTRON, "NORMA works well if the target switches: it makes fewer mistakes than the Perceptron")
ALIKE = "NORMA and ALMA do not differ decisively"


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdict on every claim for each kind of stream and each width policy."""
    found = []
    for kind in KINDS:
        for policy in policies(answers):
            mistakes = {name: one["mistakes"] for name, one in chosen_answers(answers, kind, policy).items()}
            where = f"{kind}, {policy}"
            claims = (*CLAIMS, JUMPS) if kind == SWITCHING else CLAIMS
            found += [fewer(mistakes, a, b, claim, where) for a, b, claim in claims]
            found.append(no_decisive_difference(mistakes, where))
    return found


def fewer(mistakes: Mapping[str, Sequence[float]], a: str, b: str, claim: str, where: str) -> Verdict:
    """Return the verdict on whether learner a makes fewer mistakes than learner b."""
    first, second = mistakes[a], mistakes[b]
    difference, error = paired(first, second)
    (low_a, high_a), (low_b, high_b) = interval(first), interval(second)
    apart = high_a < low_b or high_b < low_a
    numbers = {
        "difference": difference,
        "standard error": error,
        **_mean_numbers(a, first),
        **_mean_numbers(b, second),
        "intervals overlap": float(not apart),
    }
    says = (
        f"{_mean_text(a, first)}, {_mean_text(b, second)}: difference {difference:.1f}, standard error {error:.1f}; "
        f"the 95 % intervals {'do not overlap' if apart else 'overlap'}."
    )
    return Verdict(claim, where, less(first, second), numbers, says)


def no_decisive_difference(mistakes: Mapping[str, Sequence[float]], where: str) -> Verdict:
    """Judge whether NORMA and ALMA differ little compared with the effect of a margin."""
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
            f"that is {numbers['ratio']:.2f} of the smaller gap to the versions without margin, {gap:.1f}. Its 95 % "
            f"interval is {low:.1f} to {high:.1f}; a quarter of the gap is {limit:.1f}."
        )
    else:
        says += "a margin does not reduce mistakes here, so there is no gap to compare with."
    return Verdict(ALIKE, where, holds, numbers, says)


def _mean_numbers(name: str, values: Sequence[float]) -> dict[str, float]:
    low, high = interval(values)
    title = TITLES[name]
    return {title: mean_and_error(values)[0], f"{title} low": low, f"{title} high": high}


def _mean_text(name: str, values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{TITLES[name]} {mean_and_error(values)[0]:.1f} ({low:.1f} to {high:.1f})"
