"""The trade-off between labels and mistakes: its report, its command, labels in runs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.evaluate import Comparison, Tradeoff
from driftline.evaluate.label_tradeoff import Curve, Point
from driftline.report import DataSummary, LabelSection, Section, label_report, report, run_report, write_label_report
from tests.support.linear_cases import stream
from tests.support.report_html import FORBIDDEN, Tags, charts, of_class

DATA = DataSummary("a.svm", "svmlight", 300, 5, [("-1", 150), ("1", 150)], 5.0, 0, [], None)
PAIRS: Any = [("perceptron", "constant"), ("perceptron", "adaptive"), ("secondorderperceptron", "second")]


@pytest.fixture(scope="module")
def found() -> Tradeoff:
    data = stream(21, rounds=300, n=5)
    return dl.tradeoff((data.X, data.y), PAIRS, b=[3.0, 0.03, 0.3], seeds=4, bias=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of examples."""
    monkeypatch.chdir(tmp_path)
    data = stream(21, rounds=300, n=5)
    rows = zip(data.X.tolist(), data.y, strict=True)
    Path("a.svm").write_text(
        "".join(f"{int(y)} {' '.join(f'{k}:{v!r}' for k, v in enumerate(x, 1))}\n" for x, y in rows)
    )
    return tmp_path


def by_hand(shares: list[float], mistakes: list[float], full: int = 100) -> Tradeoff:
    points = [
        Point(0.1 * (k + 1), *pair, 2.0) for k, pair in enumerate(zip(shares, [0.01] * 9, mistakes, strict=False))
    ]
    return Tradeoff(1000, 7, 3, [Curve("Perceptron()", "constant", full, points)])


# the trade-off --------------------------------------------------------------------------------------------------------
def test_a_point_is_the_mean_of_runs(found: Tradeoff) -> None:
    data = stream(21, rounds=300, n=5)
    for curve, (name, variant) in zip(found.curves, PAIRS, strict=True):
        assert curve.full == dl.run(dl.REGISTRY[name](bias=False), (data.X, data.y)).mistakes
        assert [point.b for point in curve.points] == [0.03, 0.3, 3.0]
        for point in curve.points:
            runs = [
                dl.run(dl.LabelEfficient(name, point.b, variant, seed, bias=False), (data.X, data.y))
                for seed in range(4)
            ]
            mistakes = [run.mistakes for run in runs]
            assert point.mistakes == np.mean(mistakes)
            assert point.mistakes_se == pytest.approx(np.std(mistakes, ddof=1) / 2.0)
            assert point.share == pytest.approx(np.mean([run.asked for run in runs]) / 300)
    assert (found.examples, found.features, found.seeds) == (300, 5, 4)


def test_the_table_has_all_points_and_the_learner_with_all_labels(found: Tradeoff) -> None:
    rows = found.table()
    assert len(rows) == 3 * 4
    assert [row["b"] for row in rows[:4]] == [0.03, 0.3, 3.0, math.inf]
    assert (rows[3]["share"], rows[3]["relative"], rows[3]["mistakes"]) == (1.0, 1.0, found.curves[0].full)
    lines = str(found).splitlines()
    assert lines[0].split() == ["learner", "variant", "b", "labels", "mistakes", "±", "relative"]
    assert lines[4].split()[2:] == ["inf", "100.0%", f"{found.curves[0].full:.1f}", "0.0", "1.000"]
    assert repr(found) == str(found)


