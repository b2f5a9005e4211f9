"""The certificate of a run: a table and a chart of the observed values and their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.evaluate import Run
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.figure import figure
from driftline.report.charts.line import Axis, Line
from driftline.report.html_table import Row, table
from driftline.report.safe_text import escaped

if TYPE_CHECKING:
    from driftline.certify.tightest import Certified
    from driftline.evaluate.certificate import Certificate

HEADER = ("theorem", "bounds", "observed", "bound", "ratio", "comparator", "path length")
KINDS = {False: "stands still", True: "moves"}
OBSERVED = {"updates": curves.updates, "loss": curves.loss, "mistakes": curves.mistakes}
LABELS = {False: "bound, u fixed", True: "bound, u moves"}
EXPECTED = "bound, in expectation"


def certificate_section(run: Run, certificate: Certificate, identity: str) -> str:
    """Return the chart and table of the bounds, the risk, and reasons for missing bounds."""
    parts: list[str] = []
    if certificate.useful:
        on = _on(certificate)
        lines = [Line("observed", *OBSERVED[on](run))]
        lines += [Line(_label(one), *one.over_time) for one in certificate.useful]
        axis = Axis(on, whole=on != "loss")
        chart = Chart("Observed values and bounds", curves.EXAMPLES, axis, lines)
        parts.append(f'<div class="charts">\n{figure(chart, f"{identity}-chart", style="group")}\n</div>')
        parts.append(table("Bounds that hold for this run", HEADER, _rows(certificate)))
    if certificate.risk is not None and certificate.risk.useful:
        value, confidence = f"{certificate.risk.value:.4f}", f"{1.0 - certificate.risk.delta:g}"
        parts.append(f"<p>The risk of the selected hypothesis is at most {value}, with confidence {confidence}.</p>")
    if certificate.labels is not None:
        asked, expected = certificate.labels
        mean = "" if expected is None else f"; the probabilities of asking sum to {expected:,.1f}"
        parts.append(f"<p>It asked for {asked:,} of {certificate.examples:,} labels{mean}.</p>")
    parts += [f'<p class="note">{escaped(one[:1].upper() + one[1:])}.</p>' for one in certificate.why]
    return "\n".join(parts)


def _on(certificate: Certificate) -> str:
    """Return the quantity that is bounded: updates, loss or mistakes."""
    limits = certificate.useful[0].bound.limits
    return next((one for one in OBSERVED if one in limits), "mistakes")


def _label(one: Certified) -> str:
    return EXPECTED if one.expected else LABELS[one.moves]


def _share(ratio: float | None) -> str:
    return "in expectation" if ratio is None else f"{ratio:.2f}"


def _rows(certificate: Certificate) -> list[Row]:
    return [
        Row(
            [
                escaped(one.bound.name),
                escaped(one.bound.limits),
                f"{certificate.observed(one):,.{0 if one.mistakes is None else 1}f}",
                f"{one.value:,.1f}" + ("" if implied is None else f" ({implied:,.1f} mistakes)"),
                _share(certificate.ratio(one)),
                f"{KINDS[one.moves]}, {one.segments:,} pieces" if one.moves else KINDS[False],
                f"{one.length:.3g}",
            ]
        )
        for one, implied in ((one, certificate.implied_mistakes(one)) for one in certificate.useful)
    ]
