"""The HTML report: its numbers are the runs' numbers, its parts well-formed, its file whole or not there."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.evaluate import Comparison, Ledger, Run
from driftline.evaluate.history import History, Record
from driftline.report import (
    Axis,
    Chart,
    DataSummary,
    Line,
    RunSection,
    Section,
    page,
    report,
    run_report,
    summaries,
    table,
    write_report,
    write_run_report,
)
from driftline.report.charts import palette
from driftline.report.charts.curves import weight, window_of
from driftline.report.charts.label_spread import spread
from driftline.report.charts.scale import covering, magnitude, round_step, ticks, written
from driftline.report.headline import headline
from driftline.report.html_table import MISSING, Row
from driftline.report.safe_text import brief, clipped, escaped, shown
from tests.support.bitwise import LINEAR
from tests.support.report_html import FORBIDDEN, Tags, charts, of_class


def stream(n: int = 300, seed: int = 0) -> dl.streams.RotatingHyperplane:
    return dl.streams.RotatingHyperplane(n, 4, angle=0.01, seed=seed)


def comparison(learners: int = 3, n: int = 300, seed: int = 0):
    return dl.compare({f"rule {k}": dl.PA1(C=0.1 + k) for k in range(learners)}, stream(n, seed))


def a_report(**options) -> str:
    return report("A title", [Section("A stream", "About it.", [comparison()], 50, **options)])


# The page


def test_a_page_is_html_that_parses_and_asks_no_other_host_for_anything():
    html = a_report(marks=[100.0, 200.0], marked="something happens", floor=0.1)
    tags = Tags(html)
    assert html.startswith("<!DOCTYPE html>")
    assert FORBIDDEN.search(html) is None
    assert {"main", "section", "figure", "table", "details", "svg"} <= {tag for tag, _ in tags.found}
    assert "prefers-color-scheme:dark" in html


def test_ids_are_unique_and_whatever_refers_to_one_finds_it():
    html = report("t", [Section(f"s{k}", "", [comparison()]) for k in range(3)])
    found = [attrs for _, attrs in Tags(html).found]
    ids = [attrs["id"] for attrs in found if "id" in attrs]
    wanted = [name for attrs in found for name in (attrs.get("aria-labelledby") or "").split()]
    wanted += [attrs["href"].removeprefix("#") for attrs in found if "href" in attrs]
    assert len(set(ids)) == len(ids)
    assert len(wanted) == 2 * 2 * 3 + 3
    assert set(wanted) <= set(ids)


def test_the_header_names_the_versions_and_no_date():
    html = a_report()
    for library in (dl, np):
        assert f"{library.__name__} {library.__version__}" in html
    assert not re.search(r"\b20\d\d\b", "".join(Tags(html).texts))


def test_the_same_runs_give_the_same_bytes():
    section = Section("A stream", "About it.", [comparison()])
    assert report("t", [section]) == report("t", [section])


def test_every_name_and_text_is_escaped():
    name = '<b>&"bold"'
    runs = dl.compare({name: dl.PA(labels=("<no>", "&yes"))}, [({"a": 1.0}, "&yes"), ({"a": 2.0}, "<no>")])
    html = report(name, [Section(name, name, [runs], marks=[1.0], marked=name)] * 2, lead=name)
    tags = Tags(html)
    assert "b" not in {tag for tag, _ in tags.found}
    assert "".join(tags.texts).count(name) >= 10
    assert repr(runs.runs[0].learner) in "".join(tags.texts)
    assert len(charts(html)) == 4


# The figures


def test_the_table_has_the_figures_of_the_runs_fewest_mistakes_first():
    runs = comparison(4)
    html = Section("A stream", "", [runs]).html("here")
    last = html[html.rindex("<tbody>") :]
    rows = re.findall(r"<tr.*?</tr>", last)
    texts = ["".join(Tags(row).texts) for row in rows]
    for run, text in zip(sorted(runs.runs, key=lambda run: run.mistakes), texts, strict=True):
        assert run.name in text
        assert f"{run.mistakes}{run.error:.2%}{run.updates}" in text
        assert repr(run.learner) in text


def test_several_comparisons_are_shown_by_their_means_and_standard_errors():
    runs = [comparison(2, seed=seed) for seed in range(4)]
    mistakes = np.array([[run.mistakes for run in one.runs] for one in runs])
    errors = np.array([[run.error for run in one.runs] for one in runs])
    for k, summary in enumerate(summaries(runs)):
        assert summary.mistakes == pytest.approx(mistakes[:, k].mean())
        assert summary.mistakes_se == pytest.approx(mistakes[:, k].std(ddof=1) / 2.0)
        assert summary.error == pytest.approx(errors[:, k].mean())
        assert summary.error_se == pytest.approx(errors[:, k].std(ddof=1) / 2.0)
    section = Section("A stream", "", runs, 50)
    for k, line in enumerate(section.charts()[0].lines):
        assert line.y[-1] == pytest.approx(mistakes[:, k].mean())
    for k, line in enumerate(section.charts()[1].lines):
        assert line.y[-1] == pytest.approx(np.mean([100 * one.runs[k].windowed(50)[1][-1] for one in runs]))
    assert f"{mistakes[:, 0].mean():.1f} ± {mistakes[:, 0].std(ddof=1) / 2.0:.1f}" in section.html("here")


def test_one_comparison_has_no_standard_error():
    (summary, *_) = summaries([comparison()])
    assert (summary.mistakes_se, summary.error_se) == (0.0, 0.0)


def test_the_windowed_error_begins_with_the_first_full_window():
    mistakes, error = Section("A stream", "", [comparison()], 50).charts()
    assert [line.x[0] for line in mistakes.lines] == [0.0] * 3
    assert [line.x[0] for line in error.lines] == [50.0] * 3


def test_the_overview_has_the_error_of_each_learner_in_each_section_and_the_least_in_bold():
    one = comparison(2)
    other = dl.compare({"rule 1": dl.PA1(), "else": dl.Perceptron()}, stream(seed=5))
    html = report("t", [Section("first", "", [one]), Section("second", "", [other])])
    overview = html[html.index('id="overview"') : html.index('id="part-1"')]
    rows = ["".join(Tags(row).texts) for row in re.findall(r"<tr>.*?</tr>", overview)]
    assert rows[1:] == [
        f"rule 0{one['rule 0'].error:.2%}{MISSING}",
        f"rule 1{one['rule 1'].error:.2%}{other['rule 1'].error:.2%}",
        f"else{MISSING}{other['else'].error:.2%}",
    ]
    bold = re.findall(r'class="best">.*?([\d.]+%)', overview)
    assert set(bold) == {f"{min(run.error for run in runs.runs):.2%}" for runs in (one, other)}
    assert "overview" not in report("t", [Section("first", "", [one])])


@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_stream_shorter_than_the_window_is_shown_too(n):
    html = report("t", [Section("short", "", [comparison(n=n)], 1000)])
    assert len(charts(html)) == 2
    assert all(len(of_class(svg, "key")) == 3 for svg in charts(html))


def test_a_stream_without_examples_gives_axes_and_dashes():
    html = report("t", [Section("empty", "", [dl.compare([dl.PA()], [])])])
    Tags(html)
    assert len(charts(html)) == 2
    assert not re.search(r"\b(nan|inf)\b", html)
    assert html.count(MISSING) >= 2


# The charts


def test_a_line_goes_where_its_numbers_are():
    line = Line("straight", np.array([0.0, 10.0]), np.array([0.0, 100.0]))
    chart = Chart("A chart", Axis("time", "s"), Axis("way", "m"), [line])
    svg = ElementTree.fromstring(chart.svg("c"))
    (path,) = [e for e in of_class(svg, "line") if e.tag == "path"]
    (x0, y0), (x1, y1) = (map(float, point.split()) for point in path.get("d")[1:].split("L"))
    grid = [float(re.match(r"M[\d.]+ ([\d.]+)H", e.get("d")).group(1)) for e in of_class(svg, "grid")]
    assert (y0, y1) == (grid[0], grid[-1])
    assert x0 < x1
    assert [e.text for e in of_class(svg, "axis")] == ["way (m)", "time (s)"]
    ticks_written = [e.text for e in of_class(svg, "tick")]
    assert ticks_written == ["0", "20", "40", "60", "80", "100", "0", "2", "4", "6", "8", "10"]


def test_every_text_of_a_chart_is_escaped():
    text = "<b>&'"
    line = Line(text, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    svg = ElementTree.fromstring(Chart(text, Axis(text, text), Axis(text, text), [line], reference=line).svg("c"))
    assert "".join(svg.itertext()).count(text) == 14
    assert svg.find(".//b") is None


def test_a_chart_says_in_words_what_it_shows():
    lines = [
        Line("high", np.array([0.0, 1.0]), np.array([0.0, 9.0])),
        Line("low", np.array([0.0, 1.0]), np.zeros(2)),
    ]
    svg = ElementTree.fromstring(Chart("A chart", Axis("time"), Axis("way", "m"), lines).svg("c"))
    assert svg.get("role") == "img"
    assert svg.find("title").text == "A chart"
    assert svg.find("desc").text == ("way (m) over time, 2 lines. Lowest at the end: low, 0. Highest: high, 9.")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=18), st.integers(2, 50))
def test_everything_stays_inside_the_picture_and_labels_do_not_overlap(ends, points):
    x = np.linspace(0.0, 100.0, points)
    lines = [Line(f"line {k}", x, end * x / 100.0) for k, end in enumerate(ends)]
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), lines, marks=[50.0]).svg("c"))
    width, height = map(float, svg.get("viewBox").split()[2:])
    for path in of_class(svg, "line"):
        if path.tag == "path":
            xy = np.array([p.split() for p in path.get("d")[1:].split("L")], dtype=float)
            assert (xy >= 0).all()
            assert (xy <= [width, height]).all()
    places = sorted(float(key.get("y")) for key in of_class(svg, "key"))
    assert len(places) == len(ends)
    assert places[0] >= 10.0
    assert places[-1] <= height - 10.0
    assert all(b - a >= 16.8 for a, b in itertools.pairwise(places))


def test_a_long_line_is_thinned_and_keeps_its_ends():
    x = np.arange(5000.0)
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), [Line("l", x, x)]).svg("c"))
    (path,) = [e for e in of_class(svg, "line") if e.tag == "path"]
    points = path.get("d")[1:].split("L")
    assert 200 < len(points) <= 500
    assert points[0] == "52.0 340.0"
    assert float(points[-1].split()[0]) == 452.0


def test_with_too_many_lines_for_labels_the_legend_still_has_all():
    html = report("t", [Section("many", "", [comparison(30)])])
    assert all(not of_class(svg, "key") for svg in charts(html))
    assert all(len([e for e in of_class(svg, "line") if e.tag in ("path", "circle")]) == 30 for svg in charts(html))
    assert html.count("<li ") == 30
    assert ".s29{" in html


def test_marks_and_floor_are_drawn_and_explained():
    html = a_report(marks=[100.0, 200.0], marked="the target jumps", floor=0.25)
    for svg in charts(html):
        assert len(of_class(svg, "mark")) == 2
        assert len(of_class(svg, "reference")) == 1
        assert [e.text for e in of_class(svg, "halo")] == ["label noise, 25%"]
    assert "Dotted upright lines: the target jumps." in html
    assert "Dotted upright" not in a_report()


def test_the_twin_has_the_values_at_the_ticks_and_a_dash_before_the_line_begins():
    lines = [
        Line("whole", np.array([0.0, 40.0]), np.array([0.0, 4.0])),
        Line("late", np.array([15.0, 40.0]), np.array([1.0, 1.0])),
        Line("never", np.array([]), np.array([])),
    ]
    twin = Chart("A chart", Axis("examples", whole=True), Axis("y", decimals=1), lines).twin()
    rows = [re.findall(r"<t[hd].*?>([^<>]+)<", row) for row in re.findall(r"<tr.*?</tr>", twin)]
    at = [float(cell) for cell in rows[0][1:]]
    assert at[-1] == 40.0
    assert rows[1] == ["whole", *(f"{a / 10.0:.1f}" for a in at)]
    assert rows[2] == ["late", *("1.0" if a >= 15.0 else MISSING for a in at)]
    assert set(rows[3][1:]) == {MISSING}


def test_a_line_is_dotted_over_its_gaps_and_a_single_point_is_a_dot():
    x = np.arange(6.0)
    gapped = Line("gapped", x, np.array([0.0, 1.0, np.nan, np.inf, 2.0, 3.0]))
    single = Line("single", np.array([5.0]), np.array([1.0]))
    nothing = Line("nothing", x, np.full(6, np.nan))
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), [gapped, single, nothing]).svg("c"))
    (bridge,) = of_class(svg, "bridge")
    (path,) = [e for e in of_class(svg, "line") if e.tag == "path" and e is not bridge]
    first, second = (piece.split("L") for piece in path.get("d")[1:].split("M"))
    assert bridge.get("d")[1:].split("L") == [first[-1], second[0]]
    assert (len(first), len(second)) == (2, 2)
    (dot,) = of_class(svg, "dot")
    assert dot.get("cx") == second[1].split()[0]
    assert [e.text for e in of_class(svg, "key")] == ["1", "2"]


def test_a_gap_is_a_dash_in_the_twin():
    x = np.array([0.0, 10.0, 20.0, 30.0, 40.0])
    line = Line("gapped", x, np.array([1.0, 2.0, np.nan, 4.0, 5.0]))
    twin = Chart("A chart", Axis("x", whole=True), Axis("y"), [line]).twin()
    header, row = (re.findall(r"<t[hd].*?>([^<>]+)<", row) for row in re.findall(r"<tr.*?</tr>", twin))
    values = dict(zip(header[1:], row[1:], strict=True))
    assert (values["10"], values["20"], values["30"], values["40"]) == ("2", MISSING, "4", "5")


def test_a_line_keeps_the_number_it_is_given():
    line = Line("a", np.array([0.0, 1.0]), np.array([0.0, 1.0]), number=7)
    chart = Chart("A chart", Axis("x"), Axis("y"), [line])
    svg = ElementTree.fromstring(chart.svg("c"))
    assert of_class(svg, "line")[0].get("class") == "line s7"
    assert [e.text for e in of_class(svg, "key")] == ["8"]
    assert 'class="s7"' in chart.twin()


def test_what_is_above_the_ceiling_lies_at_the_top_edge_and_is_whole_in_the_twin():
    x = np.arange(3.0)
    lines = [Line("low", x, np.array([0.0, 5.0, 10.0])), Line("high", x, np.array([0.0, 1e6, 5.0]))]
    chart = Chart("A chart", Axis("x", whole=True), Axis("y"), lines, ceiling=10.0)
    svg = ElementTree.fromstring(chart.svg("c"))
    low, high = (e.get("d")[1:].split("L") for e in of_class(svg, "line") if e.tag == "path")
    assert high[1].split()[1] == low[2].split()[1] == "34.0"
    assert high[2].split()[1] == low[1].split()[1]
    assert "1,000,000" in chart.twin()


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=6),
    st.integers(-290, 290),
    st.booleans(),
)
def test_charts_of_numbers_of_any_size_have_short_ticks_and_stay_inside(shape, power, whole):
    y = np.array(shape) * 10.0**power
    line = Line("l", np.arange(float(len(y))), y)
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y", whole=whole), [line]).svg("c"))
    texts = [e.text for e in of_class(svg, "tick")]
    assert max(map(len, texts)) <= 7
    assert len(set(texts[: -len(y)])) > 1
    (path,) = [e for e in of_class(svg, "line") if e.tag == "path"]
    xy = np.array([p.split() for p in path.get("d")[1:].split("L")], dtype=float)
    assert np.isfinite(xy).all()
    assert (xy >= [0.0, 33.9]).all()
    assert (xy <= [452.1, 340.1]).all()


def test_the_level_of_zero_is_drawn_where_there_are_numbers_below_it():
    line = Line("l", np.array([0.0, 1.0]), np.array([-1.0, 1.0]))
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), [line]).svg("c"))
    (zero,) = [e for e in of_class(svg, "grid") if "base" in e.get("class")]
    assert float(re.match(r"M[\d.]+ ([\d.]+)H", zero.get("d")).group(1)) == pytest.approx((34.0 + 340.0) / 2)


# Text of others


@given(st.text(st.characters(codec=None, categories=None), max_size=30))
def test_any_text_becomes_html_and_xml_that_can_be_written(text):
    html = escaped(text)
    html.encode("utf-8")
    assert "".join(ElementTree.fromstring(f'<a b="{html}">{html}</a>').itertext()) == shown(text)
    assert Tags(f"<p>{html}</p>").found == [("p", {})]


def test_what_cannot_be_seen_is_written_out_and_what_scripts_need_is_kept():
    assert shown("a\x00\n\u202e\ud800\ufffe") == "a\\x00\\n\\u202e\\ud800\\ufffe"
    for kept in ("👩\u200d🔬", "שלום", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "日本", "a b", "é"):
        assert shown(kept) == kept


def test_long_names_are_cut_by_the_columns_they_take():
    assert clipped("x" * 21, 21) == "x" * 21
    assert clipped("x" * 22, 21) == "x" * 20 + "…"
    assert clipped("日" * 11, 21) == "日" * 10 + "…"
    assert clipped("e\u0301" * 5, 5) == "e\u0301" * 5
    one, other = brief("x" * 300 + "1"), brief("x" * 300 + "2")
    assert one != other
    assert len(one) <= 61
    assert brief("x" * 60) == "x" * 60


# The report of a run


def data(**changes) -> DataSummary:
    given = {
        "source": "mail.csv",
        "format": "CSV",
        "examples": 300,
        "features": 4,
        "labels": [("ham", 200), ("spam", 100)],
        "values_per_example": 3.25,
        "skipped": 2,
        "reasons": ["line 7: no label", "line 9: no number"],
        "seconds": 0.5,
    }
    return DataSummary(**(given | changes))


def recorded(learners: dict[str, type[dl.Learner]], X, y, **options) -> Comparison:
    """A comparison with histories."""
    return dl.compare({name: make(**options) for name, make in learners.items()}, (X, y), history=True)


def drifting(n: int, names=None):
    X, y = next(iter(dl.streams.RotatingHyperplane(n, 4, angle=0.01, seed=2, block=n)))
    return ([dict(zip(names, row, strict=True)) for row in X.tolist()] if names else X), y


NAMES = ("colour=red", "x" * 300, "<script>alert(1)</script>", "\u202e\u05e9\u05dc\u05d5\u05dd\ud800")
THREE = {"one": dl.PA1, "<b>two": dl.NORMA, "three": dl.Perceptron}


def test_a_run_report_parses_and_asks_no_other_host_for_anything(tmp_path):
    path = write_run_report(tmp_path / "r.html", "<b>title", recorded(THREE, *drifting(300, NAMES)), data())
    html = path.read_text(encoding="utf-8")
    tags = Tags(html)
    assert FORBIDDEN.search(html) is None
    assert not {"script", "b"} & {tag for tag, _ in tags.found}
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    wanted = [name for _, attrs in tags.found for name in (attrs.get("aria-labelledby") or "").split()]
    assert len(set(ids)) == len(ids)
    assert set(wanted) <= set(ids)
    titles = [svg.find("title").text for svg in charts(html)]
    assert titles == [
        "Cumulative mistakes",
        "Error over the last 50 examples",
        "Cumulative updates",
        "Length of the weights",
        "Weights that are not 0",
        *(f"Largest weights: {name}" for name in THREE),
    ]
    assert html.count("The same as a table") == len(titles)
    assert not re.search(r"\b(nan|inf)\b", html)


def test_a_run_report_without_histories_has_no_weights():
    html = run_report("t", comparison(2), data())
    assert len(charts(html)) == 3
    assert "<h2>Weights</h2>" not in html


def test_the_charts_of_a_run_end_at_the_figures_of_the_run():
    runs = recorded(THREE, *drifting(300))
    mistakes, error, updates, norm = RunSection(runs, data()).charts()
    for k, run in enumerate(runs.runs):
        assert mistakes.lines[k].y[-1] == run.mistakes
        assert error.lines[k].y[-1] == pytest.approx(100.0 * run.windowed(50)[1][-1])
        assert updates.lines[k].y[-1] == run.updates
        assert norm.lines[k].y[-1] == pytest.approx(np.linalg.norm(list(run.learner.weights().values())))
        assert [line.name for line in norm.lines] == list(THREE)


def test_weights_are_drawn_by_name_and_a_feature_looks_alike_in_every_chart():
    X, y = drifting(300, ("a", "b", "c", "d"))
    runs = recorded(THREE, X, y)
    weights = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "(bias)": 5.0}
    for run, order in zip(runs.runs, (1.0, -1.0, 2.0), strict=True):
        largest = tuple((name, value**order) for name, value in weights.items())
        run.history.records = [Record(at, 9.0, 5, largest) for at in (0, 300)]
    html = run_report("t", runs, data())
    looks: dict[str, set[str]] = {}
    for svg in charts(html)[-3:]:
        for label in of_class(svg, "label"):
            key, name = (e.text for e in label.iter() if e.tag == "text")
            looks.setdefault(name, set()).add(f"{label.get('class')} {key}")
    assert set(looks) == {"a", "b", "c", "d", "(bias)"}
    assert all(len(found) == 1 for found in looks.values())
    assert len(set.union(*looks.values())) == 5


def test_of_many_features_those_with_the_largest_weights_are_drawn_and_the_rest_is_not():
    history = History()
    largest = tuple((f"f{k}", (-1.0) ** k * (20.0 - k)) for k in range(12))
    history.records = [Record(at, 50.0, 100, largest[: 12 - at // 100]) for at in (100, 200)]
    run = dl.run(dl.PA1(), stream(200))
    run.history = history
    html = run_report("t", Comparison([run]), data())
    svg = charts(html)[-1]
    assert {e.text for e in of_class(svg, "name")} == {f"f{k}" for k in range(6)}
    last = html[html.index("Largest weights at the end") :]
    assert "10 of 100 weights that are not 0" in last
    assert [name in last for name in ("f9", "f10")] == [True, False]


def test_a_weight_is_zero_where_all_are_listed_and_unknown_where_not():
    history = History()
    history.records = [
        Record(1, 1.0, 1, (("a", 1.0),)),
        Record(2, 2.0, 9, (("b", 2.0),)),
        Record(3, 2.0, 2, (("b", 2.0), ("a", 1.0))),
    ]
    np.testing.assert_array_equal(weight(history, "b")[1], [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(weight(history, "a")[1], [1.0, np.nan, 1.0])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
@pytest.mark.parametrize("learners", [{"PA1": dl.PA1}, {name: dl.REGISTRY[name] for name in LINEAR}])
def test_the_shortest_streams_have_whole_reports(n, learners):
    X, y = drifting(20)
    html = run_report("t", recorded(learners, X[:n], y[:n]), data())
    Tags(html)
    assert len(charts(html)) == 5 + len(learners)
    assert not re.search(r"\b(nan|inf)\b", html)
    if n:
        assert all(of_class(svg, "line") for svg in charts(html)[:5])


def test_a_learner_that_never_errs_has_a_level_line_at_zero():
    runs = recorded({"PA1": dl.PA1}, np.ones((100, 1)), np.ones(100))
    (error,) = [svg for svg in charts(run_report("t", runs, data())) if "Error" in svg.find("title").text]
    (path,) = [e for e in of_class(error, "line") if e.tag == "path"]
    assert {point.split()[1] for point in path.get("d")[1:].split("L")} == {"340.0"}
    assert (
        headline(runs, data(skipped=0, labels=[]))
        == "\u2068PA1\u2069 gave none of 100 examples the wrong label (0.00%)."
    )


def test_ten_million_examples_are_counted_in_millions_over_a_window_of_round_length():
    ledger = Ledger(0.0)
    ledger.examples, ledger.mistakes, ledger.label_errors, ledger.updates = 10_000_000, 2_500_000, 2_400_000, 5_000_000
    at = np.linspace(0.0, 1e7, 2001)[1:]
    ledger.curve.rows = np.column_stack([at, at / 4, at * 0.24, at / 2, at])
    ledger.curve.stride = 5000
    html = run_report("t", Comparison([Run("PA1", dl.PA1(), ledger)]), data())
    mistakes, error, _ = charts(html)
    assert [e.text for e in of_class(mistakes, "axis")] == ["mistakes (thousands)", "examples seen (millions)"]
    assert error.find("title").text == "Error over the last 200,000 examples"
    assert "2,400,000 of 10,000,000 examples" in html
    assert max(len(e.text) for svg in charts(html) for e in of_class(svg, "tick")) <= 5


def test_the_window_is_round_and_no_longer_than_the_stream():
    assert [window_of(n) for n in (0, 1, 30, 1000, 20_000, 10_000_000)] == [1, 1, 30, 50, 500, 200_000]


def test_a_norm_out_of_all_proportion_is_cut_off_so_that_the_others_can_be_seen():
    runs = recorded(THREE, *drifting(300))
    assert RunSection(runs, data()).charts()[3].ceiling == np.inf
    history = runs.runs[1].history
    history.records[3] = Record(48, 1e9, 5, ())
    chart = RunSection(runs, data()).charts()[3]
    peak = max(record.norm for run in (runs.runs[0], runs.runs[2]) for record in run.history.records)
    assert chart.ceiling <= 3.0 * peak
    assert "peaks cut off" in chart.title
    for norm in (float("nan"), float("inf")):
        history.records[3] = Record(48, norm, 5, ())
        assert RunSection(runs, data()).charts()[3].ceiling == np.inf
        assert not re.search(r"\b(nan|inf)\b", run_report("t", runs, data()))


def test_the_headline_says_who_was_best_and_worst_and_what_a_constant_would_do():
    X, y = drifting(300)
    runs = recorded(THREE, X, y)
    ranked = sorted(runs.runs, key=lambda run: run.label_errors)
    assert ranked[0].label_errors < ranked[1].label_errors < ranked[2].label_errors
    best, worst = ranked[0], ranked[-1]
    assert headline(runs, data()) == (
        f"Of 3 learners, \u2068{best.name}\u2069 gave the fewest wrong labels: {best.label_errors} of 300 examples "
        f"({best.error:.2%}). \u2068{worst.name}\u2069 gave the most: {worst.label_errors} ({worst.error:.2%}). "
        "Always answering \u2068ham\u2069 would have been wrong on 33.33%. 2 lines could not be read and were left out."
    )


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "b"], "All 2 learners gave the same number of wrong labels: "),
        (["a", "b", "zero"], "Of 3 learners, \u2068a\u2069 and \u2068b\u2069 gave the fewest wrong labels: "),
        (["a", "b", "c", "zero"], "Of 4 learners, \u2068a\u2069 and 2 others gave the fewest wrong labels: "),
    ],
)
def test_the_headline_names_no_winner_among_equals(names, told):
    learners = {name: (lambda: dl.PA1(C=1e-9)) if name == "zero" else dl.PA1 for name in names}
    runs = dl.compare({name: make() for name, make in learners.items()}, stream())
    assert headline(runs, data()).startswith(told)


def test_the_headline_of_nothing_and_of_one_line_left_out():
    assert headline(dl.compare([dl.PA()], []), data(skipped=1, labels=[])) == (
        "There were no examples. 1 line could not be read and was left out."
    )


def test_the_table_of_parameters_has_all_of_them():
    learners = {"a": dl.NORMA(alpha=0.25, scale="unit"), "b": dl.L2PA(7.5, hashing=dl.Hashing(10), bias=False)}
    html = run_report("t", dl.compare(learners, stream()), data())
    part = html[html.index("<h2>Parameters</h2>") :]
    header, *rows = (
        ["".join(Tags(c).texts).strip() for c in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", part)[:3]
    )
    a, b = (dict(zip(header, row, strict=True)) for row in rows)
    assert (a["rule"], a["alpha"], a["beta"], a["scale"], a["bias"]) == ("NORMA", "0.25", MISSING, "unit", "yes")
    assert (b["rule"], b["beta"], b["alpha"], b["hashing"]) == ("L2PA", "7.5", MISSING, "Hashing(bits=10)")
    assert (b["bias"], b["dtype"]) == ("no", "float64")


def test_the_table_of_the_data_has_all_that_is_known():
    part = "\n".join(Tags(data(sample_weights=(0.5, 2.0)).html()).texts)
    for text in (
        "mail.csv",
        "CSV",
        "300",
        "ham",
        ": 200 (66.7%)",
        "3.2 on average",
        "from 0.5 to 2",
        "line 9: no number",
    ):
        assert text in part
    assert "0.5 s, 600 examples a second" in part
    assert "more" not in part
    assert "all 1" in data().html()
    assert "time" not in data(seconds=None).html()
    assert "and 5 more" in data(skipped=7).html()
    assert "and 15 more" in data(labels=[(str(k), 1) for k in range(25)]).html()
    assert ">0</td>" in data(skipped=0, reasons=[]).html()


# Scales and places


@given(st.floats(1e-6, 1e9), st.integers(1, 12), st.booleans())
def test_steps_are_round_and_not_too_many(span, most, whole):
    step = round_step(span, most, whole)
    assert span / step <= most * (1 + 1e-6)
    assert float(f"{step:.9e}".split("e")[0]) in (1.0, 2.0, 2.5, 5.0)
    if whole:
        assert step == round(step)
    assert len(ticks(0.0, span, most, whole)) <= most + 1


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.booleans())
def test_covering_ticks_cover_and_inner_ticks_stay_inside(low, span, whole):
    high = low + span
    outer, inner = covering(low, high, 6, whole), ticks(low, high, 6, whole)
    slack = 1e-6 * max(abs(low), abs(high))
    assert outer[0] <= low + slack
    assert outer[-1] >= high - slack
    assert len(outer) >= 2
    assert all(low - slack <= t <= high + slack for t in inner)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.0, 2.5, 5.0], ["0.0", "2.5", "5.0"]),
        ([0.0, 0.25], ["0.00", "0.25"]),
        ([0.0, 5000.0], ["0", "5,000"]),
        ([0.0], ["0"]),
    ],
)
def test_ticks_are_written_with_the_decimals_they_need(values, texts):
    assert written(values) == texts


def test_large_numbers_are_counted_in_thousands_and_millions():
    assert [magnitude(high) for high in (9_999.0, 10_000.0, 1e7)] == [
        (1.0, ""),
        (1e3, "thousands"),
        (1e6, "millions"),
    ]


places_wanted = st.lists(st.floats(0.0, 300.0), min_size=1, max_size=15)


@given(places_wanted, st.randoms(use_true_random=False))
def test_labels_keep_their_order_and_distance_and_move_as_little_as_possible(wanted, random):
    gap, low, high = 17.0, 0.0, 300.0
    places = spread(wanted, gap, low, high)
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    held = [places[k] for k in order]
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(held))
    assert held[0] >= low - 1e-9
    assert held[-1] <= high + 1e-9
    cost = sum((p - w) ** 2 for p, w in zip(places, wanted, strict=True))
    for _ in range(20):
        room = high - low - gap * (len(wanted) - 1)
        other = [low + k * gap + room * u for k, u in enumerate(sorted(random.random() for _ in wanted))]
        assert cost <= sum((p - wanted[k]) ** 2 for p, k in zip(other, order, strict=True)) + 1e-6


# Colours

SIGHT = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
"""How linear RGB is seen: Machado, Oliveira, Fernandes (2009), full severity."""
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("colours", "panel"), [(palette.LIGHT, "#f6f7f9"), (palette.DARK, "#1c2027")])
def test_colours_differ_from_each_other_and_from_the_background_to_every_eye(colours, panel):
    for colour in colours:
        dark, light = sorted((luminance(colour), luminance(panel)))
        assert (light + 0.05) / (dark + 0.05) >= 2.9
    for seen in SIGHT.values():
        lab = [TO_LAB @ np.cbrt(TO_LMS @ np.clip(seen @ linear(colour), 0.0, 1.0)) for colour in colours]
        for one, other in itertools.combinations(lab, 2):
            assert np.linalg.norm(one - other) >= 0.12


# The file


def test_the_report_is_written_and_nothing_else(tmp_path):
    path = write_report(tmp_path / "r.html", "A title", [Section("s", "", [comparison()])])
    assert path == tmp_path / "r.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_a_write_that_fails_leaves_the_old_report_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("old")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"^write_report: path must .* got '.*r\.html': No space left on device\. \w"):
        write_report(path, "A title", [Section("s", "", [comparison()])])
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_a_path_that_cannot_be_written_gives_one_line_that_says_what_and_why(tmp_path):
    (tmp_path / "file").write_text("")
    sections = [Section("s", "", [comparison()])]
    reasons = {
        "file/r.html": "Not a directory",
        "absent/r.html": "No such file or directory",
        ".": "Is a directory",
    }
    for name, reason in reasons.items():
        with pytest.raises(OSError, match=f": {reason}\\. ") as caught:
            write_report(tmp_path / name, "A title", sections)
        assert str(caught.value).startswith(f"write_report: path must be a file that can be written, got '{tmp_path}")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: report("t", []), "report: sections must hold at least one section, got none"),
        (lambda: Section("s", "", []), "Section: comparisons must hold at least one run, got none"),
        (
            lambda: Section("s", "", [comparison(2), comparison(3)]),
            "Section: comparisons must repeat the same learners",
        ),
        (lambda: Section("s", "", [comparison()], 0), "Section: window must be >= 1, got 0"),
        (lambda: RunSection(Comparison([]), data()), "RunSection: comparison must hold at least one run, got none"),
    ],
)
def test_errors_say_what_must_hold(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_the_parts_make_other_pages_too():
    chart = Chart("A chart", Axis("x"), Axis("y"), [Line("a", np.array([0.0, 1.0]), np.array([1.0, 2.0]))])
    html = page("Other", "", chart.svg("c") + table("Numbers", ["name", "value"], [Row(["a", "1"])]), 1)
    Tags(html)
    assert FORBIDDEN.search(html) is None
    assert len(charts(html)) == 1
