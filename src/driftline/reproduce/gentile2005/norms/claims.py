"""The orderings cross: large p for sparse targets, p = 2 for dense ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import always, fewer
from driftline.reproduce.gentile2005.norms.runs import DENSE, LARGEST, LEARNER, bound_of, sparse_name
from driftline.reproduce.gentile2005.norms.stream import FEATURES, PRESENT, RELEVANT
from driftline.reproduce.gentile2005.records import Records

NAMES = {2.0: "p = 2", LARGEST: "p = 2 ln n"}


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Of the two ends, at each number of relevant features."""
    records = Records.of(answers.values())
    return list(_of(records)) if records.all else []


def foreseen(relevant: int) -> float:
    """Of p = 2 and p = 2 ln n, the one whose bound is smaller on dense examples with so many relevant features."""
    return min(NAMES, key=lambda p: bound_of(p, 1.0, relevant, FEATURES))


def crossing() -> int:
    """The fewest relevant features at which the bound of p = 2 is the smaller one."""
    return next(k for k in range(1, FEATURES) if foreseen(k) == 2.0)


def _of(records: Records) -> Iterator[Verdict]:
    for relevant in RELEVANT:
        p = foreseen(relevant)
        amount = "few" if p > 2.0 else "many"
        yield _wins(records, sparse_name(relevant), p, f"On dense examples with so {amount} relevant features")
    yield _wins(records, DENSE, 2.0, "On sparse examples where all features are relevant")
    yield always(
        "Mistakes stay within (p - 1) R^2 / gamma^2",
        "all p, all streams",
        [one.found["mistakes"] for one in records.all],
        [one.found["bound"] for one in records.all],
    )


def _wins(records: Records, where: str, p: float, when: str) -> Verdict:
    other = LARGEST if p == 2.0 else 2.0
    best, worst = (records.values("mistakes", where, LEARNER, one) for one in (p, other))
    rounds = records.values("rounds", where, LEARNER, p)[0]
    claim = f"{when}, {NAMES[p]} makes fewer mistakes than {NAMES[other]} in the first {rounds:,.0f} rounds"
    return fewer(claim, where, (NAMES[p], NAMES[other]), best, worst)


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The streams, what the bounds foresee, and how far the rounds reach."""
    records = Records.of(answers.values())
    found = [
        f"Norms: {FEATURES:,} features. Dense examples have -1 or +1 in each, and the label is the vote of a few "
        f"relevant ones; sparse examples have {PRESENT} features, and all features count. 2 ln n is {LARGEST:.1f}. "
        f"On dense examples the bound of p = 2 ln n is smaller than that of p = 2 for less than {crossing()} relevant "
        "features, and larger from there on; that decides which of the two a claim is made for. A dense target takes "
        "longer to learn, so its stream is longer."
    ]
    return [*found, _reach(records)] if records.all else found


def _reach(records: Records) -> str:
    """How far p = 2 is from having learned, on each of the dense streams."""
    streams = [sparse_name(relevant) for relevant in RELEVANT]
    made, rounds = (
        np.array([np.mean(records.values(one, where, LEARNER, 2.0)) for where in streams])
        for one in ("mistakes", "rounds")
    )
    share = 100.0 * made / rounds
    return (
        f"Norms, how far they reach: each stream of dense examples has {rounds[0]:,.0f} rounds, and p = 2 errs in "
        f"{share.min():.0f} to {share.max():.0f} % of them whatever the number of relevant features; these rounds are "
        "the start of its learning and not all of it. Who makes fewer mistakes is judged within them, not after both "
        "have fallen silent."
    )
