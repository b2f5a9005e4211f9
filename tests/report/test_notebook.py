"""Views in notebooks, and the reports that runs write themselves."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.report import DataSummary
from driftline.report.charts import palette
from driftline.report.notebook.fragment import NAME
from tests.support.colours import luminance
from tests.support.report_html import FORBIDDEN, Tags

HOSTILE = "</style><script>alert(1)</script>"


def stream(n: int = 400) -> dl.streams.SEA:
    return dl.streams.SEA(n, seed=1)


def views() -> dict[str, str]:
    """The view of each kind of object, with names that are hard to show."""
    rows = [({HOSTILE: float(k % 5), "x": float(k % 3)}, HOSTILE if k % 3 else "no") for k in range(300)]
    run = dl.compare({HOSTILE: dl.Tracker()}, rows).runs[0]
    compared = dl.compare({HOSTILE: dl.PA1(), **{f"rule {k}": dl.PA1(C=k + 1.0) for k in range(6)}}, rows)
    found = dl.sweep({f"{HOSTILE} {k}": dl.PA1(C=k + 1.0) for k in range(14)}, rows)
    made = {"run": run, "comparison": compared, "sweep": found, "learner": compared.runs[0].learner}
    made |= {"new": dl.PA1(), "tracker": run.learner, "empty": dl.run(dl.PA1(), []), "none": dl.compare([dl.PA1()], [])}
    return {name: one._repr_html_() for name, one in made.items()}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return views()


@pytest.mark.parametrize("name", ["run", "comparison", "sweep", "learner", "new", "tracker", "empty", "none"])
def test_a_view_is_a_safe_fragment_with_a_style_of_its_own(shown, name):
    html = shown[name]
    tags = Tags(html)
    assert FORBIDDEN.search(html) is None
    assert "script" not in {tag for tag, _ in tags.found}
    assert not any("id" in attrs for _, attrs in tags.found)
    sheet = html.partition("<style>")[2].partition("</style>")[0]
    selectors = [one for rule in re.findall(r"([^{}]+)\{[^}]*\}", sheet) for one in rule.strip().split(",")]
    assert all(one.startswith(f".{NAME}") for one in selectors)
    assert not re.search(r"\b(nan|inf)\b", html)
    assert len(html) < 60_000


def test_a_view_of_a_run_has_its_error_and_the_baselines():
    run = dl.run(dl.PA1(), stream())
    text = "".join(Tags(run._repr_html_()).texts)
    assert f"Error {run.error:.2%}: {run.label_errors} of 400 predicted labels were wrong." in text
    assert f"predicting the most frequent label {run.majority_error:.2%}" in text
    assert f"AUC {run.metrics.auc:.4f}" in text and "log loss" not in text
    assert run._repr_html_().count("<svg") == 1


def test_a_view_of_a_comparison_ranks_the_runs_and_draws_few_lines(shown):
    html = shown["comparison"]
    assert html.count("<tr>") == 1 + 7
    assert html.count('class="name"') == 4
    assert "7 learners on 300 examples" in html


def test_a_view_of_a_sweep_shows_the_best_settings_only(shown):
    assert shown["sweep"].count("<tr>") == 1 + 10
    assert "14 settings on 300 examples" in shown["sweep"]


def test_a_view_of_a_learner_has_its_parameters_and_largest_weights(shown):
    assert "C = 1, when = margin" in shown["new"] and "No example learned yet." in shown["new"]
    assert "300 examples learned, 2 features" in shown["learner"]
    assert "&lt;script&gt;" in shown["learner"]
    assert "read-out softmax" in shown["tracker"]


@pytest.mark.parametrize("name", sorted(dl.REGISTRY))
def test_every_learner_has_a_view(name):
    Tags(dl.REGISTRY[name]()._repr_html_())


def test_lines_in_notebooks_are_readable_on_white_and_on_black():
    for colour in palette.ON_BOTH:
        assert 1.05 / (luminance(colour) + 0.05) >= 3.0
        assert (luminance(colour) + 0.05) / (luminance("#111111") + 0.05) >= 3.0


# Reports of runs


def test_a_run_writes_its_report_or_returns_it(tmp_path):
    run = dl.run(dl.PA1(), stream(), history=True)
    path = run.report(tmp_path / "r.html")
    assert path == tmp_path / "r.html"
    assert path.read_text(encoding="utf-8") == run.report()
    assert "<title>PA1" in run.report() and "<title>Mine</title>" in run.report(title="Mine")
    Tags(run.report())


def test_comparisons_and_sweeps_have_reports_too(tmp_path):
    compared = dl.compare([dl.PA1(), dl.Perceptron()], stream())
    assert "<title>2 learners</title>" in compared.report()
    found = dl.sweep([dl.PA1(C=1.0), dl.PA1(C=0.1)], stream())
    assert isinstance(found.report(tmp_path / "s.html"), Path)
    assert "<title>2 settings</title>" in found.report()
    with pytest.raises(ValueError, match=r"^Comparison\.report: there must be at least one run, got none\. \w"):
        type(compared)([]).report()


def test_a_report_that_cannot_be_written_names_the_call(tmp_path):
    run = dl.run(dl.PA1(), stream())
    with pytest.raises(OSError, match=r"^Run\.report: path must be a file that can be written, got .*: No such file"):
        run.report(tmp_path / "absent" / "r.html")


@pytest.mark.parametrize("labels", [("a", "b"), ("b", "a"), None])
def test_a_run_knows_how_often_each_label_came(labels):
    rows = [({"x": 1.0}, "b"), ({"x": 2.0}, "a"), ({"x": 1.0}, "b")]
    data = DataSummary.of_run(dl.run(dl.PA1(labels=labels), rows))
    assert data.labels == [("b", 2), ("a", 1)]
    text = "".join(Tags(data.html()).texts)
    assert "b: 2 (66.7%)" in text and "skipped" not in text and "source" not in text


def test_labels_of_several_classes_are_counted_too():
    rows = [({"x": float(k % 3)}, int(k % 3) if k % 2 else 7) for k in range(12)]
    found = DataSummary.of_run(dl.run(dl.Tracker(), rows))
    assert found.labels == [("7", 6), ("1", 2), ("0", 2), ("2", 2)]
    assert np.sum([count for _, count in found.labels]) == 12
