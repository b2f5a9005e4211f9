"""The table of the alarms of a run."""

from __future__ import annotations

from driftline.evaluate import Run
from driftline.report.charts.stream_axis import DRAWN
from driftline.report.charts.time_scale import time_text
from driftline.report.html_table import MISSING, Row, table
from driftline.report.safe_text import brief, escaped, named

LISTED = 100


def alarms_table(run: Run) -> str:
    """Return the table of the first alarms, with their numbers in the charts.

    Parameters
    ----------
    run : Run
        The run.
    """
    found = run.alarms
    rows = [
        Row(
            [
                str(number),
                MISSING if one.seconds is None else escaped(time_text(one.seconds)),
                f"{one.examples:,}",
                f"{one.since:,}",
                f"{one.before:.2%}",
                f"{one.after:.2%}",
                escaped(one.detector),
                named(one.what if one.measure.endswith(one.what) else f"{one.what}: {one.measure}"),
            ]
        )
        for number, one in enumerate(found[:LISTED], 1)
    ]
    header = ["alarm", "time (UTC)", "example", "began after example", "before", "after", "detector", "what changed"]
    return table(_caption(run), header, rows, texts=1)


def _caption(run: Run) -> str:
    count = len(run.alarms)
    caption = f"{brief(run.name)}: {count:,} alarm{'s' if count != 1 else ''}, numbered as in the charts"
    if count > LISTED:
        caption += f"; the first {LISTED} are listed"
    if count > DRAWN:
        caption += f"; the first {DRAWN} are drawn"
    return f"{caption}. Before and after are shares of the examples."