def test_one_seed_has_no_error_and_a_learner_without_mistakes_no_ratio() -> None:
    X, y = np.zeros((5, 1)) + 1.0, np.ones(5)
    (curve,) = dl.tradeoff((X, y), [("perceptron", "constant")], b=[1.0], seeds=1, bias=False).curves
    assert curve.points[0].mistakes_se == curve.points[0].share_se == 0.0
    assert math.isnan(Curve("Perceptron()", "constant", 0, []).relative(3.0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stream": iter([])}, "stream must be readable more than once, got an iterator. Pass list(stream)"),
        ({"pairs": []}, "pairs must not be empty, got []"),
        ({"b": []}, "b must not be empty, got []"),
        ({"b": None}, "b must be a number, got None"),
        ({"b": -2}, "b must be > 0, got -2"),
        ({"b": [1.0, 0.0]}, "b must be > 0, got 0.0"),
        ({"b": [math.inf]}, "b must be finite, got inf"),
        ({"seeds": 0}, "seeds must be a whole number >= 1, got 0"),
        ({"seeds": True}, "seeds must be a whole number >= 1, got True"),
    ],
)
def test_what_cannot_be_traded_off(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.tradeoff(**({"stream": (np.eye(2), [1, -1])} | given))
    assert str(caught.value) == f"tradeoff: {message}"


@pytest.mark.parametrize("b", [0.5, np.float64(0.5), [0.5], np.array([0.5]), (0.5, 0.5)])
def test_one_b_or_many(b: Any) -> None:
    data = stream(3, rounds=40, n=3)
    pairs: Any = [("perceptron", "constant")]
    found, due = (dl.tradeoff((data.X, data.y), pairs, b=one, seeds=np.int64(2)) for one in (b, [0.5]))
    assert found.table() == due.table() and [point.b for point in found.curves[0].points] == [0.5]


# its report -----------------------------------------------------------------------------------------------------------
def test_the_report_parses_and_asks_no_other_host_for_anything(found: Tradeoff, tmp_path: Path) -> None:
    path = write_label_report(tmp_path / "r.html", "Labels of <a>", found, DATA)
    html = path.read_text(encoding="utf-8")
    assert html == label_report("Labels of <a>", found, DATA)
    tags = Tags(html)
    assert FORBIDDEN.search(html) is None
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert len(charts(html)) == 2 and all(len(of_class(chart, "label")) == 3 for chart in charts(html))
    text = "".join(tags.texts)
    for row in found.table():
        assert f"{row['variant']}: {row['learner']}" in text
        assert f"{row['share']:.1%}" in text and f"{row['mistakes']:,.1f}" in text


def test_the_curves_go_from_the_fewest_labels_to_all(found: Tradeoff) -> None:
    relative, counted = LabelSection(found, DATA).charts()
    for curve, ratio, count in zip(found.curves, relative.lines, counted.lines, strict=True):
        assert (np.diff(ratio.x) >= 0.0).all() and ratio.x[-1] == 100.0 and ratio.y[-1] == 1.0
        shares = sorted(100.0 * point.share for point in curve.points)
        assert ratio.x.tolist() == count.x.tolist() == [*shares, 100.0]
        assert count.y.tolist()[-1] == curve.full
        np.testing.assert_allclose(ratio.y * curve.full, count.y)


def test_the_headline_names_the_fewest_labels_that_are_nearly_enough() -> None:
    told = LabelSection(by_hand([0.2, 0.4, 0.7], [150.0, 118.0, 104.0]), DATA).headline
    assert told.startswith(
        "With 40.0% of the labels (constant: Perceptron(), b = 0.2) there were 1.18 times the mistakes"
    )
    assert "118.0 against 100" in told
    assert LabelSection(by_hand([0.2], [150.0]), DATA).headline.startswith("No setting stayed within 1.2 times")
    assert LabelSection(by_hand([0.2], [150.0], full=0), DATA).headline.startswith("No setting stayed within 1.2 times")


def test_a_line_that_is_cut_off_is_explained() -> None:
    assert "log scale" in label_report("t", by_hand([0.1, 0.5], [400.0, 120.0]), DATA)
    assert "log scale" not in label_report("t", by_hand([0.1, 0.5], [290.0, 120.0]), DATA)


# its command ----------------------------------------------------------------------------------------------------------
def test_the_command_prints_and_writes_it(place: Path, capsys: pytest.CaptureFixture[str], found: Tradeoff) -> None:
    given = ["labels", "a.svm", "--no-bias", "--b", "0.03,0.3,3", "--seeds", "4", "--second", "secondorderperceptron"]
    assert main([*given, "--report", "r.html"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{found}\n300 examples, means of 4 seeds, ") and err == ""
    assert "Labels of a.svm" in (place / "r.html").read_text()
    assert main([*given, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["source"], facts["examples"], facts["seeds"]) == ("a.svm", 300, 4)
    due = [row | {"b": None if math.isinf(row["b"]) else row["b"]} for row in found.table()]
    assert facts["points"] == due


def test_the_command_has_a_grid_of_its_own(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["labels", "a.svm", "--learner", "pa1(C=0.1)", "--seeds", "1", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert {point["variant"] for point in points} == {"constant", "adaptive"} and len(points) == 20
    assert {point["learner"] for point in points} == {"PA1(C=0.1, when='margin')"}


def test_the_command_asks_adaptively_only_where_examples_have_a_length(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["labels", "a.svm", "--learner", "kernelsecondorder", "--seeds", "1", "--b", "1", "--json"]
    assert main(given) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert {point["variant"] for point in points} == {"constant"}


def test_what_the_learner_refuses_is_left_out_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("a.svm").read_text().splitlines()
    lines[7] = "1 1:1e99"
    Path("b.svm").write_text("\n".join(lines))
    given = ["labels", "b.svm", "--b", "1", "--seeds", "2"]
    assert main(given) == 2
    assert capsys.readouterr().err.startswith("driftline: b.svm, line 8: must be shorter than 1e+60, got length ")
    assert main([*given, "--on-error", "skip", "--report", "r.html"]) == 0
    out, err = capsys.readouterr()
    assert "299 examples" in out
    assert err.startswith("1 example was skipped:\n  b.svm, line 8: must be shorter")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "labels must be given a file, got none. Give a path, or - for stdin"),
        (["a.svm", "--b", "1,x"], "--b must be comma-separated numbers, got '1,x'. Example: 0.1,1,10"),
        (["one.svm"], "one.svm: examples must have two different labels, got only 1 in 2 examples. Check --target, or"),
        (["a.svm", "--b", "-1"], "tradeoff: b must be > 0, got -1.0"),
        (["a.svm", "--second", "perceptron"], "LabelEfficient: learner must be of second order for variant 'second'"),
        (["a.svm", "--report", "no/r.html"], "no/r.html: must be a file that can be written"),
    ],
)
def test_bad_options_are_one_line(
    place: Path, capsys: pytest.CaptureFixture[str], given: list[str], message: str
) -> None:
    Path("one.svm").write_text("1 1:1\n1 1:2\n")
    assert main(["labels", *given]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"driftline: {message}") and err.count("\n") == 1


# labels asked for, in tables ------------------------------------------------------------------------------------------
def runs(*learners: dl.Learner) -> Comparison:
    data = stream(22, rounds=200, n=4)
    return dl.compare(list(learners), (data.X, data.y))


def test_labels_asked_are_shown_where_some_learner_did_without_some() -> None:
    both, one = runs(dl.Perceptron(), dl.LabelEfficient(b=0.2)), runs(dl.Perceptron(), dl.PA1())
    asked = both.runs[1].asked
    assert both.runs[0].asked == 200 and asked == both.runs[1].learner.asked < 200
    assert both.sparing and not one.sparing
    assert [row["asked"] for row in both.table()] == [200, asked]
    lines = [line.split() for line in str(both).splitlines()]
    assert lines[0][-1] == "asked" and lines[1][-1] == "200" and lines[2][-1] == str(asked)
    assert "asked" not in str(one) and all("asked" not in row for row in one.table())
    always = runs(dl.LabelEfficient(b=math.inf))
    assert not always.sparing


@pytest.mark.parametrize("whole", [False, True])
def test_reports_have_labels_asked_where_some_learner_did_without_some(whole: bool) -> None:
    both, one = runs(dl.Perceptron(), dl.LabelEfficient(b=0.2)), runs(dl.Perceptron(), dl.PA1())
    for comparison, there in ((both, True), (one, False)):
        html = run_report("t", comparison, DATA) if whole else report("t", [Section("s", "", [comparison])])
        texts = Tags(html).texts
        assert ("labels asked" in texts) is there
        if there:
            assert str(comparison.runs[1].asked) in texts


def test_a_run_on_the_command_line_says_how_many_labels_it_asked_for(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "a.svm", "--learner", "labelefficient", "--b", "0.1", "--save", "m.dl"]) == 0
    header, row, *_ = capsys.readouterr().out.splitlines()
    learner = dl.load("m.dl")
    assert isinstance(learner, dl.LabelEfficient)
    assert header.split()[-1] == "asked" and row.split()[-1] == str(learner.asked)
    assert main(["compare", "a.svm", "--learners", "perceptron,labelefficient:b=0.1:base=pa1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[-1] for line in lines[1:3]} > {"300"}
    assert main(["inspect", "m.dl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counters"]["asked"] == learner.asked
    assert main(["run", "a.svm", "--save", "p.dl"]) == 0
    assert "asked" not in capsys.readouterr().out
    assert main(["inspect", "p.dl", "--json"]) == 0
    assert "asked" not in json.loads(capsys.readouterr().out)["counters"]
