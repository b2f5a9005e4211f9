"""The measured parts of a report: result, baselines, confusion matrix, metrics, alarms, curves, slices."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

import driftline as dl
from driftline.evaluate import Alarm, Comparison
from driftline.evaluate.metrics.ranking import ranked_counts
from driftline.report import DataSummary, RunSection, run_report
from driftline.report.charts.stream_axis import DRAWN, StreamAxis
from driftline.report.html_table import MISSING
from driftline.report.measured.alarms import LISTED
from driftline.report.measured.confusion import SHOWN, confusion_matrix
from driftline.report.measured.probabilities import probability_figures
from driftline.report.measured.shares import share_chart
from driftline.report.pages.result import ranking
from tests.support.report_html import FORBIDDEN, Tags, charts, of_class

HOSTILE = "<script>alert(1)</script>"
START = 1_704_067_200.0


def stream(n: int = 3000) -> dl.streams.SEA:
    return dl.streams.SEA(n, seed=1)


def texts(html: str) -> str:
    """The text of a part of a page."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def rows_of(html: str) -> list[list[str]]:
    """The texts of the cells of each row."""
    return [
        ["".join(Tags(cell).texts) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL)
    ]


def predictions(y, predicted, probability=None, **options) -> dl.Metrics:
    metrics = dl.Metrics(**options)
    metrics.add(y, predicted, probability=probability)
    return metrics


@pytest.fixture(scope="module")
def runs() -> Comparison:
    return dl.compare({"PA1": dl.PA1(), "AROW": dl.AROW()}, stream())


def test_the_page_begins_with_the_result_the_baselines_and_the_confusion_matrix(runs):
    html = run_report("t", runs, DataSummary.of_run(runs.runs[0]))
    best = runs["AROW"]
    places = [html.index(text) for text in ("<h2>Result</h2>", 'class="tiles"', "baseline: majority", 'class="matrix"')]
    places += [html.index(f"<h2>{title}</h2>") for title in ("Metrics", "Along the stream", "Parameters", "Data")]
    assert places == sorted(places)
    tiles = texts(html[html.index('<dl class="tiles"') : html.index("</dl>")])
    assert f"error{best.error:.2%}{best.label_errors} of 3,000 predicted labels were wrong" in tiles
    assert f"majority baseline{best.majority_error:.2%}" in tiles
    assert f"no-change baseline{best.no_change_error:.2%}" in tiles
    assert "Confusion matrix: AROW" in html and "Confusion matrix of the other learners" in html


def test_baselines_are_ranked_among_the_learners_and_the_words_are_explained(runs):
    table = ranking(runs)
    _, *rows = rows_of(table)
    wrong = [int(row[1].replace(",", "")) for row in rows]
    assert wrong == sorted(wrong)
    majority = next(row for row in rows if "majority" in row[0])
    assert majority[1:3] == [f"{runs['PA1'].ledger.baselines.majority:,}", f"{runs['PA1'].majority_error:.2%}"]
    assert set(majority[3:]) == {MISSING}
    caption = texts(table[: table.index("</caption>")].partition("<caption>")[2])
    assert (
        "Error = wrong labels / examples" in caption and "Mistakes are wrong labels and scores of exactly 0" in caption
    )
    assert "infeasible" not in table


def test_the_confusion_matrix_has_the_counts_and_the_shares_of_each_row():
    metrics = predictions(["a", "a", "a", "b"], ["a", "a", "b", "b"], labels=("a", "b"))
    rows = rows_of(confusion_matrix("it", metrics))
    assert rows[2:] == [["a", "266.7%", "133.3%"], ["b", "00.0%", "1100.0%"]]
    html = confusion_matrix("it", metrics)
    assert re.findall(r'<td class="(\w+)" style="--share:([\d.]+)"', html) == [
        ("right", "0.667"),
        ("wrong", "0.333"),
        ("wrong", "0.000"),
        ("right", "1.000"),
    ]


def test_a_large_confusion_matrix_merges_the_rarest_labels_and_loses_no_example():
    rng = np.random.default_rng(0)
    labels = [f"l{k}" for k in rng.zipf(1.3, 4000) % 40]
    metrics = predictions(labels, labels[::-1])
    html = confusion_matrix("it", metrics)
    _, head, *rows = rows_of(html)
    assert len(head) == 1 + SHOWN == 1 + len(rows)
    assert re.fullmatch(r"\d+ others", head[-1])
    assert metrics.confusion.sum() == 4000
    counts = re.findall(r'--share:[\d.]+">([\d,]+)<', html)
    assert sum(int(count.replace(",", "")) for count in counts) == 4000


def test_long_labels_are_cut_in_the_headings_of_the_matrix():
    metrics = predictions(["x" * 300, "b"], ["b", "b"])
    html = confusion_matrix("it", metrics)
    assert f'<span title="{"x" * 300}">{"x" * 13}…</span>' in html


