"""Verdicts on the path from a sparse target to a dense one, with examples that become sparse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import paired
from driftline.reproduce.winnow.moving import PART, PERCEPTRON, ROUNDS, THEOREM, WHERE
from driftline.reproduce.winnow.rate_selection import best_rate_at_each_size, best_rate_at_sparse_end
from driftline.reproduce.winnow.runs import Runs, Table
from driftline.reproduce.winnow.verdict_forms import bounds_predict_crossing, fewer, overtaking, within_bounds

TIES, WRONG = "mistakes", "wrong"
COUNTS = {TIES: "ties counted", WRONG: "wrong labels counted"}
IN_ALL = f"within {ROUNDS} n rounds"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Yield the verdicts on the sparse end of the path and on the crossing along it."""
    for count, shown in COUNTS.items():
        same, best = best_rate_at_sparse_end(runs, count), best_rate_at_each_size(runs, count)
        perceptron = runs.table(PART, WHERE, PERCEPTRON, count)
        theorem = runs.table(PART, WHERE, THEOREM, count)
        first = float(perceptron.x[0])
        yield fewer(
            "Sparse target, dense examples: balanced Winnow makes fewer mistakes than the Perceptron",
            f"{first:g} relevant attributes, its theorem's rate, {shown}, {IN_ALL}",
            ("Balanced Winnow", "the Perceptron"),
            theorem.at(first),
            perceptron.at(first),
        )
        for tables, rate in (
            ({one: runs.table(PART, WHERE, THEOREM, one) for one in COUNTS}, "its theorem's rate"),
            ({one: same.table(one) for one in COUNTS}, f"rate {same.rates[0]:g}, the best for the sparse target"),
            ({one: best.table(one) for one in COUNTS}, "the best rate for each target"),
        ):
            found = overtaking(
                "As the target becomes dense and the examples sparse, the Perceptron makes fewer mistakes than "
                "balanced Winnow",
                f"{rate}, {shown}, {IN_ALL}",
                perceptron,
                tables[count],
                ("the Perceptron", "balanced Winnow"),
                "relevant attributes",
            )
            yield found if count == TIES else with_lucky_ties(found, runs, tables)
    yield bounds_predict_crossing(
        "Balanced Winnow falls behind the Perceptron at the density at which its bound becomes larger",
        "its theorem's rate",
        {COUNTS[TIES]: (runs.table(PART, WHERE, PERCEPTRON), runs.table(PART, WHERE, THEOREM))},
        "The number of relevant attributes",
    )
    yield within_bounds(
        "No run makes more mistakes than its bound",
        "all densities",
        runs,
        PART,
        {PERCEPTRON: "Perceptron", THEOREM: "balanced Winnow at its theorem's rate"},
    )


def with_lucky_ties(verdict: Verdict, runs: Runs, other: Mapping[str, Table]) -> Verdict:
    """Add to a verdict on wrong labels how much of the difference is due to lucky ties.

    A lucky tie is a score of zero that gives the right label by chance.
    """
    own = {count: runs.table(PART, WHERE, PERCEPTRON, count) for count in COUNTS}
    mine, theirs = (lucky_ties(tables) for tables in (own, other))
    luck, error = paired(mine, theirs)
    a, b = (sum(ties) / len(ties) for ties in (mine, theirs))
    return replace(
        verdict,
        numbers={**verdict.numbers, "of it lucky ties": luck, "their standard error": error},
        says=f"{verdict.says} Of this difference {luck:,.1f} (standard error {error:.1f}) are lucky ties: the "
        f"Perceptron has {a:,.1f} of them and balanced Winnow {b:,.1f}. If ties count as mistakes, "
        f"{verdict.numbers['difference at the largest'] - luck:,.1f} remain.",
    )


def lucky_ties(tables: Mapping[str, Table]) -> list[float]:
    """Return the number of ties at the largest size that gave the right label, per seed."""
    ties, wrong = (tables[count].counts[:, -1] for count in (TIES, WRONG))
    return [float(one) for one in ties - wrong]
