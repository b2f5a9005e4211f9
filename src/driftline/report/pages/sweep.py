"""The report of a sweep: mistakes over pairs of parameters as heat maps, and all settings as a table."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from driftline.evaluate.sweep import Setting, Sweep
from driftline.report.charts.heat_map import HeatMap
from driftline.report.data import DataSummary
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.safe_text import brief, named

HEADER = ("setting", "mistakes", "error", "margin errors", "updates", "hinge loss", "infeasible")
MOST = 6  # heat maps
TEXT = (
    "Every setting was tested, then trained on each example, in one pass. A cell shows the mistakes at its two values, "
    "the fewest over all other parameters; the fewest of all are framed."
)


@dataclass(frozen=True)
class SweepSection:
    """A sweep, and what is known of the data."""

    found: Sweep
    data: DataSummary

    @property
    def headline(self) -> str:
        """The best setting, and how much depends on the choice."""
        made = [one for one in self.found.settings if not one.ledger.overflowed]
        beyond = len(self.found) - len(made)
        if not made:
            return f"The weights of {'all' if beyond > 1 else 'the only'} {_settings(beyond)} have overflowed."
        first, last = made[0], made[-1]
        worst = f"; the worst of {_settings(len(made))} made {last.ledger.mistakes:,}" if len(made) > 1 else ""
        lost = f" The weights of {_settings(beyond)} have overflowed, and count for nothing." if beyond else ""
        return (
            f"{brief(first.name)} made the fewest mistakes: {first.ledger.mistakes:,} in {self.found.examples:,} "
            f"examples{worst}.{lost}"
        )

    def maps(self) -> list[HeatMap]:
        """A heat map for each pair of parameters that vary, the first few of them."""
        varied = list(self.found.varied)
        pairs: list[tuple[str, str | None]] = [(name, None) for name in varied]
        if len(varied) > 1:
            pairs = [pair for pair in combinations(varied, 2) if self._together(*pair)]
        return [HeatMap(self.found.heat(*pair), self.found.examples) for pair in pairs[:MOST]]

    def _together(self, x: str, y: str) -> bool:
        """Whether some setting has both parameters."""
        return any(x in one.parameters and y in one.parameters for one in self.found.settings)

    def html(self, identity: str) -> str:
        """Return the sections; ``identity`` is the start of their ids on the page."""
        figures = "\n".join(_figure(one, f"{identity}-{k}") for k, one in enumerate(self.maps()))
        return "\n".join(
            [
                f'<section id="{identity}">',
                "<h2>Results</h2>",
                f"<p>{TEXT}</p>",
                f'<div class="charts">\n{figures}\n</div>',
                self._table(),
                "</section>",
                f'<section id="{identity}-data">\n<h2>Data</h2>\n{self.data.html()}\n</section>',
            ]
        )

    def _table(self) -> str:
        most = max(one.ledger.mistakes for one in self.found.settings) or 1
        rows = [Row(_cells(one, one.ledger.mistakes / most)) for one in self.found.settings]
        return table(f"{self.found.examples:,} examples, fewest mistakes first", HEADER, rows)


def _settings(number: int) -> str:
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
    """The picture, and its numbers behind a button."""
    return (
        f"<figure>\n<figcaption>{named(drawn.title)}</figcaption>\n"
        f'<div class="scroll">{drawn.svg(identity)}</div>\n'
        f"<details><summary>The same as a table</summary>{drawn.twin()}</details>\n</figure>"
    )


def sweep_report(title: str, found: Sweep, data: DataSummary) -> str:
    """Return the report as an HTML document."""
    section = SweepSection(found, data)
    return page(title, section.headline, section.html("sweep"), 0)


def write_sweep_report(path: str | os.PathLike[str], title: str, found: Sweep, data: DataSummary) -> Path:
    """Write the report to a file, whole or not at all, and return its path."""
    return write_whole(Path(path), sweep_report(title, found, data))
