"""Verdicts on averaging and choosing against the last hypothesis, and on the certificates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.batch.choices import ALL, AVERAGE, CHOSEN, DELTA, LAST, PRINTED, RADIUS, VOTE
from driftline.reproduce.gentile2005.batch.stream import DIMENSIONS, NAMES, NEWS, ROUNDS
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.verdict_forms import at_most, failure_rate_at_most, fewer

TIGHT = 2.0
"""A certificate is called tight if it is at most this many times the risk."""


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdicts, stream by stream."""
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
        yield failure_rate_at_most(
            f"The risk exceeds its certificate with probability at most {DELTA:g}",
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
    """Return the notes on the learners, the certificates and the additions to the tutorial."""
    found = [
        f"Batch: one pass over {ROUNDS:,} examples by a Perceptron whose weights stay within {RADIUS:g} of the origin. "
        f"This bounds its hinge loss, as the certificate of the average requires. Linear targets have {DIMENSIONS} "
        "dimensions. The last hypothesis has no certificate. The certificate of the average bounds its hinge loss, and "
        'that of the vote is twice the mean risk. "Chosen, as printed" uses the tutorial\'s penalty '
        'sqrt(ln(T/delta)/s) with its bound M + 6 sqrt(ln(T/delta)/T). "Chosen, kl" minimises and reports the '
        "Chernoff limit. "
        "The tutorial states as a belief that its bounds are tight. Here a certificate is tight if it is at most "
        f"{TIGHT:g} times the risk. The tutorial's last claim, that any batch classifier can be run online, is tested "
        "with logistic regression, which is refitted whenever the number of examples has grown by half."
    ]
    if NAMES[NEWS] in Records.of(answers.values()).wheres():
        found.append("Fresh posts are those not used for training. The seeds use different orders of the same posts.")
    return found
