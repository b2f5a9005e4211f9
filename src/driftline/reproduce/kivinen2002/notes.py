"""Notes: choices that the paper leaves open, and the Tracker's results on the same streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Answer
from driftline.reproduce.intervals import mean_and_error, paired
from driftline.reproduce.kivinen2002.grids import KERNELS, N_WAVES, NORMA, REACH, SHARED, TITLES, TRACKER, WAVES
from driftline.reproduce.kivinen2002.streams import KINDS
from driftline.reproduce.kivinen2002.tuning import chosen_answers, describe, parameters_at_edge, policies

STREAMS = (
    "Streams. The paper specifies two dimensions, one mixture of Gaussians per class, a filter that drops examples on "
    "which the Bayes rule is wrong or unsure, a small change every 10 trials or a very large one every 1,000, and "
    "10,000 trials. The following was chosen here. Each class has two Gaussians with means in the square from -1 to 1 "
    "and standard deviation 0.3. An example is kept if the log odds in favour of its label exceed 1. A small change "
    "adds N(0, 0.05²) to each coordinate of each mean, with reflection at the sides of the square. A very large change "
    "draws all means again."
)
QUICK = "Quick run: 1,000 trials with a switch every 100 trials."


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """Return the notes, one paragraph each."""
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
        "Tuning. The paper tuned by hand for each kind of stream and gives no values. Here each learner uses the "
        f"setting with the fewest mistakes on {_span(first['tuning seeds'])} and is judged on {_span(first['seeds'])}. "
        f"No stream is used for both. Settings tried: {counts}; "
        f"kernel widths {', '.join(f'{width:g}' for width in widths)}. The step size is fixed at 1 without loss of "
        "generality, because only its ratios to the margin and to the radius or forgetting rate matter. No support "
        "vector is ever dropped. The kernel width is the only parameter of the Perceptron. If several widths were "
        "tried, claims are therefore judged twice: with a width tuned for each learner, which is the harder test for "
        f"the extensions of the Perceptron, and with width {SHARED:g} for all learners."
    )


def _outermost(answers: Mapping[str, Answer], kind: str, name: str, one: Answer) -> list[str]:
    """Return ["width"] if the chosen width is the smallest or largest of several tried."""
    widths = {a["width"] for a in answers.values() if "width" in a and (a["stream"], a["learner"]) == (kind, name)}
    return ["width"] if len(widths) > 1 and one["width"] in (min(widths), max(widths)) else []


def _edges(answers: Mapping[str, Answer]) -> str:
    """Return a paragraph on parameters that were chosen at an end of their grid."""
    policy = policies(answers)[0]
    found = [
        f"{', '.join(at_end)} of {TITLES[name]} on {kind} streams ({describe(one)})"
        for kind in KINDS
        for name, one in chosen_answers(answers, kind, policy).items()
        if (at_end := [*parameters_at_edge(one), *_outermost(answers, kind, name, one)])
    ]
    if not found:
        return "Grid edges. No chosen parameter lies at an end of its grid."
    return (
        "Grid edges. These chosen parameters lie at an end of the values tried, so a wider grid might find better "
        f"ones (margins go up to {REACH:g} of the largest possible score): {'; '.join(found)}."
    )


def _tracker(answers: Mapping[str, Answer]) -> str:
    parts = []
    for kind in KINDS:
        found = chosen_answers(answers, kind, policies(answers)[0])
        best = min((name for name in KERNELS), key=lambda name: mean_and_error(found[name]["mistakes"])[0])
        means = {name: mean_and_error(found[name]["mistakes"])[0] for name in (TRACKER, WAVES, best)}
        difference, error = paired(found[WAVES]["mistakes"], found[best]["mistakes"])
        parts.append(
            f"on {kind} streams it makes {means[TRACKER]:.1f} mistakes on the two coordinates and {means[WAVES]:.1f} "
            f"on waves, and the best tuned learner, {TITLES[best]}, makes {means[best]:.1f} (waves minus best: "
            f"{difference:.1f}, standard error {error:.1f})"
        )
    return (
        "Not in the paper. The untuned Tracker runs on the same streams, once on the two coordinates and once on "
        f"{N_WAVES} random Fourier features (waves), which approximate the Gaussian kernel of width {SHARED:g}. This "
        "width was fixed in advance to the standard deviation of the streams' Gaussians. Results: "
        f"{'; '.join(parts)}."
    )


def _numbers() -> str:
    return (
        "Statistics. A mistake is a trial with y f(x) <= 0, counted before the learner is trained on the trial. "
        "Intervals are Student's t intervals over streams. Differences are paired by stream."
    )


def _span(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} streams (seeds {min(seeds)} to {max(seeds)})"
