"""Verdicts: a large p is better for sparse targets, p = 2 for dense ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.norms.runs import DENSE, LARGEST, LEARNER, bound_of, sparse_name
from driftline.reproduce.gentile2005.norms.stream import FEATURES, PRESENT, RELEVANT
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.verdict_forms import fewer, within_limits

NAMES = {2.0: "p = 2", LARGEST: "p = 2 ln n"}


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdicts on p = 2 against p = 2 ln n at each number of relevant features."""
    records = Records.of(answers.values())
    return list(_of(records)) if records.all else []


def favoured_by_bound(relevant: int) -> float:
    """Return 2 or 2 ln n, whichever p has the smaller bound on dense examples."""
    return min(NAMES, key=lambda p: bound_of(p, 1.0, relevant, FEATURES))


def crossing() -> int:
    """Return the smallest number of relevant features at which p = 2 has the smaller bound."""
    return next(k for k in range(1, FEATURES) if favoured_by_bound(k) == 2.0)


def _of(records: Records) -> Iterator[Verdict]:
    for relevant in RELEVANT:
        p = favoured_by_bound(relevant)
        amount = "few" if p > 2.0 else "many"
        yield _wins(records, sparse_name(relevant), p, f"On dense examples with {amount} relevant features")
    yield _wins(records, DENSE, 2.0, "On sparse examples with all features relevant")
    yield within_limits(
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
    """Return the notes on the streams, the bounds and the number of rounds."""
    records = Records.of(answers.values())
    found = [
        f"Norms: {FEATURES:,} features. In dense examples every feature is -1 or +1, and the label is the vote of a "
        f"few relevant features. Sparse examples have {PRESENT} features, and all features are relevant. 2 ln n is "
        f"{LARGEST:.1f}. On dense examples p = 2 ln n has a smaller bound than p = 2 for fewer than {crossing()} "
        "relevant features, and a larger one from there on. The claim is made for the p with the smaller bound. A "
        "dense target takes longer to learn, so its stream is longer."
    ]
    return [*found, _reach(records)] if records.all else found


def _reach(records: Records) -> str:
    """Return a note on how far p = 2 is from convergence on the streams of dense examples."""
    streams = [sparse_name(relevant) for relevant in RELEVANT]
    made, rounds = (
        np.array([np.mean(records.values(one, where, LEARNER, 2.0)) for where in streams])
        for one in ("mistakes", "rounds")
    )
    share = 100.0 * made / rounds
    return (
        f"Norms, number of rounds: each stream of dense examples has {rounds[0]:,.0f} rounds, and p = 2 errs in "
        f"{share.min():.0f} to {share.max():.0f} % of them, for every number of relevant features. These rounds cover "
        "only the beginning of learning. Mistakes are compared within these rounds, not after both learners have "
        "stopped making mistakes."
    )
