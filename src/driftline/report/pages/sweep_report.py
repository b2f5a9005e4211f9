"""The report of a sweep."""

from __future__ import annotations

import os
from pathlib import Path

from driftline.evaluate import Sweep
from driftline.evaluate.regression.sweep import RegressionSweep
from driftline.report.data import DataSummary
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.pages.regression_sweep import RegressionSweepSection
from driftline.report.pages.sweep import SweepSection


def sweep_report(title: str, found: Sweep, data: DataSummary) -> str:
    """Return the report of a sweep as an HTML document.

    Parameters
    ----------
    title : str
        Title of the report.
    found : Sweep
        Result of ``driftline.sweep``.
    data : DataSummary
        Description of the data.

    Returns
    -------
    str
    """
    section = RegressionSweepSection(found, data) if isinstance(found, RegressionSweep) else SweepSection(found, data)
    return page(title, section.headline, section.html("sweep"), 0)


def write_sweep_report(path: str | os.PathLike[str], title: str, found: Sweep, data: DataSummary) -> Path:
    """Write the report of a sweep to a file atomically.

    Parameters
    ----------
    path : str or path-like
        File to write.
    title : str
        Title of the report.
    found : Sweep
        Result of ``driftline.sweep``.
    data : DataSummary
        Description of the data.

    Returns
    -------
    Path
        The file.
    """
    return write_whole(Path(path), sweep_report(title, found, data))
