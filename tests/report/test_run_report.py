"""The HTML report: the numbers of the runs, well-formed pages, and complete files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

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
from driftline.report.charts.curves import weight, window_of
from driftline.report.headline import headline
from driftline.report.html_table import MISSING, Row
from tests.support.bitwise import LINEAR
from tests.support.report_html import FORBIDDEN, Tags, charts, of_class
from tests.support.sample_reports import a_report, comparison, stream

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
        "Error over the last 50 examples",
        "Cumulative mistakes",
        "Cumulative updates",
        "Length of the weights",
        "Precision and recall of 1.0",
        "Non-zero weights",
        *(f"Largest weights: {name}" for name in THREE),
    ]
    assert html.count("The same as a table") == len(titles)
    assert not re.search(r"\b(nan|inf)\b", html)


def test_a_run_report_without_histories_has_no_weights():
    html = run_report("t", comparison(2), data())
    assert len(charts(html)) == 4
    assert "<h2>Weights</h2>" not in html


def test_the_charts_of_a_run_end_at_the_figures_of_the_run():
    runs = recorded(THREE, *drifting(300))
    error, mistakes, updates, norm = RunSection(runs, data()).charts()
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
    assert "10 of 100 non-zero weights" in last
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
    drawn = [svg for svg in charts(html) if not svg.find("title").text.startswith("Precision")]
    assert len(drawn) == 5 + len(learners)
    assert not re.search(r"\b(nan|inf)\b", html)
    if n:
        assert all(of_class(svg, "line") for svg in drawn[:5])


def test_a_learner_that_never_errs_has_a_level_line_at_zero():
    runs = recorded({"PA1": dl.PA1}, np.ones((100, 1)), np.ones(100))
    (error,) = [svg for svg in charts(run_report("t", runs, data())) if "Error" in svg.find("title").text]
    (path,) = [e for e in of_class(error, "line") if e.tag == "path"]
    assert {point.split()[1] for point in path.get("d")[1:].split("L")} == {"340.0"}
    assert (
        headline(runs, data(skipped=0, labels=[]))
        == "\u2068PA1\u2069 gave none of 100 examples the wrong label (0.00%). Predicting the label of the previous "
        "example would have been wrong on 1.00%, predicting the most frequent label so far on 1.00%."
    )


def test_ten_million_examples_are_counted_in_millions_over_a_window_of_round_length():
    ledger = Ledger(0.0)
    ledger.examples, ledger.mistakes, ledger.label_errors, ledger.updates = 10_000_000, 2_500_000, 2_400_000, 5_000_000
    at = np.linspace(0.0, 1e7, 2001)[1:]
    ledger.curve.rows = np.column_stack([at, at / 4, at * 0.24, at / 2, at])
    ledger.curve.stride = 5000
    html = run_report("t", Comparison([Run("PA1", dl.PA1(), ledger)]), data())
    error, mistakes, _ = charts(html)
    assert [e.text for e in of_class(mistakes, "axis")] == ["mistakes (thousands)", "examples seen (millions)"]
    assert error.find("title").text == "Error over the last 200,000 examples"
    assert "2,400,000 of 10,000,000 examples" in html
    assert max(len(e.text) for svg in charts(html) for e in of_class(svg, "tick")) <= 5


def test_the_window_is_round_and_no_longer_than_the_stream():
    assert [window_of(n) for n in (0, 1, 30, 1000, 20_000, 10_000_000)] == [1, 1, 30, 50, 500, 200_000]


def heights_of(path: ElementTree.Element) -> list[float]:
    """The y coordinates of a line."""
    return [float(y) for y in re.findall(r" (-?[\d.]+)", path.get("d") or "")]


def test_a_norm_out_of_all_proportion_makes_the_scale_logarithmic_and_nothing_is_cut_off():
    runs = recorded(THREE, *drifting(300))
    assert not RunSection(runs, data()).charts()[3].y.log
    history = runs.runs[1].history
    history.records[3] = Record(48, 1e9, 5, ())
    chart = RunSection(runs, data()).charts()[3]
    svg = ElementTree.fromstring(chart.svg("c"))
    assert of_class(svg, "axis")[0].text == "Euclidean norm of the weights (log scale)"
    heights = [heights_of(path) for path in of_class(svg, "line") if path.tag == "path"]
    assert all(len(set(some)) > 10 for some in heights)
    assert 34.0 <= min(heights[1]) < min(*heights[0], *heights[2]) - 100.0
    for norm in (float("nan"), float("inf")):
        history.records[3] = Record(48, norm, 5, ())
        assert not RunSection(runs, data()).charts()[3].y.log
        html = run_report("t", runs, data())
        assert not re.search(r"\b(nan|inf)\b", html)
        assert ("Infinite values are not drawn" in html) == (norm == float("inf"))


def test_the_headline_says_who_was_best_and_worst_and_what_a_constant_would_do():
    X, y = drifting(300)
    runs = recorded(THREE, X, y)
    ranked = sorted(runs.runs, key=lambda run: run.label_errors)
    assert ranked[0].label_errors < ranked[1].label_errors < ranked[2].label_errors
    best, worst = ranked[0], ranked[-1]
    assert headline(runs, data()) == (
        f"Of 3 learners, \u2068{best.name}\u2069 gave the fewest wrong labels: {best.label_errors} of 300 examples "
        f"({best.error:.2%}). \u2068{worst.name}\u2069 gave the most: {worst.label_errors} ({worst.error:.2%}). "
        "Always answering \u2068ham\u2069 would have been wrong on 33.33%. "
        f"Predicting the label of the previous example would have been wrong on {best.no_change_error:.2%}, "
        f"predicting the most frequent label so far on {best.majority_error:.2%}. "
        "2 lines could not be read and were left out."
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
    assert "0.5 s, 600 examples per second" in part
    assert "more" not in part
    assert "all 1" in data().html()
    assert "time" not in data(seconds=None).html()
    assert "and 5 more" in data(skipped=7).html()
    assert "and 15 more" in data(labels=[(str(k), 1) for k in range(25)]).html()
    assert ">0</td>" in data(skipped=0, reasons=[]).html()


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
        ".": "a folder",
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


def test_every_line_of_every_chart_has_a_style(tmp_path: Path) -> None:
    """Charts of labels may have more lines than the report has learners."""
    rows = [({"a": float(k % 5), "b": float(k % 3)}, "xyz"[k % 3]) for k in range(3000)]
    dl.run(dl.MulticlassPA(), rows).report(tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text()
    sheet, body = html.split("</style>", 1)
    used = set(re.findall(r"\bs\d+\b", " ".join(re.findall(r'class="([^"]*)"', body))))
    assert "s2" in used
    assert [one for one in sorted(used) if f".{one}{{--ink" not in sheet] == []
