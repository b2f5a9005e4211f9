"""What the lectures leave open and was chosen here."""

from __future__ import annotations

from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.judged import ENOUGH, ENOUGH_TO_FIT
from driftline.reproduce.winnow.laws import NEAR
from driftline.reproduce.winnow.runs import Runs

PARTS = {
    growing.PART: "where attributes grow",
    moving.PART: "where densities move",
    shrinking.PART: "where margins shrink",
    alternating.PART: "in the order against the Perceptron",
}


def notes(runs: Runs) -> list[str]:
    """Choices, and how far the counts reach."""
    return [
        "The lectures are about worst cases. Streams here are random, but all examples have the least margin that "
        "their target allows, or nearly; one is ordered against the Perceptron. A verdict on growth is about these "
        "streams and sizes, never about the bound.",
        "Both Winnows run at what their theorems prescribe, which takes the number of relevant attributes to be known; "
        "the Perceptron needs to know nothing. The lecture's own theorem on Winnow is false as printed (the target's "
        "threshold must be 1), and the corrected one is used.",
        "Who is ahead is decided by the 95 % interval of the paired difference on the same streams. A law of growth is "
        f"fitted to all but the two largest sizes and judged at the largest: the better one must miss by at most "
        f"{NEAR:.0%}. Laws, exponents and turns that bounds foretell are judged at sizes at which all runs fell "
        f"silent, as elsewhere the rounds set the count; they are undecided where these sizes are fewer than {ENOUGH}, "
        f"or {ENOUGH_TO_FIT} for a law. Errors of exponents, misses and turns are by leaving out one seed at a time.",
        "A mistake is a margin of 0 or less: a tie counts, as in the theorems. The Perceptron has many ties on sparse "
        "examples, as its weights are whole numbers, and it learns even from a tie that luck answers rightly, which "
        "the lecture's does not. So where densities move, wrong labels are judged, too.",
        "At a small rate balanced Winnow's weights, 2 sinh(rate z), are nearly the Perceptron's, z. Its theorem "
        "prescribes a rate of about 1 / k for k relevant attributes, so on a dense target it is the Perceptron but for "
        "ties: its bound is the worse one there, its mistakes need not be.",
        "The centre of mass is sampled, so its bound, which is for the exact one, is a guide. Halving on the grid is "
        "told the margin; the others are not. It is left out where its grid has too many points.",
        "Some choices were made after a first look at counts: the number of rounds, from which size growth is judged, "
        "the two ways of counting where densities move, the largest margins, the order against the Perceptron, and, "
        "after a whole run, that growth is judged only where all runs fell silent and by a law that is near.",
        _settled(runs),
    ]


def _settled(runs: Runs) -> str:
    """Which learners still erred in the last quarter of their rounds, and how often."""
    told = []
    for part, where in PARTS.items():
        runs_of: dict[str, list[float]] = {}
        for place in runs.places(part):
            for learner in runs.learners(part, place):
                settled = runs.table(part, place, learner, "settled").counts
                runs_of.setdefault(learner.partition(",")[0], []).extend(settled.ravel().tolist())
        for name, silent in runs_of.items():
            if not all(silent):
                told.append(f"{name} {where} in {silent.count(0.0)} of {len(silent)} runs")
    found = "; ".join(told) if told else "none"
    return (
        f"Learners that had not fallen silent when their rounds ended: {found}. They count too few mistakes; all "
        "learners on a stream have the same rounds at most."
    )
