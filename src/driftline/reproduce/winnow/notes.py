"""What the lectures leave open and was chosen here."""

from __future__ import annotations

from driftline.reproduce.winnow import growing
from driftline.reproduce.winnow.runs import Runs


def notes(runs: Runs) -> list[str]:
    """Choices, and how far the counts reach."""
    return [
        "The lectures are about worst cases; streams here are random, but all examples have the least margin that "
        "their target allows. A verdict on growth is about these streams and sizes, and never about the bound.",
        "Both Winnows run at what their theorems prescribe, which takes the number of relevant attributes to be known; "
        "the Perceptron needs to know nothing. The lecture's own theorem on Winnow is false as printed (the target's "
        "threshold must be 1), and the corrected one is used.",
        _settled(runs),
        "A mistake is a margin of 0 or less: a tie counts, as in the theorems. The Perceptron has many ties on sparse "
        "examples, as its weights are whole numbers, and learns from a tie that it happened to answer rightly; so at "
        "the dense end wrong labels are counted too, and where the two ways disagree the verdict is open.",
        "At a small rate balanced Winnow's weights, 2 sinh(rate z), are nearly the Perceptron's, z. Its theorem "
        "prescribes a rate of about 1 / k, so on a dense target it is the Perceptron but for ties: its bound is the "
        "worse one there, its mistakes are not.",
        "A law of growth is fitted to all but the two largest sizes and judged at the largest. Errors are by leaving "
        "out one seed at a time, intervals are Student's at 95 %.",
        "The centre of mass is sampled, so its bound, which is for the exact one, is a guide. Halving on the grid is "
        "told the margin; the others are not.",
    ]


def _settled(runs: Runs) -> str:
    """How many rounds there were where attributes grow, and what share of the Perceptron's mistakes is likely seen."""
    told = []
    for place in runs.places(growing.PART):
        rounds, quiet = (runs.table(growing.PART, place, growing.PERCEPTRON, count) for count in ("rounds", "quiet"))
        calm = quiet.counts.min() if quiet.counts.size else 0.0
        mean = runs.table(growing.PART, place, growing.PERCEPTRON).counts[:, -1].mean()
        state = "had fallen silent" if calm > 0.0 else "still erred now and then at some sizes"
        told.append(f"{place}: {mean:,.0f} mistakes in at most {rounds.counts.max():,.0f} rounds; it {state}")
    return (
        "Where attributes grow, a learner runs until it has made no mistake for a while, or for a number of rounds in "
        f"proportion to n. The Perceptron at the largest n, {'; '.join(told)}. So its counts are, if anything, too low."
    )