def test_hostile_labels_and_slices_are_escaped():
    rows = [({"x": float(k % 5), "kind": HOSTILE + str(k % 3)}, HOSTILE if k % 3 else "no") for k in range(300)]
    found = dl.compare({HOSTILE: dl.PA1()}, rows, slice="kind")
    html = found.report(title=HOSTILE)
    tags = Tags(html)
    assert "script" not in {tag for tag, _ in tags.found}
    assert FORBIDDEN.search(html) is None
    assert "<h2>Slices</h2>" in html and html.count("&lt;script&gt;") > 10


def test_the_metrics_are_those_of_the_runs_and_undefined_ones_have_a_reason(runs):
    html = RunSection(runs, DataSummary.of_run(runs.runs[0])).html("run")
    part = html[html.index("<h2>Metrics</h2>") : html.index("<h2>Along the stream</h2>")]
    rows = {row[0]: row[1:] for row in rows_of(part)}
    best, other = runs["AROW"].metrics, runs["PA1"].metrics
    assert rows["metric"] == ["AROW", "AROW, last 1,000", "PA1"]
    assert rows["accuracyshare of right labels"] == [f"{one.accuracy:.2%}" for one in (best, best.window, other)]
    auc = next(cells for name, cells in rows.items() if name.startswith("AUC"))
    assert auc == [f"{one.auc:.4f}" for one in (best, best.window, other)]
    loss = next(cells for name, cells in rows.items() if name.startswith("log loss"))
    assert loss == [MISSING] * 3
    said = (
        "log loss, Brier score, calibration error of \u2068AROW\u2069, \u2068PA1\u2069: probabilities are not measured"
    )
    assert said in texts(part)
    for one in best.per_class:
        assert [str(one.label), f"{one.examples:,}", f"{one.predicted:,}"] == rows_of(part)[
            next(k for k, row in enumerate(rows_of(part)) if row[0] == str(one.label))
        ][:3]


def test_a_label_that_was_never_predicted_has_a_dash_for_its_precision():
    run = dl.run(dl.PA1(), stream(50))
    run.metrics = predictions(["a", "a", "b"], ["a", "a", "a"], labels=("a", "b"))
    html = run.report()
    row = next(row for row in rows_of(html) if row[0] == "b" and len(row) == 7)
    assert row[4:] == [MISSING, "0.0000", "0.0000"]


# Curves


def test_the_calibration_curve_has_the_bins_of_the_metrics():
    rng = np.random.default_rng(1)
    p = rng.uniform(size=4000)
    y = np.where(rng.uniform(size=4000) < p, "yes", "no").tolist()
    run = dl.run(dl.PA1(labels=("no", "yes")), [({"x": 1.0}, "yes"), ({"x": 2.0}, "no")])
    run.metrics = predictions(y, None, p.tolist(), labels=("no", "yes"), probabilities=True)
    calibration, ranked = probability_figures([(0, run, run.metrics)], "x")
    (svg,) = charts(calibration)
    assert svg.find("title").text == "Calibration of the probability of yes"
    (path,) = [e for e in of_class(svg, "line") if e.tag == "path" and "label" not in (e.get("class") or "")]
    assert path.get("d").count("L") == 14
    assert [e.text for e in of_class(svg, "halo")] == ["perfect"]
    assert calibration.count("<tr") == 1 + 15 + 2
    assert charts(ranked)[0].find("title").text.startswith("Precision and recall of ")


def test_precision_and_recall_at_the_thresholds_are_exact():
    metrics = dl.Metrics(labels=("no", "yes"))
    metrics.add(["yes", "no", "yes", "no"], score=[3.0, 2.0, 1.0, -1.0])
    negative, positive = ranked_counts(metrics, 1)
    assert negative.sum() == positive.sum() == 2
    order = np.concatenate([[0] * n + [1] * p for n, p in zip(negative.tolist(), positive.tolist(), strict=True)])
    assert order.tolist() == [0, 1, 0, 1]
    flipped = ranked_counts(metrics, 0)
    assert flipped.tolist() == [positive[::-1].tolist(), negative[::-1].tolist()]


def test_several_labels_have_a_curve_each_if_probabilities_are_measured():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1.0, 1.0, 1.0], size=500)
    labels = ("a", "b", "c")
    run = dl.run(dl.PA1(), [({"x": 1.0}, 1), ({"x": 2.0}, 0)])
    y = [labels[k] for k in p.argmax(1)]
    run.metrics = predictions(y, None, p, labels=labels, probabilities=True)
    _, ranked = probability_figures([(0, run, run.metrics)], "x")
    assert [e.text for e in of_class(charts(ranked)[0], "name")] in ([*labels], sorted(labels, reverse=True))
    run.metrics = predictions(y, y, labels=labels)
    assert probability_figures([(0, run, run.metrics)], "x") == []


# Time, shares and alarms


