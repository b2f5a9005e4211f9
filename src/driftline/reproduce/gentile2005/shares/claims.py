"""Verdicts: fixed share follows a changing best expert, and costs little without changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.bounds import FixedShareVote
from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.shares.runs import MAJORITY, RATE, SHARE, alpha_of
from driftline.reproduce.gentile2005.shares.stream import EXPERTS, GOOD, OTHERS, ROUNDS
from driftline.reproduce.gentile2005.verdict_forms import at_most, fewer, within_limits

STREAM = "experts"


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdicts at each number of changes."""
    records = Records.of(answers.values())
    return list(_of(records)) if records.all else []


def price() -> float:
    """Return the excess of fixed share's bound over weighted majority's without changes."""
    shared, alone = (
        FixedShareVote(n=EXPERTS, L=0.0, k=0, T=ROUNDS, alpha=alpha, eta=RATE).value for alpha in (alpha_of(0), 1e-12)
    )
    return shared - alone


def _of(records: Records) -> Iterator[Verdict]:
    for changes in records.parameters(STREAM, SHARE):
        share, majority = (records.values("mistakes", STREAM, name, changes) for name in (SHARE, MAJORITY))
        if changes:
            yield fewer(
                "If the best expert changes, fixed share makes fewer mistakes than weighted majority",
                f"{changes:g} {'change' if changes == 1 else 'changes'} in {ROUNDS:,} rounds",
                (SHARE, MAJORITY),
                share,
                majority,
            )
        else:
            yield at_most(
                "If the best expert does not change, sharing costs no more than its bound allows",
                f"no change in {ROUNDS:,} rounds",
                "excess mistakes of fixed share over weighted majority",
                [a - b for a, b in zip(share, majority, strict=True)],
                price(),
            )
    for name in (SHARE, MAJORITY):
        runs = [one.found for one in records.all if one.learner == name]
        yield within_limits(
            f"Mistakes of {name} stay within its bound",
            "all numbers of changes",
            [found["mistakes"] for found in runs],
            [found["bound"] for found in runs],
        )


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """Return the notes on the experts and the parameters."""
    return [
        f"Shares: {EXPERTS} experts and {ROUNDS:,} rounds in equal segments. In each segment another expert is the "
        f"good one, which errs in {GOOD:.0%} of the rounds; all others err in {OTHERS:.0%}, independently. In both "
        "learners an error divides the weight of an expert by e. Fixed share redistributes alpha = k / (T - 1) for k "
        "changes, as the tutorial says, and 1 / (T - 1) without changes. The update is that of Herbster and Warmuth, "
        "because the tutorial's printed version forgets the shares in the next round."
    ]
