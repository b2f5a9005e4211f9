"""What holds as the target grows dense and the examples grow sparse."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow.chosen import Chosen, everywhere, from_sparse_end
from driftline.reproduce.winnow.judged import fewer, foretold, kept, overtaking
from driftline.reproduce.winnow.moving import PART, PERCEPTRON, THEOREM, WHERE
from driftline.reproduce.winnow.runs import Runs, Table

COUNTS = {"mistakes": "mistakes, ties counted", "wrong": "wrong labels"}


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Both ends of the path, and the turn between them."""
    tables = {count: runs.table(PART, WHERE, PERCEPTRON, count) for count in COUNTS}
    theorem = {count: runs.table(PART, WHERE, THEOREM, count) for count in COUNTS}
    same, best = from_sparse_end(runs), everywhere(runs)
    first, last = float(tables["mistakes"].x[0]), float(tables["mistakes"].x[-1])
    yield fewer(
        "Sparse target, dense examples: balanced Winnow makes fewer mistakes than the Perceptron",
        f"{first:g} relevant attributes, its theorem's rate",
        ("balanced Winnow", "the Perceptron"),
        [(shown, theorem[count].at(first), tables[count].at(first)) for count, shown in COUNTS.items()],
    )
    claim = "Dense target, sparse examples: the Perceptron makes fewer mistakes than balanced Winnow"
    everyone = f"all {last:g} attributes relevant"
    for counted, rate in (
        (theorem, "its theorem's rate"),
        (_counts(same), f"rate {same.rates[-1]:g}, the best for the sparse target"),
        (_counts(best), f"rate {best.rates[-1]:g}, the best for this target"),
    ):
        yield fewer(
            claim,
            f"{everyone}, {rate}",
            ("the Perceptron", "balanced Winnow"),
            [(shown, tables[count].at(last), counted[count].at(last)) for count, shown in COUNTS.items()],
        )
    yield overtaking(
        "Between the two the order turns: beyond some density of the target, balanced Winnow makes more mistakes",
        f"rate {same.rates[0]:g} all along",
        tables["mistakes"],
        same.table(),
        ("the Perceptron", "balanced Winnow"),
        "relevant attributes",
    )
    yield foretold(
        "Balanced Winnow falls behind the Perceptron at the density at which its bound does",
        "its theorem's rate",
        tables["mistakes"],
        theorem["mistakes"],
        "relevant attributes",
    )
    yield kept(
        "No run makes more mistakes than its bound",
        "all densities",
        runs,
        PART,
        {PERCEPTRON: "Perceptron", THEOREM: "balanced Winnow at its theorem's rate"},
    )


def _counts(chosen: Chosen) -> dict[str, Table]:
    return {count: chosen.table(count) for count in COUNTS}
