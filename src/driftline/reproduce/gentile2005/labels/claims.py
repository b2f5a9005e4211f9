"""Verdicts on label efficiency: few labels suffice, asking beats chance, and theory is met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.labels.data import COMMON, NAMES
from driftline.reproduce.gentile2005.labels.runs import ASKING, LIMIT, PRESCRIBED
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.verdict_forms import at_most, fewer, mean_at_most
from driftline.reproduce.intervals import interval, mean_and_error

SHARE = 0.5
""""Few labels" means at most this fraction of them."""
EXCESS, POINTS = 0.1, 0.02
""""Nearly as good" has two criteria.

The strict one allows this fraction more mistakes, the loose one an error rate larger by this much.
"""
PRECISE = 0.02
"""Largest half-width of the interval of the relative excess of labels for a positive verdict."""


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdicts by stream and variant."""
    records = Records.of(answers.values())
    found: list[Verdict] = []
    for where in records.wheres():
        for variant in ASKING:
            found += [*_suffice(records, where, variant), _beats(records, where, variant)]
        found += _kept(records, where)
    return found


def _suffice(records: Records, where: str, variant: str) -> Iterator[Verdict]:
    """Judge whether few labels suffice.

    The parameter b is chosen on the even seeds and judged on the odd seeds.
    """
    grid = records.parameters(where, variant)
    few = [b for b in grid if interval(_rate(records, where, variant, b, "asked")[::2])[1] <= SHARE] or grid[:1]
    b = min(few, key=lambda one: sum(records.values("mistakes", where, variant, one)[::2]))
    asked, made, chance, full = (
        _rate(records, where, variant, b, measure)[1::2] for measure in ("asked", "mistakes", "at random", "all labels")
    )
    share = mean_at_most(asked, SHARE)
    at = f"With b = {b:g}, chosen on the other half of the seeds, it requests {np.mean(asked):.1%} of the labels"
    for claim, beyond, limit, what in (
        (
            f"At most {SHARE:.0%} of the labels suffice for at most {EXCESS:.0%} more mistakes than with all labels",
            _relative,
            EXCESS,
            "mistakes",
        ),
        (
            f"At most {SHARE:.0%} of the labels suffice for an error within {100 * POINTS:g} points of that with all "
            "labels",
            _absolute,
            POINTS,
            "of the rounds in error",
        ),
    ):
        values = beyond(made, full)
        both = mean_at_most(values, limit), share
        holds = False if False in both else None if None in both else True
        mean, error = mean_and_error(values)
        random = float(np.mean(beyond(chance, full)))
        numbers = {"b": b, "share": float(np.mean(asked)), "difference": mean, "standard error": error}
        says = (
            f"{at}: {mean:+.1%} {what} (standard error {error:.2%}), {len(values)} seeds; "
            f"with the same number of random labels {random:+.1%}."
        )
        yield Verdict(claim, f"{where}; {variant}", holds, {**numbers, "at random": random}, says)


def _relative(made: Sequence[float], full: Sequence[float]) -> list[float]:
    return [one / of - 1.0 for one, of in zip(made, full, strict=True)]


def _absolute(made: Sequence[float], full: Sequence[float]) -> list[float]:
    return [one - of for one, of in zip(made, full, strict=True)]


def _beats(records: Records, where: str, variant: str) -> Verdict:
    grid = records.parameters(where, variant)
    asked, chance = (
        np.mean([records.values(measure, where, variant, b) for b in grid], axis=0).tolist()
        for measure in ("mistakes", "at random")
    )
    return fewer(
        "Requesting labels when the score is small beats the same number of random labels",
        f"{where}; {variant}, mean over all b",
        ("asking", "at random"),
        asked,
        chance,
    )


def _kept(records: Records, where: str) -> Iterator[Verdict]:
    variant = "constant"
    grid = records.parameters(where, variant)
    asked, expected = (
        np.mean([records.values(measure, where, variant, b) for b in grid], axis=0) for measure in ("asked", "expected")
    )
    beyond = ((asked - expected) / expected).tolist()
    low, high = interval(beyond)
    mean, error = mean_and_error(beyond)
    holds = False if low > 0.0 or high < 0.0 else True if high - low <= 2.0 * PRECISE else None
    yield Verdict(
        "The expected number of requested labels is the sum of b / (b + |score|)",
        f"{where}; {variant}, mean over all b",
        holds,
        {"asked": float(asked.mean()), "expected": float(expected.mean()), "difference": mean, "standard error": error},
        f"Requested {asked.mean():,.0f}, expected {expected.mean():,.0f}: {mean:+.2%}, standard error {error:.2%}, "
        f"{len(beyond)} seeds.",
    )
    limits = records.values("bound", where, LIMIT, PRESCRIBED)
    if limits:
        yield at_most(
            "Expected mistakes stay within the bound at b = R^2 / 2",
            f"{where}; {variant}, b = {PRESCRIBED:g}",
            "mistakes",
            records.values("mistakes", where, variant, PRESCRIBED),
            limits[0],
        )


def _rate(records: Records, where: str, variant: str, b: float, measure: str) -> list[float]:
    """Return a count per round."""
    counts, rounds = (records.values(one, where, variant, b) for one in (measure, "rounds"))
    return [count / of for count, of in zip(counts, rounds, strict=True)]


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """Return the notes on the data and on what the seeds mean."""
    wheres = Records.of(answers.values()).wheres()
    found = [
        f"Labels: {' and '.join(wheres)}. Rows are scaled to length 1, so R = 1, and there is no bias. The "
        "second-order learner stores a matrix. It and its two baselines, with all labels and with random labels, "
        f"therefore use only the {COMMON} most frequent features. The baseline with random labels gets exactly as many "
        "labels as were requested, drawn from all rounds. Mistakes are counted in all rounds. The tutorial shows "
        "figures for other texts but no numbers, so the meaning of few and of nearly as good was chosen here."
    ]
    shuffled = [name for name in wheres if name != NAMES["spam"]]
    if shuffled:
        found.append(
            f"The seeds of {' and '.join(shuffled)} differ in the order of the same examples and in the learner's "
            "random numbers. Intervals describe other orders, not other examples."
        )
    if NAMES["spam"] in wheres:
        found.append(
            "Spam keeps its order of arrival, in which it drifts. Its seeds differ only in the learner's random "
            "numbers, and its intervals say nothing about other streams."
        )
    if NAMES["digits"] in wheres:
        found.append("No text was available. Digits, odd against even, replace it.")
    return found
