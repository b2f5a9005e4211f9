"""What holds as the target grows dense and the examples grow sparse."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow.chosen import everywhere, from_sparse_end
from driftline.reproduce.winnow.judged import fewer, foretold, kept, overtaking
from driftline.reproduce.winnow.moving import PART, PERCEPTRON, THEOREM, WHERE
from driftline.reproduce.winnow.runs import Runs

COUNTS = {"mistakes": "ties counted", "wrong": "wrong labels counted"}


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Both ends of the path, and the turn between them."""
    same, best = from_sparse_end(runs), everywhere(runs)
    for count, shown in COUNTS.items():
        perceptron = runs.table(PART, WHERE, PERCEPTRON, count)
        theorem = runs.table(PART, WHERE, THEOREM, count)
        first = float(perceptron.x[0])
        yield fewer(
            "Sparse target, dense examples: balanced Winnow makes fewer mistakes than the Perceptron",
            f"{first:g} relevant attributes, its theorem's rate, {shown}",
            ("Balanced Winnow", "the Perceptron"),
            theorem.at(first),
            perceptron.at(first),
        )
        for table, rate in (
            (theorem, "its theorem's rate"),
            (same.table(count), f"rate {same.rates[0]:g}, the best for the sparse target"),
            (best.table(count), "the best rate for each target"),
        ):
            yield overtaking(
                "As the target grows dense and examples sparse, the Perceptron comes to make fewer mistakes than "
                "balanced Winnow",
                f"{rate}, {shown}",
                perceptron,
                table,
                ("the Perceptron", "balanced Winnow"),
                "relevant attributes",
            )
    yield foretold(
        "Balanced Winnow falls behind the Perceptron at the density at which its bound does",
        "its theorem's rate",
        {"ties counted": (runs.table(PART, WHERE, PERCEPTRON), runs.table(PART, WHERE, THEOREM))},
        "The number of relevant attributes",
    )
    yield kept(
        "No run makes more mistakes than its bound",
        "all densities",
        runs,
        PART,
        {PERCEPTRON: "Perceptron", THEOREM: "balanced Winnow at its theorem's rate"},
    )
