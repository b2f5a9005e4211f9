"""Reports as one HTML file each: no script, no font, no picture from anywhere else, charts as inline SVG.

`write_report` writes sections of `Comparison` objects; `Chart`, `table` and `page` are the parts that it is
built from.
"""

from driftline.report.chart import Axis, Chart, Line
from driftline.report.comparison import Section
from driftline.report.document import report, write_report
from driftline.report.page import page
from driftline.report.summary import Summary, summaries
from driftline.report.table import table

__all__ = [
    "Axis",
    "Chart",
    "Line",
    "Section",
    "Summary",
    "page",
    "report",
    "summaries",
    "table",
    "write_report",
]
