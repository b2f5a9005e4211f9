"""What holds where irrelevant attributes grow."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow.growing import BALANCED, PART, PERCEPTRON, WINNOW
from driftline.reproduce.winnow.judged import foretold, kept, law, overtaking, power
from driftline.reproduce.winnow.runs import Runs

FROM = 100.0
"""Attributes from which on growth is judged: below, the relevant ones are many among all."""
SLACK = 0.1


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """For each target: the growth of each learner, and where Winnow is ahead."""
    for place in runs.places(PART):
        where = f"{place} attributes, dense examples"
        tables = {name: runs.table(PART, place, name) for name in (WINNOW, BALANCED, PERCEPTRON)}
        large = {name: table.among(table.x[table.x >= FROM]) for name, table in tables.items()}
        for name in (WINNOW, BALANCED):
            yield law(
                f"{shown(name)}'s mistakes grow like the logarithm of n, not like a power of it",
                where,
                large[name],
                True,
                "n",
            )
        claim = "The Perceptron's mistakes grow like a power of n, not like its logarithm"
        yield law(claim, where, large[PERCEPTRON], False, "n")
        yield power("The Perceptron's mistakes grow in proportion to n", where, large[PERCEPTRON], 1.0, SLACK, "n")
        for name in (WINNOW, BALANCED):
            claim = f"With enough irrelevant attributes, {name} makes fewer mistakes than the Perceptron"
            yield overtaking(claim, where, tables[name], tables[PERCEPTRON], (name, "the Perceptron"), "n")
    pairs = {
        place: (runs.table(PART, place, BALANCED), runs.table(PART, place, PERCEPTRON)) for place in runs.places(PART)
    }
    claim = "The Perceptron falls behind balanced Winnow at the n at which its bound does"
    yield foretold(claim, "dense examples", pairs, "The n")
    yield kept(
        "No run makes more mistakes than its bound",
        "all targets with irrelevant attributes",
        runs,
        PART,
        {name: name for name in (WINNOW, BALANCED, PERCEPTRON)},
    )


def shown(name: str) -> str:
    """A name that begins a sentence."""
    return name[0].upper() + name[1:]
