"""The result of a sweep: many settings over one pass of a stream, ranked by their mistakes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any, ClassVar

from driftline.evaluate.heat_map import MISTAKES, Heat, written
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.result import Run
from driftline.internals.text_table import aligned
from driftline.learners import Learner

HEADER = ("learner", "mistakes", "error", "updates", "hinge", "infeasible")
LEARNER = "learner"


@dataclass(frozen=True)
class Setting:
    """One setting of a sweep.

    Attributes
    ----------
    name
        Its name: the key in the dict of learners, or the repr of the learner.
    parameters
        The kind of the learner, its parameters and its options.
    ledger
        Its counts.
    learned
        A function that returns the learner after the last example.
    """

    name: str
    parameters: dict[str, Any]
    ledger: Ledger
    learned: Callable[[], Learner]

    @cached_property
    def run(self) -> Run:
        """The run with its learner, which is made on first access."""
        return Run(self.name, self.learned(), self.ledger)

    @property
    def error(self) -> float:
        """The share of examples with a wrong predicted label."""
        return self.ledger.label_errors / self.ledger.examples if self.ledger.examples else float("nan")


class Sweep:
    """The settings of a sweep, ranked by mistakes; printing it shows a table.

    ``sweep[name]`` is the run of the setting with that name.

    Parameters
    ----------
    settings
        The settings, in any order.

    Attributes
    ----------
    settings
        All settings, fewest mistakes first. Settings with overflowed weights come last, because
        their mistakes are meaningless.
    """

    what: ClassVar[str] = MISTAKES
    """What the settings are ranked by."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self.settings = sorted(settings, key=lambda one: (one.ledger.overflowed, one.ledger.rank))

    def __len__(self) -> int:
        return len(self.settings)

    def __getitem__(self, name: str) -> Run:
        for one in self.settings:
            if one.name == name:
                return one.run
        raise KeyError(f"no setting named {name!r}; there are {', '.join(one.name for one in self.settings)}")

    @property
    def best(self) -> Run:
        """The best run: the one with the fewest mistakes, the first of equal ones in the given order."""
        return self.settings[0].run

    @property
    def examples(self) -> int:
        """The number of examples of the stream."""
        return self.settings[0].ledger.examples

    @property
    def varied(self) -> dict[str, list[Any]]:
        """The parameters that differ between settings, each with its values.

        "learner" is the kind of learner.
        """
        values: dict[str, dict[Any, None]] = {}
        for one in self.settings:
            for name, value in one.parameters.items():
                values.setdefault(name, {})[value] = None
        return {name: list(some) for name, some in values.items() if len(some) > 1}

    def table(self) -> list[dict[str, Any]]:
        """The results as rows of a table.

        Returns
        -------
        list of dict
            One dict per setting, fewest mistakes first: column to value.
        """
        return [
            {
                "learner": one.name,
                "mistakes": one.ledger.mistakes,
                "error": one.error,
                "updates": one.ledger.updates,
                "hinge": one.ledger.hinge,
                "infeasible": one.ledger.infeasible,
            }
            for one in self.settings
        ]

    def __str__(self) -> str:
        cells = [HEADER] + [
            (
                row["learner"],
                f"{row['mistakes']:,}",
                f"{row['error']:.4f}",
                f"{row['updates']:,}",
                f"{row['hinge']:,.1f}",
                f"{row['infeasible']:,}",
            )
            for row in self.table()
        ]
        return aligned(cells)

    __repr__ = __str__

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str | Path:
        """The report of the sweep as one HTML file, without scripts or external resources.

        Parameters
        ----------
        path
            The file to write. It is replaced in one step. None returns the page as text.
        title
            The title of the page; None takes the number of settings.

        Returns
        -------
        str or Path
            The HTML page, or the file that was written.
        """
        from driftline.report import DataSummary, sweep_report
        from driftline.report.pages.document import write_whole

        page = sweep_report(title or f"{len(self):,} settings", self, DataSummary.of_run(self.best))
        return page if path is None else write_whole(Path(path), page, "Sweep.report")

    def _repr_html_(self) -> str:
        """The view of a notebook."""
        from driftline.report.notebook.views import sweep_view

        return sweep_view(self)

    def heat(self, x: str | None = None, y: str | None = None) -> Heat:
        """The ranked quantity over two parameters, minimised over all others.

        It is the number of mistakes, or the mean absolute error of regressors.

        Parameters
        ----------
        x, y
            The names of the parameters. They may be left out if only one or two vary; if only one
            varies, the map has one row.

        Returns
        -------
        Heat
            The map.
        """
        varied = list(self.varied)
        chosen = [x, y] if x is not None or y is not None else varied
        for name in (one for one in chosen if one is not None):
            if name not in varied:
                listed = ", ".join(varied) or "none"
                raise ValueError(f"heat: x and y must be parameters that vary, got {name!r}. Choose from {listed}")
        rest = [name for name in varied if name not in chosen]
        if len(chosen) > 2 or not varied or (None in chosen and len(rest) > 1):
            raise ValueError(
                f"heat: x and y must be given unless one or two parameters vary, got {len(varied)} that vary. "
                f"Choose two of {', '.join(varied) or 'none'}"
            )
        first, second = ([one if one is not None else (rest or [LEARNER])[0] for one in chosen] + [LEARNER])[:2]
        found = [(one.parameters, nan if one.ledger.overflowed else one.ledger.rank) for one in self.settings]
        if not any(first in parameters and second in parameters for parameters, _ in found):
            raise ValueError(
                f"heat: a setting must have both parameters, got none with {first} and {second}. Choose others"
            )
        return Heat.of(first, second, found, self.what)

    def plot(self, x: str | None = None, y: str | None = None) -> Any:
        """Plot the ranked quantity over two parameters as a heat map.

        Parameters
        ----------
        x, y
            The names of the parameters, as for ``heat``.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError('plotting needs matplotlib: pip install "driftline[plot]"') from None
        found = self.heat(x, y)
        figure = Figure(figsize=(2.0 + 0.8 * len(found.xs), 1.6 + 0.5 * len(found.ys)), layout="constrained")
        axes = figure.subplots()
        image = axes.imshow(found.values, aspect="auto", origin="lower", cmap="viridis_r")
        axes.set(title=f"{self.what} in {self.examples:,} examples", xlabel=found.x, ylabel=found.y)
        axes.set_xticks(range(len(found.xs)), [written(value) for value in found.xs])
        axes.set_yticks(range(len(found.ys)), [written(value) for value in found.ys])
        row, column = found.best
        axes.plot(column, row, "o", color="white", markeredgecolor="black")
        figure.colorbar(image)
        return figure
