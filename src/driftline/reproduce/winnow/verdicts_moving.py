"""What holds as the target grows dense and the examples grow sparse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import paired
from driftline.reproduce.winnow.chosen import everywhere, from_sparse_end
from driftline.reproduce.winnow.judged import fewer, foretold, kept, overtaking
from driftline.reproduce.winnow.moving import PART, PERCEPTRON, ROUNDS, THEOREM, WHERE
from driftline.reproduce.winnow.runs import Runs, Table

TIES, WRONG = "mistakes", "wrong"
COUNTS = {TIES: "ties counted", WRONG: "wrong labels counted"}
IN_ALL = f"within {ROUNDS} n rounds"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Both ends of the path, and the turn between them."""
    for count, shown in COUNTS.items():
        same, best = from_sparse_end(runs, count), everywhere(runs, count)
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
                "As the target grows dense and examples sparse, the Perceptron comes to make fewer mistakes than "
                "balanced Winnow",
                f"{rate}, {shown}, {IN_ALL}",
                perceptron,
                tables[count],
                ("the Perceptron", "balanced Winnow"),
                "relevant attributes",
            )
            yield found if count == TIES else with_luck(found, runs, tables)
    yield foretold(
        "Balanced Winnow falls behind the Perceptron at the density at which its bound does",
        "its theorem's rate",
        {COUNTS[TIES]: (runs.table(PART, WHERE, PERCEPTRON), runs.table(PART, WHERE, THEOREM))},
        "The number of relevant attributes",
    )
    yield kept(
        "No run makes more mistakes than its bound",
        "all densities",
        runs,
        PART,
        {PERCEPTRON: "Perceptron", THEOREM: "balanced Winnow at its theorem's rate"},
    )


def with_luck(verdict: Verdict, runs: Runs, other: Mapping[str, Table]) -> Verdict:
    """The verdict on wrong labels, with what of its difference are ties that luck answers rightly."""
    own = {count: runs.table(PART, WHERE, PERCEPTRON, count) for count in COUNTS}
    mine, theirs = (lucky(tables) for tables in (own, other))
    luck, error = paired(mine, theirs)
    a, b = (sum(ties) / len(ties) for ties in (mine, theirs))
    return replace(
        verdict,
        numbers={**verdict.numbers, "of it lucky ties": luck, "their standard error": error},
        says=f"{verdict.says} Of this difference {luck:,.1f} (standard error {error:.1f}) are ties that luck answers: "
        f"{a:,.1f} of the Perceptron's and {b:,.1f} of balanced Winnow's, and where ties count as mistakes "
        f"{verdict.numbers['difference at the largest'] - luck:,.1f} remain.",
    )


def lucky(tables: Mapping[str, Table]) -> list[float]:
    """The ties at the largest size that were answered rightly."""
    ties, wrong = (tables[count].counts[:, -1] for count in (TIES, WRONG))
    return [float(one) for one in ties - wrong]
