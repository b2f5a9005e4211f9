"""Notes: choices that the lectures leave open."""

from __future__ import annotations

from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.growth_laws import NEAR
from driftline.reproduce.winnow.runs import Runs
from driftline.reproduce.winnow.verdict_forms import ENOUGH, ENOUGH_TO_FIT

PARTS = {
    growing.PART: "with growing attributes",
    moving.PART: "with changing densities",
    shrinking.PART: "with shrinking margins",
    alternating.PART: "in the adversarial order",
}


def notes(runs: Runs) -> list[str]:
    """Return the notes on choices, and on runs that had not settled."""
    return [
        "The lectures study worst cases. The streams here are random, except one that is ordered adversarially to the "
        "Perceptron. All examples have the smallest margin that their target allows, or nearly so. A verdict on growth "
        "is about these streams and sizes, not about the bound.",
        "Both versions of Winnow use the parameters that their theorems prescribe, which requires the number of "
        "relevant attributes. The Perceptron needs no such knowledge. The lecture's theorem on Winnow is false as "
        "printed, because the target's threshold must be 1. The corrected theorem is used.",
        "The order of two learners is decided by the 95 % interval of the paired difference over the same streams. A "
        "growth law is fitted without the two largest sizes and judged at the largest. The better law must be within "
        f"{NEAR:.0%} of the count there. A run has settled if it made no mistakes in the last quarter of its rounds, "
        "or if it was stopped early after many rounds without a mistake. Laws, exponents and the crossings predicted "
        "by bounds are judged only at sizes at which all runs settled, because at other sizes the number of rounds "
        f"limits the count. They are undecided if there are fewer than {ENOUGH} such sizes, or fewer than "
        f"{ENOUGH_TO_FIT} for a law. Errors of exponents, predictions and crossings are jackknife errors over seeds.",
        "A mistake is a margin of 0 or less, so a tie counts, as in the theorems. The Perceptron has many ties on "
        "sparse examples, because its weights are integers. It also updates on a tie that happens to give the right "
        "label, which the lecture's version does not. With changing densities, wrong labels are therefore judged too.",
        "At a small rate the weights of balanced Winnow, 2 sinh(rate z), are almost proportional to the Perceptron's, "
        "z. Its theorem prescribes a rate of about 1 / k for k relevant attributes. On a dense target it therefore "
        "behaves like the Perceptron except for ties: its bound is worse there, but its mistakes need not be.",
        "The centre of mass is approximated by sampling. Its bound is for the exact centre, so it is only a guide. "
        "Halving on the grid is given the margin and the other learners are not. It is left out if its grid has too "
        "many points.",
        "Some choices were made after a first look at the counts: the number of rounds, the smallest size from which "
        "growth is judged, the two ways of counting with changing densities, the largest margins and the adversarial "
        "order. After a full run it was decided to judge growth only at sizes at which all runs settled, and only by a "
        "law that is close.",
        _settled(runs),
    ]


def _settled(runs: Runs) -> str:
    """Return a note on learners that still made mistakes in the last quarter of their rounds."""
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
        f"Learners that had not settled at the end of their rounds: {found}. More rounds would increase their counts. "
        "All learners on a stream have the same maximum number of rounds."
    )
