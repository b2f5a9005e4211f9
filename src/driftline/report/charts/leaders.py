"""The leading voters of a vote of experts along the stream, and all voters at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from driftline.evaluate import Run
from driftline.learners import Tracker
from driftline.report.charts.class_lanes import ClassLanes, votes_by_label
from driftline.report.charts.curves import EXAMPLES
from driftline.report.charts.figure import figure
from driftline.report.charts.scale import magnitude, ticks, written
from driftline.report.html_table import Row, bar, table
from driftline.report.safe_text import brief, escaped

# names are placed above their bars, so that the drawing stays readable on a narrow page
WIDTH, LEFT, RIGHT, TOP = 420.0, 8.0, 400.0, 8.0
PITCH, BAR, BELOW = 36.0, 14.0, 48.0
FAINTEST = 0.25
SHOWN = 12
OTHERS = "others"
TEXT = (
    "A vote of experts gives more weight to the voters that were right recently. A bar shows where a voter had the "
    "largest weight; a stronger colour means a larger weight. An expert is a rule on scaled features (std, forget, "
    "max, quad). A stacker has learned to combine all experts."
)


@dataclass(frozen=True)
class Lead:
    """The voter with the largest weight between two records of the run.

    ``start`` and ``stop`` are the numbers of examples at the two records. ``weight`` is the one at
    ``stop``.
    """

    start: int
    stop: int
    voter: str
    weight: float


@dataclass(frozen=True)
class Leaders:
    """The chart of the leading voters of a run. ``found`` is its ``Run.leaders``."""

    name: str
    found: Sequence[tuple[int, str, float]]

    @property
    def title(self) -> str:
        """The title."""
        return f"Leading voter: {brief(self.name)}"

    @cached_property
    def leads(self) -> list[Lead]:
        """The leading voter between each two consecutive records."""
        return [Lead(start, stop, voter, weight) for (start, _, _), (stop, voter, weight) in pairwise(self.found)]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each voter that ever leads, in the order in which they first lead.

        If there are more than ``SHOWN``, those that lead for the fewest examples share the last
        row.
        """
        lengths: dict[str, int] = {}
        for one in self.leads:
            lengths[one.voter] = lengths.get(one.voter, 0) + one.stop - one.start
        if len(lengths) <= SHOWN:
            return {voter: k for k, voter in enumerate(lengths)}
        longest = set(sorted(lengths, key=lambda voter: -lengths[voter])[: SHOWN - 1])
        own = {voter: k for k, voter in enumerate(voter for voter in lengths if voter in longest)}
        return {voter: own.get(voter, SHOWN - 1) for voter in lengths}

    def svg(self, identity: str) -> str:
        """Return the chart as SVG. Its element ids start with ``identity``."""
        names = {row: voter for voter, row in reversed(self.rows.items())}
        if len(self.rows) > SHOWN:
            names[SHOWN - 1] = OTHERS
        bottom = TOP + PITCH * len(names)
        parts = [
            f'<svg class="strip" viewBox="0 0 {WIDTH:g} {bottom + BELOW:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc">',
            f'<title id="{identity}-title">{escaped(self.title)}</title>',
            f'<desc id="{identity}-desc">{escaped(self._description())}</desc>',
            *(
                f'<text x="{LEFT:g}" y="{TOP + PITCH * row + 12:g}">{escaped(name)}</text>'
                f'<path class="grid" d="M{LEFT:g} {TOP + PITCH * row + 18 + BAR:g}H{RIGHT:g}"/>'
                for row, name in sorted(names.items())
            ),
            *(self._bar(one) for one in self.leads),
            *self._axis(bottom),
            "</svg>",
        ]
        return "\n".join(parts)

    def twin(self) -> str:
        """Return an HTML table with one row for each uninterrupted lead of a voter."""
        rows = []
        for voter, group in groupby(self.leads, key=lambda one: one.voter):
            some = list(group)
            rows.append(Row([escaped(voter), f"{some[0].start:,}", f"{some[-1].stop:,}", f"{some[-1].weight:.4f}"]))
        return table(self.title, ["voter", "from example", "to example", "weight at the end"], rows)

    @property
    def _end(self) -> int:
        return max(1, self.found[-1][0] if self.found else 1)

    def _x(self, examples: float) -> float:
        return LEFT + (RIGHT - LEFT) * examples / self._end

    def _bar(self, one: Lead) -> str:
        y, opacity = TOP + PITCH * self.rows[one.voter] + 18.0, FAINTEST + (1.0 - FAINTEST) * min(1.0, one.weight)
        left, right = self._x(one.start), self._x(one.stop)
        tooltip = f"{one.voter}, {one.start:,} to {one.stop:,} examples, weight {one.weight:.2f}"
        return (
            f'<rect x="{left:.1f}" y="{y:g}" width="{right - left:.1f}" height="{BAR:g}" '
            f'fill-opacity="{opacity:.2f}"><title>{escaped(tooltip)}</title></rect>'
        )

    def _axis(self, bottom: float) -> list[str]:
        unit, size = magnitude(float(self._end))
        places = ticks(0.0, float(self._end), 5, whole=True)
        parts = [
            f'<path class="base" d="M{self._x(at):.1f} {bottom:g}v5"/><text class="tick" x="{self._x(at):.1f}" '
            f'y="{bottom + 20:g}" text-anchor="{"middle" if at else "start"}">{text}</text>'
            for at, text in zip(places, written([at / unit for at in places]), strict=True)
        ]
        middle, title = (LEFT + RIGHT) / 2.0, escaped(EXAMPLES.title(size))
        return [*parts, f'<text class="axis" x="{middle:g}" y="{bottom + 40:g}" text-anchor="middle">{title}</text>']

    def _description(self) -> str:
        """Return the text alternative for screen readers."""
        if not self.leads:
            return "No voter has led yet."
        last = self.leads[-1]
        voters = f"{len(self.rows)} voters" if len(self.rows) != 1 else "1 voter"
        return f"{voters} led at some time. The last leader is {last.voter}, with a weight of {last.weight:.2f}."


def leader_figures(runs: Sequence[Run], identity: str) -> list[str]:
    """Return two figures for each vote among the runs: leading voters, and final weights."""
    found = []
    for k, run in enumerate(run for run in runs if run.leaders):
        if votes_by_label(run.learner):
            lanes = ClassLanes.of(run)
            found.append(figure(lanes, f"{identity}-{k}", lanes.legend()))
        else:
            found.append(figure(Leaders(run.name, run.leaders), f"{identity}-{k}"))
        if isinstance(run.learner, Tracker):
            found.append(f"<figure>\n<figcaption>Voters at the end</figcaption>\n{_voters(run.learner)}\n</figure>")
    return found


def _voters(learner: Tracker) -> str:
    """Return a table of the weights and mistakes of all voters; the smallest weights can be
    opened.
    """
    voters = learner.experts()
    most = max(one.weight for one in voters)
    rows = [
        Row([escaped(one.name), bar(f"{one.weight:.4f}", one.weight / most), f"{one.mistakes:,}"]) for one in voters
    ]
    header, seen = ["voter", "weight", "mistakes"], f"{learner.n_seen:,} examples"
    summed = "sum to 1 for each label" if votes_by_label(learner) else "sum to 1"
    first = table(f"The largest of {len(rows)} weights after {seen}; the weights {summed}", header, rows[:SHOWN])
    if len(rows) <= SHOWN:
        return first
    rest = table(f"The others, after {seen}", header, rows[SHOWN:])
    return f"{first}\n<details><summary>The others</summary>{rest}</details>"
