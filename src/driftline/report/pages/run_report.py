"""The report of a run or a comparison."""

from __future__ import annotations

import os
from pathlib import Path

from driftline.evaluate import Comparison
from driftline.evaluate.by_task import comparison_of
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.report.data import DataSummary
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.pages.regression import RegressionSection
from driftline.report.pages.run import RunSection


def run_report(title: str, comparison: Comparison, data: DataSummary) -> str:
    """Return the report of a run or a comparison as an HTML document.

    Parameters
    ----------
    title : str
        Title of the report.
    comparison : Comparison
        The runs. Runs that stopped early are named, but not compared.
    data : DataSummary
        Description of the data.

    Returns
    -------
    str
    """
    finished = comparison_of([run for run in comparison.runs if not run.stopped])
    if isinstance(finished, RegressionComparison):
        section: RunSection = RegressionSection(finished, data, comparison.stopped)
    else:
        section = RunSection(finished, data, comparison.stopped)
    return page(title, section.headline, section.html("run"), section.lines)


def write_run_report(path: str | os.PathLike[str], title: str, comparison: Comparison, data: DataSummary) -> Path:
    """Write the report of a run or a comparison to a file atomically.

    Parameters
    ----------
    path : str or path-like
        File to write.
    title : str
        Title of the report.
    comparison : Comparison
        The runs. Runs that stopped early are named, but not compared.
    data : DataSummary
        Description of the data.

    Returns
    -------
    Path
        The file.
    """
    return write_whole(Path(path), run_report(title, comparison, data))
