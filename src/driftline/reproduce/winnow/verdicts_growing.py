"""Verdicts on a growing number of irrelevant attributes."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow.growing import BALANCED, PART, PERCEPTRON, WINNOW
from driftline.reproduce.winnow.runs import Runs
from driftline.reproduce.winnow.verdict_forms import (
    bounds_predict_crossing,
    growth_exponent,
    growth_law,
    overtaking,
    within_bounds,
)

FROM = 100.0
"""Smallest number of attributes at which growth is judged.

Below it, many attributes are relevant.
"""
SLACK = 0.1


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Yield the verdicts for each target: growth of each learner, and where Winnow is ahead."""
    for place in runs.places(PART):
        where = f"{place} attributes, dense examples"
        tables = {name: runs.table(PART, place, name) for name in (WINNOW, BALANCED, PERCEPTRON)}
        large = {name: table.among(table.x[table.x >= FROM]) for name, table in tables.items()}
        for name in (WINNOW, BALANCED):
            yield growth_law(
                f"{capitalised(name)}'s mistakes grow like the logarithm of n, not like a power of n",
                where,
                large[name],
                True,
                "n",
            )
        claim = "The Perceptron's mistakes grow like a power of n, not like the logarithm of n"
        yield growth_law(claim, where, large[PERCEPTRON], False, "n")
        yield growth_exponent(
            "The Perceptron's mistakes grow in proportion to n", where, large[PERCEPTRON], 1.0, SLACK, "n"
        )
        for name in (WINNOW, BALANCED):
            claim = f"With enough irrelevant attributes, {name} makes fewer mistakes than the Perceptron"
            yield overtaking(claim, where, tables[name], tables[PERCEPTRON], (name, "the Perceptron"), "n")
    pairs = {
        place: (runs.table(PART, place, BALANCED), runs.table(PART, place, PERCEPTRON)) for place in runs.places(PART)
    }
    claim = "The Perceptron falls behind balanced Winnow at the n at which its bound becomes larger"
    yield bounds_predict_crossing(claim, "dense examples", pairs, "The n")
    yield within_bounds(
        "No run makes more mistakes than its bound",
        "all targets with irrelevant attributes",
        runs,
        PART,
        {name: name for name in (WINNOW, BALANCED, PERCEPTRON)},
    )


def capitalised(name: str) -> str:
    """Return the name with a capital first letter."""
    return name[0].upper() + name[1:]
