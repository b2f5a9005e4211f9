"""What the paper leaves open and was chosen here, and what the Tracker does on the same streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Answer
from driftline.reproduce.intervals import mean_and_error, paired
from driftline.reproduce.kivinen2002.grids import KERNELS, N_WAVES, NORMA, REACH, SHARED, TITLES, TRACKER, WAVES
from driftline.reproduce.kivinen2002.streams import KINDS
from driftline.reproduce.kivinen2002.tuning import chosen, described, edges, policies

STREAMS = (
    "Streams. The paper gives two dimensions, a mixture of Gaussians a class, a filter that leaves out what the Bayes "
    "rule gets wrong or is not sure of, a small change every 10 trials or a very large one every 1,000, and 10,000 "
    "trials. Chosen here: two Gaussians a class, means in the square from -1 to 1, standard deviation 0.3, an example "
    "is kept where the log odds in favour of its label exceed 1, a small change is a step of N(0, 0.05²) in each "
    "coordinate of each mean with reflection at the sides, a very large one is all means drawn anew."
)
QUICK = "Quick run: 1,000 trials, and switches every 100 of them."


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """One paragraph each."""
    first = next(one for one in answers.values() if one["learner"] == NORMA)
    quick = [QUICK] if first["trials"][-1] < 10_000 else []
    return [STREAMS, *quick, _tuning(answers, first), _edges(answers), _tracker(answers), _numbers()]


def _tuning(answers: Mapping[str, Answer], first: Answer) -> str:
    widths = sorted({one["width"] for one in answers.values() if "width" in one})
    tried = {
        name: len(next(one for one in answers.values() if one["learner"] == name)["tried"]) * len(widths)
        for name in TITLES
        if name in KERNELS
    }
    counts = ", ".join(f"{TITLES[name]} {count}" for name, count in tried.items())
    return (
        "Tuning. The paper tuned by hand for each kind of stream and gives no values. Here each learner gets the "
        f"setting with the fewest mistakes on {_span(first['tuning seeds'])} and is judged on {_span(first['seeds'])}, "
        f"none of which it was tuned on. Settings tried: {counts}; "
        f"kernel widths {', '.join(f'{width:g}' for width in widths)}. The step is 1, which loses nothing: only ratios "
        "of step, margin and radius or forgetting matter. No support vector is ever dropped. Since the only parameter "
        "of the Perceptron is the width, claims are judged twice where several widths were tried: with a width for "
        f"each learner, which is the harder test of what is added to a Perceptron, and with {SHARED:g} for all."
    )


def _outermost(answers: Mapping[str, Answer], kind: str, name: str, one: Answer) -> list[str]:
    """The width, where others were tried and none beyond it."""
    widths = {a["width"] for a in answers.values() if "width" in a and (a["stream"], a["learner"]) == (kind, name)}
    return ["width"] if len(widths) > 1 and one["width"] in (min(widths), max(widths)) else []


def _edges(answers: Mapping[str, Answer]) -> str:
    """Whether what was chosen lies at an end of what was tried."""
    policy = policies(answers)[0]
    found = [
        f"{', '.join(at_end)} of {TITLES[name]} on {kind} streams ({described(one)})"
        for kind in KINDS
        for name, one in chosen(answers, kind, policy).items()
        if (at_end := [*edges(one), *_outermost(answers, kind, name, one)])
    ]
    if not found:
        return "Edges. No parameter was chosen at an end of the values tried."
    return (
        "Edges. Chosen at an end of the values tried beside the others, so that a wider grid might find better "
        f"(margins go up to {REACH:g} of what a score can reach): {'; '.join(found)}."
    )


def _tracker(answers: Mapping[str, Answer]) -> str:
    parts = []
    for kind in KINDS:
        found = chosen(answers, kind, policies(answers)[0])
        best = min((name for name in KERNELS), key=lambda name: mean_and_error(found[name]["mistakes"])[0])
        means = {name: mean_and_error(found[name]["mistakes"])[0] for name in (TRACKER, WAVES, best)}
        difference, error = paired(found[WAVES]["mistakes"], found[best]["mistakes"])
        parts.append(
            f"on {kind} streams it makes {means[TRACKER]:.1f} mistakes on the two coordinates and {means[WAVES]:.1f} "
            f"on waves, where the best tuned learner, {TITLES[best]}, makes {means[best]:.1f} (waves minus best: "
            f"{difference:.1f}, standard error {error:.1f})"
        )
    return (
        "Not in the paper: the Tracker, with nothing tuned, sees the same streams, once as they are and once as "
        f"{N_WAVES} random waves that stand for the Gaussian kernel of width {SHARED:g}, which was set beforehand to "
        f"that of the streams' Gaussians: {'; '.join(parts)}."
    )


def _numbers() -> str:
    return (
        "Numbers. A mistake is a trial with y f(x) <= 0, counted before the trial is learned. Intervals are Student's, "
        "over streams; differences are between mistakes on the same stream."
    )


def _span(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} streams (seeds {min(seeds)} to {max(seeds)})"