def dated(run: dl.Run, alarms: int = 0) -> dl.Run:
    """The run with the times of its examples, one an hour, and alarms."""
    at = np.arange(1.0, run.examples + 1.0, 100.0)
    run.times = {"examples": at, "seconds": START + 3600.0 * at}
    about = ("input 'a'", f"the share of {HOSTILE}", "ADWIN")
    places = range(100, 100 + alarms)
    run.alarms = [Alarm(*about, at, at - 50, START + 3600.0 * at, 0.1, 0.4) for at in places]
    return run


def test_charts_along_the_stream_are_over_time_if_it_is_known():
    run = dated(dl.run(dl.PA1(), stream()))
    html = run.report()
    titles = {svg.find("title").text: of_class(svg, "axis")[1].text for svg in charts(html)}
    assert titles["Cumulative mistakes"] == "time (UTC)" and len(titles) == 5
    assert titles["Share of 1.0"] == titles["Error over the last 100 examples"] == "time (UTC)"
    undated = dl.run(dl.PA1(), stream()).report()
    assert "examples seen" in undated and "UTC" not in undated


def test_times_that_go_back_are_not_an_axis():
    run = dated(dl.run(dl.PA1(), stream(300)))
    run.times["seconds"][1] = START
    assert not StreamAxis.of([run]).axis.time


def test_the_share_of_the_rarer_label_is_drawn_in_percent():
    run = dl.run(dl.PA1(), stream())
    chart = share_chart(run, StreamAxis.of([run]))
    (line,) = chart.lines
    assert line.name == "1.0" and chart.title == "Share of 1.0"
    np.testing.assert_array_equal(line.x, run.metrics.series["examples"])
    np.testing.assert_allclose(line.y, 100.0 * run.metrics.series["shares"][:, 1])


def test_long_labels_have_a_legend_below_the_chart_of_shares():
    long = "a label that does not fit beside its line"
    rows = [({"x": float(k % 5)}, long if k % 5 else "short") for k in range(1000)]
    html = dl.compare({"PA1": dl.PA1(), "AROW": dl.AROW()}, rows).report(title="t")
    chart = html[html.index("<figcaption>Share of") :].partition("</figure>")[0]
    assert 'class="legend' not in chart and "Share of short" in chart
    rows = [({"x": float(k % 5)}, long if k % 5 < 2 else "short") for k in range(1000)]
    html = dl.run(dl.PA1(), rows).report()
    chart = html[html.index("<figcaption>Share of") :].partition("</figure>")[0]
    assert '<ul class="legend"' in chart


def test_alarms_are_marked_in_the_charts_and_listed_with_their_dates():
    run = dated(dl.run(dl.PA1(), stream()), alarms=2)
    html = run.report()
    Tags(html)
    error, shares, mistakes = charts(html)[:3]
    assert [len(of_class(svg, "alarm")) for svg in (error, shares, mistakes)] == [2, 2, 0]
    places = [
        [float(e.find("path").get("d")[1:].split()[0]) for e in of_class(svg, "alarm")] for svg in (error, shares)
    ]
    assert places[0] == places[1] and all(52.0 < x < 452.0 for x in places[0])
    row = next(row for row in rows_of(html) if row[-1] == f"input 'a': the share of {HOSTILE}")
    assert row[:-1] == ["1", "5 Jan 2024 04:00", "100", "50", "10.00%", "40.00%", "ADWIN"]


def test_many_alarms_stay_within_bounds_and_the_page_says_so():
    run = dated(dl.run(dl.PA1(), stream()), alarms=1000)
    html = run.report()
    assert len(of_class(charts(html)[0], "alarm")) == DRAWN
    assert sum(row[-1].startswith("input 'a'") for row in rows_of(html)) == LISTED
    said = f"1,000 alarms, numbered as in the charts; the first {LISTED} are listed; the first {DRAWN} are drawn"
    assert said in texts(html)
    assert len(html) < 400_000


def test_slices_are_listed_with_their_metrics():
    rows = [({"x": float(k % 7), "where": "north" if k % 3 else "south"}, bool(k % 7 > 3)) for k in range(600)]
    run = dl.run(dl.PA1(), rows, slice="where")
    html = run.report()
    part = html[html.index("<h2>Slices</h2>") :]
    _, north, south = rows_of(part)[:3]
    figures = run.metrics.slices
    assert north[:4] == ["north", "400", f"{figures['north'].errors}", f"{figures['north'].error:.2%}"]
    assert south[0] == "south" and "<h2>Slices</h2>" not in dl.run(dl.PA1(), rows).report()


@pytest.mark.parametrize("n", [20_000, 100_000])
def test_the_page_does_not_grow_with_the_stream(n):
    assert len(dl.run(dl.PA1(), stream(n), history=True).report()) < 250_000


def test_every_drawn_line_stays_inside_its_chart(runs):
    html = run_report("t", runs, DataSummary.of_run(runs.runs[0]))
    for svg in charts(html):
        for path in of_class(svg, "line"):
            if path.tag == "path":
                xy = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d") or ""), dtype=float)
                assert (xy >= [0.0, 33.9]).all() and (xy <= [452.1, 340.1]).all()
    assert isinstance(charts(html)[0], ElementTree.Element)
