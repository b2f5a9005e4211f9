"""Fixed share follows the best expert through its changes, and costs little where there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.bounds import FixedShareVote
from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import always, at_most, fewer
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.shares.runs import MAJORITY, RATE, SHARE, alpha_of
from driftline.reproduce.gentile2005.shares.stream import EXPERTS, GOOD, OTHERS, ROUNDS

STREAM = "experts"


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """At each number of changes, and without any."""
    records = Records.of(answers.values())
    return list(_of(records)) if records.all else []


def price() -> float:
    """Mistakes that the bound of fixed share allows beyond that of weighted majority where nothing changes."""
    shared, alone = (
        FixedShareVote(n=EXPERTS, L=0.0, k=0, T=ROUNDS, alpha=alpha, eta=RATE).value for alpha in (alpha_of(0), 1e-12)
    )
    return shared - alone


def _of(records: Records) -> Iterator[Verdict]:
    for changes in records.parameters(STREAM, SHARE):
        share, majority = (records.values("mistakes", STREAM, name, changes) for name in (SHARE, MAJORITY))
        if changes:
            yield fewer(
                "Where the best expert changes, fixed share makes fewer mistakes than weighted majority",
                f"{changes:g} {'change' if changes == 1 else 'changes'} in {ROUNDS:,} rounds",
                (SHARE, MAJORITY),
                share,
                majority,
            )
        else:
            yield at_most(
                "Where the best expert does not change, sharing costs no more than its bound allows for it",
                f"no change in {ROUNDS:,} rounds",
                "mistakes of fixed share beyond those of weighted majority",
                [a - b for a, b in zip(share, majority, strict=True)],
                price(),
            )
    for name in (SHARE, MAJORITY):
        runs = [one.found for one in records.all if one.learner == name]
        yield always(
            f"Mistakes of {name} stay within its bound",
            "all numbers of changes",
            [found["mistakes"] for found in runs],
            [found["bound"] for found in runs],
        )


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The experts, and the parameters."""
    return [
        f"Shares: {EXPERTS} experts, {ROUNDS:,} rounds cut into equal segments; in each another expert errs in "
        f"{GOOD:.0%} of the rounds and all others in {OTHERS:.0%}, independently. An error divides a weight by e for "
        "both learners; fixed share gives away alpha = k / (T - 1) for k changes as the tutorial says, and 1 / (T - 1) "
        "where there is none. The update is that of Herbster and Warmuth: as the tutorial prints it, shares are "
        "forgotten in the next round."
    ]
