"""Reports as one HTML file each: no script, no font, no picture from anywhere else, charts as inline SVG.

`write_report` writes sections of `Comparison` objects, `write_run_report` all that is known of one run or one
comparison, `write_sweep_report` a sweep, `write_label_report` what labels are worth; `Chart`, `table` and `page` are
the parts that they are built from.
"""

from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.data import DataSummary
from driftline.report.html_table import table
from driftline.report.pages.comparison import Section
from driftline.report.pages.document import report, write_report
from driftline.report.pages.label_tradeoff import LabelSection, label_report, write_label_report
from driftline.report.pages.page import page
from driftline.report.pages.run import RunSection, run_report, write_run_report
from driftline.report.pages.sweep import SweepSection, sweep_report, write_sweep_report
from driftline.report.summary import Summary, summaries

__all__ = [
    "Axis",
    "Chart",
    "DataSummary",
    "LabelSection",
    "Line",
    "RunSection",
    "Section",
    "Summary",
    "SweepSection",
    "label_report",
    "page",
    "report",
    "run_report",
    "summaries",
    "sweep_report",
    "table",
    "write_label_report",
    "write_report",
    "write_run_report",
    "write_sweep_report",
]
