"""Figures of mistakes over the spread of the eigenvalues, one per direction of the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, second_order_name
from driftline.reproduce.gentile2005.spectrum.stream import AXES
from driftline.reproduce.plotting import axes, band, legend

PLACES = {"small": "smallest", "large": "largest"}


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield one figure per direction of the target."""
    from matplotlib.ticker import LogLocator, NullFormatter

    records = Records.of(answers.values())
    for axis in AXES if records.all else ():
        figure, ax = axes("largest / smallest variance of the examples", "mistakes")
        for k, learner in enumerate((FIRST, *map(second_order_name, AS))):
            spreads = records.parameters(axis, learner)
            found = [records.values("mistakes", axis, learner, spread) for spread in spreads]
            band(ax, spreads, list(zip(*found, strict=True)), learner, k)
        ax.set(xscale="log", yscale="log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_minor_formatter(NullFormatter())
        for one in (ax.xaxis, ax.yaxis):
            one.set_major_formatter("{x:g}")
        legend(ax)
        yield Drawing(
            f"spectrum-{axis}",
            f"First and second order, target along the {PLACES[axis]} variance",
            f"Mistakes of the first- and the second-order Perceptron over the spread of the eigenvalues. Both axes are "
            f"logarithmic. The target lies along the direction of {PLACES[axis]} variance. Means over seeds with "
            "95 % bands. " + SEEN[axis],
            figure,
        )


SEEN = {
    "small": "A level line means that the spread does not hurt the learner.",
    "large": "All learners improve as the target's direction dominates. The lines differ because of the choice of a.",
}
