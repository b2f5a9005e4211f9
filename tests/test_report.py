"""The HTML report: its numbers are the runs' numbers, its parts well-formed, its file whole or not there."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.report import Axis, Chart, Line, Section, page, palette, report, summaries, table, write_report
from driftline.report.scale import covering, round_step, thousands, ticks, written
from driftline.report.spread import spread
from driftline.report.table import MISSING, Row

EMPTY = {"meta"}
"""Elements that have no end tag, of those that a report has."""
FORBIDDEN = re.compile(r"https?://|//[a-z]|<script|<link|<img|<iframe|@import|url\(", re.IGNORECASE)


class Tags(HTMLParser):
    """Elements and texts of a page; complains about an end tag that does not fit."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def pictures(html: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def charts(html: str) -> list[ElementTree.Element]:
    return [svg for svg in pictures(html) if svg.get("class") == "chart"]


def of_class(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in svg.iter() if name in (e.get("class") or "").split()]


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
    assert all(len([e for e in of_class(svg, "line") if e.tag == "path"]) == 30 for svg in charts(html))
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
    rows = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", twin)]
    at = [float(cell) for cell in rows[0][1:]]
    assert at[-1] == 40.0
    assert rows[1] == ["whole", *(f"{a / 10.0:.1f}" for a in at)]
    assert rows[2] == ["late", *("1.0" if a >= 15.0 else MISSING for a in at)]
    assert set(rows[3][1:]) == {MISSING}


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
    assert [thousands(high) for high in (9_999.0, 10_000.0, 1e7)] == [
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
