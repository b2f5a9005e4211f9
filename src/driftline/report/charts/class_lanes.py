"""The leading voter of each label along the stream, for a Tracker of several labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from driftline.evaluate import Run
from driftline.evaluate.history import Record
from driftline.learners import Learner
from driftline.report.charts.curves import EXAMPLES
from driftline.report.charts.palette import style_of
from driftline.report.charts.scale import magnitude, ticks, written
from driftline.report.html_table import Row, table
from driftline.report.safe_text import brief, clipped, escaped, named, shown

WIDTH, LEFT, RIGHT, TOP = 420.0, 8.0, 400.0, 8.0
PITCH, BAR, BELOW = 40.0, 18.0, 48.0
FAINTEST = 0.35
LANES = 12  # labels that are drawn
COLOURS = 6  # voters with a number and a colour
READABLE = 13.0  # width from which a bar has a number
LONGEST = 40  # columns of a label
TEXT = (
    "With more than two labels, each label has its own vote. Until the third label appears, the first two labels share "
    "one vote. A gap means that the leader was not recorded, because many other weights were larger."
)


def votes_by_label(learner: Learner) -> bool:
    """Whether each label has its own vote. In the strong bank of the Tracker all labels share one."""
    return learner.rule.several and learner.parameters.get("bank") != "strong"


@dataclass(frozen=True)
class Reign:
    """The time from one record to another in which a voter leads; ``weight`` is the one at the end."""

    start: int
    stop: int
    voter: str
    weight: float


@dataclass(frozen=True)
class ClassLanes:
    """The chart of the leading voter of each label.

    Parameters
    ----------
    name
        Name of the run.
    labels
        The labels, in the order of the learner.
    records
        The records of its history.
    """

    name: str
    labels: Sequence[object]
    records: Sequence[Record]

    @classmethod
    def of(cls, run: Run) -> ClassLanes:
        """Return the chart of a run of a Tracker."""
        return cls(run.name, run.learner.labels, run.history.records if run.history else [])

    @property
    def title(self) -> str:
        """The title."""
        return f"Leading voter of each label: {brief(self.name)}"

    @cached_property
    def lanes(self) -> dict[str, list[Reign]]:
        """The reigns of each label that is drawn."""
        prefixes = [f"{label}: " for label in self.labels]
        lanes: dict[str, list[Reign]] = {str(label): [] for label in self.labels[:LANES]}
        for before, record in pairwise(self.records):
            leaders = _leaders(record, prefixes)
            for k, lane in enumerate(lanes.values()):
                if k in leaders:
                    lane.append(Reign(before.examples, record.examples, *leaders[k]))
        return lanes

    @cached_property
    def voters(self) -> list[str]:
        """The voters that lead, those that lead longest first."""
        lengths: dict[str, int] = {}
        for lane in self.lanes.values():
            for one in lane:
                lengths[one.voter] = lengths.get(one.voter, 0) + one.stop - one.start
        return sorted(lengths, key=lambda voter: -lengths[voter])

    @property
    def styles(self) -> int:
        """The number of line styles that the chart needs."""
        return min(len(self.voters), COLOURS)

    def svg(self, identity: str) -> str:
        """Return the chart as SVG. Its element ids start with ``identity``."""
        hidden = len(self.labels) - len(self.lanes)
        bottom = TOP + PITCH * len(self.lanes) + (20.0 if hidden else 0.0)
        more = f'<text x="{LEFT:g}" y="{bottom - 4:g}">and {hidden:,} more labels</text>' if hidden else ""
        parts = [
            f'<svg class="strip" viewBox="0 0 {WIDTH:g} {bottom + BELOW:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc">',
            f'<title id="{identity}-title">{escaped(self.title)}</title>',
            f'<desc id="{identity}-desc">{escaped(self._description())}</desc>',
            *(self._lane(k, label, lane) for k, (label, lane) in enumerate(self.lanes.items())),
            more,
            *self._axis(bottom),
            "</svg>",
        ]
        return "\n".join(parts)

    def legend(self) -> str:
        """Return the numbers, colours and names of the voters as an HTML list."""
        items = [
            f'<li class="{style_of(k)}"><span class="number">{k + 1}</span> <i class="block"></i>'
            f'<span class="long">{named(voter)}</span></li>'
            for k, voter in enumerate(self.voters[:COLOURS])
        ]
        if len(self.voters) > COLOURS:
            count = len(self.voters) - COLOURS
            items.append(f'<li><span class="number"></span> <i class="block"></i><span>{count} others</span></li>')
        return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>\n'

    def twin(self) -> str:
        """Return an HTML table with one row for each uninterrupted lead of a voter."""
        rows = [
            Row([named(label), escaped(one.voter), f"{one.start:,}", f"{one.stop:,}", f"{one.weight:.4f}"])
            for label, lane in self.lanes.items()
            for one in _joined(lane)
        ]
        return table(self.title, ["label", "voter", "from example", "to example", "weight at the end"], rows)

    @property
    def _end(self) -> int:
        return max(1, self.records[-1].examples if self.records else 1)

    def _x(self, examples: float) -> float:
        return LEFT + (RIGHT - LEFT) * examples / self._end

    def _style(self, voter: str) -> str:
        k = self.voters.index(voter)
        return style_of(k) if k < COLOURS else "other"

    def _lane(self, k: int, label: str, lane: Sequence[Reign]) -> str:
        """Return the name of a label, and its bars with the numbers of the voters."""
        y = TOP + PITCH * k
        parts = [
            f'<text x="{LEFT:g}" y="{y + 12:g}">{escaped(clipped(shown(label), LONGEST))}</text>',
            f'<path class="grid" d="M{LEFT:g} {y + PITCH - BAR / 2 - 2:g}H{RIGHT:g}"/>',
        ]
        for one in lane:
            left, right = self._x(one.start), self._x(one.stop)
            tooltip = f"{one.voter}, {one.start:,} to {one.stop:,} examples, weight {one.weight:.2f}"
            opacity = FAINTEST + (1.0 - FAINTEST) * min(1.0, one.weight)
            parts.append(
                f'<rect class="{self._style(one.voter)}" x="{left:.1f}" y="{y + PITCH - BAR - 2:g}" '
                f'width="{right - left:.1f}" height="{BAR:g}" fill-opacity="{opacity:.2f}">'
                f"<title>{escaped(tooltip)}</title></rect>"
            )
        for one in _joined(lane):
            left, right = self._x(one.start), self._x(one.stop)
            number = self.voters.index(one.voter) + 1
            if right - left >= READABLE and number <= COLOURS:
                parts.append(
                    f'<text class="key halo" x="{(left + right) / 2:.1f}" y="{y + PITCH - BAR / 2 - 2:g}" dy=".35em" '
                    f'text-anchor="middle">{number}</text>'
                )
        return "".join(parts)

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
        last = [f"{brief(label)}: {lane[-1].voter}" for label, lane in self.lanes.items() if lane]
        return f"Leaders at the end: {'; '.join(last)}." if last else "No voter has led yet."


def _leaders(record: Record, prefixes: Sequence[str]) -> dict[int, tuple[str, float]]:
    """Return the voter with the largest weight of each label, by the number of the label."""
    found: dict[int, tuple[str, float]] = {}
    for name, weight in record.largest:
        text = str(name)
        fitting = [k for k, prefix in enumerate(prefixes) if text.startswith(prefix)]
        # the vote before the third label is that of the first two labels
        owners = [max(fitting, key=lambda k: len(prefixes[k]))] if fitting else [0, 1]
        for k in owners:
            found.setdefault(k, (text[len(prefixes[k]) :] if fitting else text, weight))
    return found


def _joined(lane: Sequence[Reign]) -> Iterator[Reign]:
    """Yield each uninterrupted lead of a voter."""
    for voter, group in groupby(lane, key=lambda one: one.voter):
        some = list(group)
        yield Reign(some[0].start, some[-1].stop, voter, some[-1].weight)
