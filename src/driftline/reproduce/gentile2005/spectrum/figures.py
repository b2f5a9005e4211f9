"""Mistakes over the spread of the eigenvalues, one figure for each place of the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, named
from driftline.reproduce.gentile2005.spectrum.stream import AXES
from driftline.reproduce.pictures import axes, band, legend

PLACES = {"small": "smallest", "large": "largest"}


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """One for each place of the target."""
    from matplotlib.ticker import LogLocator, NullFormatter

    records = Records.of(answers.values())
    for axis in AXES if records.all else ():
        figure, ax = axes("largest / smallest variance of the examples", "mistakes")
        for k, learner in enumerate((FIRST, *map(named, AS))):
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
            f"Mistakes of the first- and the second-order Perceptron over the spread of the eigenvalues, both axes "
            f"logarithmic, where the target lies along the direction of {PLACES[axis]} variance; means over seeds with "
            "95 % bands. " + SEEN[axis],
            figure,
        )


SEEN = {
    "small": "A line that stays level is a learner that the spread does not hurt.",
    "large": "All get better as the target's direction comes to dominate; what separates the lines is the choice of a.",
}
