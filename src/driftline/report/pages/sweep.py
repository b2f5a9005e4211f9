"""The sections of the report of a sweep: heat maps of mistakes over pairs of parameters, and a table of
all settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from driftline.evaluate.sweep_result import Setting, Sweep
from driftline.report.charts.heat_map import HeatMap
from driftline.report.data import DataSummary
from driftline.report.headline import warnings_of
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.meaning import MEANING
from driftline.report.safe_text import brief, named

HEADER = ("setting", "mistakes", "error", "margin errors", "updates", "hinge loss", "infeasible")
MOST = 6  # heat maps
TEXT = (
    "Every setting was tested, then trained on each example, in one pass. A cell shows the {what} at its two values, "
    "minimised over all other parameters. The minimum of the map is framed."
)


@dataclass(frozen=True)
class SweepSection:
    """The report sections of a sweep.

    Parameters
    ----------
    found : Sweep
        Result of ``driftline.sweep``.
    data : DataSummary
        Description of the data.
    """

    found: Sweep
    data: DataSummary

    @property
    def headline(self) -> str:
        """The mistakes of the best and the worst setting, and the number that overflowed."""
        finite = [one for one in self.found.settings if not one.ledger.overflowed]
        overflowed = len(self.found) - len(finite)
        if not finite:
            return (
                f"The weights of {'all' if overflowed > 1 else 'the only'} {settings_text(overflowed)} have overflowed."
            )
        first, last = finite[0], finite[-1]
        worst = f"; the worst of {settings_text(len(finite))} made {last.ledger.mistakes:,}" if len(finite) > 1 else ""
        lost = f" The weights of {settings_text(overflowed)} have overflowed; these are ignored." if overflowed else ""
        return (
            f"{brief(first.name)} made the fewest mistakes: {first.ledger.mistakes:,} in {self.found.examples:,} "
            f"examples{worst}.{lost}{warnings_of(self.found.best)}"
        )

    def maps(self) -> list[HeatMap]:
        """Return a heat map for each of the first pairs of parameters that vary."""
        varied = list(self.found.varied)
        pairs: list[tuple[str, str | None]] = [(name, None) for name in varied]
        if len(varied) > 1:
            pairs = [pair for pair in combinations(varied, 2) if self._together(*pair)]
        return [HeatMap(self.found.heat(*pair), self.found.examples) for pair in pairs[:MOST]]

    def _together(self, x: str, y: str) -> bool:
        """Whether some setting has both parameters."""
        return any(x in one.parameters and y in one.parameters for one in self.found.settings)

    def html(self, identity: str) -> str:
        """Return the sections as HTML. Their element ids start with ``identity``."""
        figures = "\n".join(_figure(one, f"{identity}-{k}") for k, one in enumerate(self.maps()))
        return "\n".join(
            [
                f'<section id="{identity}">',
                "<h2>Results</h2>",
                f"<p>{TEXT.format(what=self.found.what)}</p>",
                f'<div class="charts">\n{figures}\n</div>',
                self._table(),
                "</section>",
                f'<section id="{identity}-data">\n<h2>Data</h2>\n{self.data.html()}\n</section>',
            ]
        )

    def _table(self) -> str:
        most = max(one.ledger.mistakes for one in self.found.settings) or 1
        rows = [Row(_cells(one, one.ledger.mistakes / most)) for one in self.found.settings]
        return table(f"{self.found.examples:,} examples, fewest mistakes first. {MEANING}", HEADER, rows)


def settings_text(number: int) -> str:
    """Return a number of settings as text."""
    return f"{number:,} setting{'s' if number != 1 else ''}"


def _cells(one: Setting, share: float) -> list[str]:
    ledger = one.ledger
    return [
        named(one.name),
        bar(f"{ledger.mistakes:,}", share),
        f"{one.error:.2%}" if ledger.examples else MISSING,
        f"{ledger.margin_errors:,}",
        f"{ledger.updates:,}",
        f"{ledger.hinge:,.1f}",
        f"{ledger.infeasible:,}",
    ]


def _figure(drawn: HeatMap, identity: str) -> str:
    """Return the heat map, with its numbers as a table that can be opened."""
    return (
        f"<figure>\n<figcaption>{named(drawn.title)}</figcaption>\n"
        f'<div class="scroll">{drawn.svg(identity)}</div>\n'
        f"<details><summary>The same as a table</summary>{drawn.twin()}</details>\n</figure>"
    )
