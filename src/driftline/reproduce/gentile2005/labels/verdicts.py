"""Whether few labels suffice, whether asking beats chance, and whether formula and bound are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import at_most, below, fewer
from driftline.reproduce.gentile2005.labels.data import COMMON, NAMES
from driftline.reproduce.gentile2005.labels.solve import ASKING, LIMIT, PRESCRIBED
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.intervals import interval, mean_and_error

SHARE, EXCESS = 0.5, 0.1
"""Few labels: at most this share of them. Nearly as good: at most this share more mistakes."""
SOUGHT = 0.05
"""The b that is tried is the smallest with at most this excess on the other half of the seeds."""
PRECISE = 0.02
"""An interval of the labels beyond their expectation must be at most this share of them wide to either side."""


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Stream by stream, way by way."""
    records = Records.of(answers.values())
    found: list[Verdict] = []
    for where in records.wheres():
        for variant in ASKING:
            found += [_suffice(records, where, variant), _beats(records, where, variant)]
        found += _kept(records, where)
    return found


def _suffice(records: Records, where: str, variant: str) -> Verdict:
    """b is chosen on the even seeds and judged on the odd ones."""
    tried = {b: _excess(records, where, variant, b) for b in records.parameters(where, variant)}
    enough = [b for b, excess in tried.items() if np.mean(excess[::2]) <= SOUGHT]
    b = enough[0] if enough else max(tried)
    excess, share = tried[b][1::2], _share(records, where, variant, b)[1::2]
    both = below(excess, EXCESS), below(share, SHARE)
    holds = False if False in both else None if None in both else True
    numbers = {"b": b}
    for name, values in (("excess", excess), ("share", share)):
        numbers[name], numbers[f"standard error of {name}"] = mean_and_error(values)
    says = (
        f"At b = {b:g}, chosen on the other half of the seeds, it asks for {numbers['share']:.1%} of the labels and "
        f"makes {numbers['excess']:+.1%} mistakes (standard error {numbers['standard error of excess']:.1%}), "
        f"{len(excess)} seeds."
    )
    claim = f"At most {SHARE:.0%} of the labels suffice for at most {EXCESS:.0%} more mistakes than with all of them"
    return Verdict(claim, f"{where}; {variant}", holds, numbers, says)


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


def _excess(records: Records, where: str, variant: str, b: float) -> list[float]:
    made, full = (records.values(measure, where, variant, b) for measure in ("mistakes", "all labels"))
    return [a / of - 1.0 for a, of in zip(made, full, strict=True)]


def _share(records: Records, where: str, variant: str, b: float) -> list[float]:
    asked, rounds = (records.values(measure, where, variant, b) for measure in ("asked", "rounds"))
    return [a / of for a, of in zip(asked, rounds, strict=True)]


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The data, and what was left out."""
    wheres = Records.of(answers.values()).wheres()
    found = [
        f"Labels: {' and '.join(wheres)}; rows are scaled to length 1, so R = 1, without a bias. The second order "
        f"keeps a matrix, so it, its twin with all labels and its twin with random ones work on the {COMMON} commonest "
        "features. As many labels at random are exactly as many as were asked for, drawn from all rounds; mistakes "
        "count in all rounds. The tutorial's own figures, from other texts, have no numbers to compare with."
    ]
    if NAMES["spam"] in wheres:
        found.append(
            "Spam comes in its own order, in which it drifts: seeds differ in the coins only, and its intervals say "
            "nothing of other streams."
        )
    if NAMES["digits"] in wheres:
        found.append("No text was at hand: digits, odd against even, stand in for it.")
    return found
