"""HTML reports. Each is one file with inline SVG charts, without scripts or external resources.

`write_report` writes a report of several `Comparison` objects. `write_run_report` writes a
detailed report of one run or one comparison, `write_sweep_report` one of a sweep, and
`write_label_report` one of mistakes against the share of labels. `Chart`, `table` and `page` are
their building blocks.
"""

from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.data import DataSummary
from driftline.report.html_table import table
from driftline.report.pages.comparison import Section
from driftline.report.pages.document import report, write_report
from driftline.report.pages.label_tradeoff import LabelSection, label_report, write_label_report
from driftline.report.pages.page import page
from driftline.report.pages.run import RunSection
from driftline.report.pages.run_report import run_report, write_run_report
from driftline.report.pages.sweep import SweepSection
from driftline.report.pages.sweep_report import sweep_report, write_sweep_report
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
