"""Whether few labels suffice, whether asking beats chance, and whether formula and bound are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import at_most, below, fewer
from driftline.reproduce.gentile2005.labels.data import COMMON, NAMES
from driftline.reproduce.gentile2005.labels.runs import ASKING, LIMIT, PRESCRIBED
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.intervals import interval, mean_and_error

SHARE = 0.5
"""Few labels: at most this share of them."""
EXCESS, POINTS = 0.1, 0.02
"""Nearly as good, strictly: at most this share more mistakes. Loosely: an error larger by at most so much."""
PRECISE = 0.02
"""An interval of the labels beyond their expectation must be at most this share of them wide to either side."""


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Stream by stream, way by way."""
    records = Records.of(answers.values())
    found: list[Verdict] = []
    for where in records.wheres():
        for variant in ASKING:
            found += [*_suffice(records, where, variant), _beats(records, where, variant)]
        found += _kept(records, where)
    return found


def _suffice(records: Records, where: str, variant: str) -> Iterator[Verdict]:
    """b is the best with few labels on the even seeds, and judged on the odd ones."""
    grid = records.parameters(where, variant)
    few = [b for b in grid if interval(_rate(records, where, variant, b, "asked")[::2])[1] <= SHARE] or grid[:1]
    b = min(few, key=lambda one: sum(records.values("mistakes", where, variant, one)[::2]))
    asked, made, chance, full = (
        _rate(records, where, variant, b, measure)[1::2] for measure in ("asked", "mistakes", "at random", "all labels")
    )
    share = below(asked, SHARE)
    at = f"At b = {b:g}, chosen on the other half of the seeds, it asks for {np.mean(asked):.1%} of the labels"
    for claim, beyond, limit, what in (
        (
            f"At most {SHARE:.0%} of the labels suffice for at most {EXCESS:.0%} more mistakes than with all of them",
            _relative,
            EXCESS,
            "mistakes",
        ),
        (
            f"At most {SHARE:.0%} of the labels suffice for an error within {100 * POINTS:g} points of that with all",
            _absolute,
            POINTS,
            "of the rounds in error",
        ),
    ):
        values = beyond(made, full)
        both = below(values, limit), share
        holds = False if False in both else None if None in both else True
        mean, error = mean_and_error(values)
        random = float(np.mean(beyond(chance, full)))
        numbers = {"b": b, "share": float(np.mean(asked)), "difference": mean, "standard error": error}
        says = (
            f"{at}: {mean:+.1%} {what} (standard error {error:.2%}), {len(values)} seeds; "
            f"with as many at random {random:+.1%}."
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
        "Asking where the score says little beats as many labels at random",
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
        "Labels asked for are the sum of b / (b + |score|) in expectation",
        f"{where}; {variant}, mean over all b",
        holds,
        {"asked": float(asked.mean()), "expected": float(expected.mean()), "difference": mean, "standard error": error},
        f"Asked {asked.mean():,.0f}, expected {expected.mean():,.0f}: {mean:+.2%}, standard error {error:.2%}, "
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
    """By round."""
    counts, rounds = (records.values(one, where, variant, b) for one in (measure, "rounds"))
    return [count / of for count, of in zip(counts, rounds, strict=True)]


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The data, and what was left out."""
    wheres = Records.of(answers.values()).wheres()
    found = [
        f"Labels: {' and '.join(wheres)}; rows are scaled to length 1, so R = 1, without a bias. The second order "
        f"keeps a matrix, so it, its twin with all labels and its twin with random ones work on the {COMMON} commonest "
        "features. As many labels at random are exactly as many as were asked for, drawn from all rounds; mistakes "
        "count in all rounds. The tutorial shows figures, of other texts, but no numbers, so what is few "
        "and what is nearly as good was said here."
    ]
    shuffled = [name for name in wheres if name != NAMES["spam"]]
    if shuffled:
        found.append(
            f"Seeds of {' and '.join(shuffled)} are orders of the same examples, and coins: intervals say what other "
            "orders would give, nothing of other examples."
        )
    if NAMES["spam"] in wheres:
        found.append(
            "Spam comes in its own order, in which it drifts: seeds differ in the coins only, and its intervals say "
            "nothing of other streams."
        )
    if NAMES["digits"] in wheres:
        found.append("No text was at hand: digits, odd against even, stand in for it.")
    return found
