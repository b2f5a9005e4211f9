"""What averaging and choosing gain over the last hypothesis, and whether the certificates are kept and tight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.batch.choices import ALL, AVERAGE, CHOSEN, DELTA, LAST, PRINTED, RADIUS, VOTE
from driftline.reproduce.gentile2005.batch.stream import DIMENSIONS, NAMES, NEWS, ROUNDS
from driftline.reproduce.gentile2005.judged import at_most, fewer, often_enough
from driftline.reproduce.gentile2005.records import Records

TIGHT = 2.0
"""A certificate of at most so many times the risk is called tight."""


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Stream by stream."""
    records = Records.of(answers.values())
    return [one for where in records.wheres() for one in _of(records, where)]


def _of(records: Records, where: str) -> Iterator[Verdict]:
    last = records.values("risk", where, LAST)
    for choice in ALL[1:]:
        risks, limits = (records.values(measure, where, choice) for measure in ("risk", "certificate"))
        if not risks:
            continue
        which = choice if choice in (AVERAGE, VOTE) else "hypothesis chosen by penalised error"
        yield fewer(
            f"The {which} has a smaller risk than the last hypothesis",
            f"{where}; {choice}",
            (choice, LAST),
            risks,
            last,
            "error on fresh examples",
        )
        yield often_enough(
            f"The risk exceeds its certificate with probability {DELTA:g} at most",
            f"{where}; {choice}",
            [risk > limit for risk, limit in zip(risks, limits, strict=True)],
            DELTA,
        )
        if choice in (PRINTED, CHOSEN):
            yield at_most(
                f"The certificate is tight: at most {TIGHT:g} times the risk",
                f"{where}; {choice}",
                "certificate / risk",
                [limit / risk for risk, limit in zip(risks, limits, strict=True)],
                TIGHT,
            )


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The learner, and what was added to the tutorial."""
    found = [
        f"Batch: {ROUNDS:,} examples, once in order, by a Perceptron that stays within {RADIUS:g} of the origin, so "
        f"that its hinge loss is bounded as the certificate of the average needs. Linear targets have {DIMENSIONS} "
        "dimensions. The last hypothesis has no certificate. The average's is that of the hinge loss, the vote's twice "
        "the mean risk; chosen as printed is the tutorial's penalty sqrt(ln(T/delta)/s) with its bound "
        "M + 6 sqrt(ln(T/delta)/T), and chosen by kl takes and reports the smallest Chernoff limit. "
        f"The tutorial says of its bounds that they are tight, as a belief; tight is taken here as within {TIGHT:g} "
        "times the risk. Its last claim, that any batch classifier run on line will do, is tried with logistic "
        "regression, fitted again whenever the examples are half as many again."
    ]
    if NAMES[NEWS] in Records.of(answers.values()).wheres():
        found.append("Posts are fresh where they were not learned from; the orders of different seeds share the posts.")
    return found
