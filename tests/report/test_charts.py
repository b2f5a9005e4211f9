"""The charts of a report: lines, labels, ticks and colours."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.report import (
    Axis,
    Chart,
    Line,
    Section,
    report,
)
from driftline.report.charts import palette
from driftline.report.charts.label_spread import spread
from driftline.report.charts.line import Mark
from driftline.report.charts.scale import covering, magnitude, round_step, ticks, written
from driftline.report.charts.ticks import y_ticks
from driftline.report.charts.time_scale import time_ticks
from driftline.report.html_table import MISSING
from tests.support.colours import linear, luminance
from tests.support.report_html import charts, of_class
from tests.support.sample_reports import a_report, comparison

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
    assert "Dotted vertical lines: the target jumps." in html
    assert "Dotted vertical" not in a_report()


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


def test_a_logarithmic_axis_draws_every_positive_value_and_says_that_it_leaves_out_zeros():
    x = np.arange(4.0)
    lines = [Line("low", x, np.array([0.0, 0.5, 5.0, 10.0])), Line("high", x, np.array([0.0, 1e6, 0.0, 5.0]))]
    chart = Chart("A chart", Axis("x", whole=True), Axis("y", log=True), lines)
    svg = ElementTree.fromstring(chart.svg("c"))
    assert of_class(svg, "axis")[0].text == "y (log scale)"
    ticks_written = [e.text for e in of_class(svg, "tick") if e.get("text-anchor") == "end"]
    assert ticks_written == ["10⁻¹", "10¹", "10³", "10⁵", "10⁷"]
    low, bridge = [e.get("d")[1:].split("L") for e in of_class(svg, "line") if e.tag == "path"][:2]
    assert len(low) == 3 and len(bridge) == 2
    assert float(bridge[0].split()[1]) < float(low[0].split()[1])
    assert chart.note == "Zeros on the log scale are not drawn: \u2068high\u2069."
    assert "1,000,000" in chart.twin()


@given(st.floats(1e-200, 1e200), st.floats(1.0, 1e90))
def test_logarithmic_ticks_cover_their_values_and_are_few(low, ratio):
    found = y_ticks(Axis("y", log=True), low, low * ratio)
    assert found.at[0] <= low * (1 + 1e-9) and low * ratio * (1 - 1e-9) <= found.at[-1]
    assert 2 <= len(found.at) == len(set(found.texts)) <= 9
    assert all(0.0 - 1e-9 <= found.share(value) <= 1.0 + 1e-9 for value in (low, low * ratio))


@pytest.mark.parametrize(
    ("days", "texts", "unit"),
    [
        (0.02, ["00:00", "00:10", "00:20"], "1 Jan 2024, UTC"),
        (1.5, ["1 Jan", "12:00", "2 Jan", "12:00"], "2024, UTC"),
        (4.0, ["1 Jan", "2 Jan", "3 Jan", "4 Jan", "5 Jan"], "2024, UTC"),
        (59.0, ["1 Jan", "15 Jan", "29 Jan", "12 Feb", "26 Feb"], "2024, UTC"),
        (300.0, ["Jan 2024", "Mar", "May", "Jul", "Sep"], "UTC"),
        (3000.0, ["2024", "2026", "2028", "2030", "2032"], "UTC"),
    ],
)
def test_ticks_of_times_are_round_dates(days, texts, unit):
    start = 1704067200.0
    at, found, left_out = time_ticks(start, start + 86400.0 * days, 5)
    assert (list(found), left_out) == (texts, unit)
    assert len(at) == len(texts) and all(start <= t <= start + 86400.0 * days for t in at)


@given(st.floats(-1e18, 1e18), st.floats(1e-3, 1e17), st.integers(3, 8))
def test_ticks_of_any_times_stay_inside_and_are_few(low, span, most):
    at, texts, _ = time_ticks(low, low + span, most)
    assert len(at) == len(texts) <= most + 2
    assert all(low <= t <= low + span for t in at)


def test_a_peak_of_a_long_line_is_not_thinned_away():
    y = np.zeros(5000)
    y[1234] = 7.0
    chart = Chart("A chart", Axis("x"), Axis("y"), [Line("l", np.arange(5000.0), y)])
    for text in (chart.svg("c"), chart.narrow()):
        svg = ElementTree.fromstring(text)
        (path,) = [e for e in of_class(svg, "line") if e.tag == "path"]
        heights = [float(point.split()[1]) for point in path.get("d")[1:].split("L")]
        seven = {e.text: float(e.get("y")) for e in of_class(svg, "tick") if e.get("text-anchor") == "end"}
        assert min(heights) == pytest.approx(seven["0"] - (seven["0"] - seven["8"]) * 7 / 8, abs=0.2)


def test_a_narrow_chart_has_the_names_beside_the_lines_inside_the_picture():
    x = np.array([0.0, 1.0])
    lines = [Line(name, x, x * k) for k, name in enumerate(("short", "a name that is too long to be written"))]
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), lines).narrow())
    assert svg.get("aria-label").startswith("A chart. y over x, 2 lines.")
    assert [e.text for e in of_class(svg, "name")] == ["short", "a name that i…"]
    width = float(svg.get("viewBox").split()[2])
    assert all(float(e.get("x")) + 7.0 * len(e.text) <= width for e in of_class(svg, "name"))


def test_alarms_are_numbered_lines_with_a_text_and_crowded_numbers_are_left_out():
    line = Line("l", np.array([0.0, 1000.0]), np.array([0.0, 1.0]))
    alarms = [Mark(100.0, "<first>"), Mark(101.0, "second"), Mark(500.0, "third")]
    svg = ElementTree.fromstring(Chart("A chart", Axis("x"), Axis("y"), [line], alarms=alarms).svg("c"))
    drawn = of_class(svg, "alarm")
    assert [one.findtext("title") for one in drawn] == ["<first>", "second", "third"]
    assert [one.findtext("text") for one in drawn] == ["1", None, "3"]
    assert "3 alarms marked." in svg.findtext("desc")


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


@pytest.mark.parametrize(("colours", "panel"), [(palette.LIGHT, "#f6f7f9"), (palette.DARK, "#1c2027")])
def test_colours_differ_from_each_other_and_from_the_background_to_every_eye(colours, panel):
    for colour in colours:
        dark, light = sorted((luminance(colour), luminance(panel)))
        assert (light + 0.05) / (dark + 0.05) >= 2.9
    for seen in SIGHT.values():
        lab = [TO_LAB @ np.cbrt(TO_LMS @ np.clip(seen @ linear(colour), 0.0, 1.0)) for colour in colours]
        for one, other in itertools.combinations(lab, 2):
            assert np.linalg.norm(one - other) >= 0.12
