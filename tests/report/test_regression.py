"""Reports and notebook views of regressors show errors, and nothing about labels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.report import Section

RNG = np.random.default_rng(3)
ROWS = [
    ({"a": float(a), "b": float(b), "town": town}, float(3.0 * a - b + 5.0 * (town == "x")))
    for a, b, town in zip(RNG.normal(size=900), RNG.normal(size=900), RNG.choice(["x", "y"], 900), strict=True)
]
FORBIDDEN = re.compile(r"mistake|\blabel|wrong|AUC|confusion|majority|threshold|hinge", re.IGNORECASE)


def text_of(html: str) -> str:
    html = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", html)


def compared(**options: Any) -> Any:
    return dl.compare({"small": dl.PA1Regressor(C=0.1), "large": dl.PA1Regressor(C=1.0)}, ROWS, **options)


def test_the_report_of_a_run() -> None:
    run: Any = dl.run(dl.PA1Regressor(C=0.1), ROWS, slice="town", history=True, alarms=True)
    page = run.report()
    text = text_of(page)
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    for title in ("Result", "Metrics", "Along the stream", "Slices", "Weights", "Parameters", "Data"):
        assert f"<h2>{title}</h2>" in page
    assert f"mean absolute error of {run.mae:.4g}" in text and "Predicting the mean of the targets so far has" in text
    assert "R2 over the last 1,000 examples" in text and "baseline: no change" in text
    assert re.search(r"targets\s+from -?[\d.]+ to [\d.]+, mean", text)


def test_the_report_of_a_comparison() -> None:
    page = compared(history=True).report()
    text = text_of(page)
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    assert "Of 2 learners" in text and "had the largest" in text


def test_the_report_of_a_sweep() -> None:
    found = dl.sweep(dl.grid("pa1regressor", C=[0.1, 1.0], epsilon=[0.0, 0.1]), ROWS)
    text = text_of(found.report())
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    assert "had the smallest mean absolute error" in text and "Mean absolute error over C and epsilon" in text


def test_reports_without_examples() -> None:
    run = dl.run(dl.PA1Regressor(), [])
    assert "There were no examples." in run.report() and "No examples." in run._repr_html_()


def test_notebook_views() -> None:
    run = dl.run(dl.PA1Regressor(C=0.1), ROWS)
    sweep = dl.sweep(dl.grid("pa1regressor", C=[0.1, 1.0]), ROWS)
    for shown in (run, compared(), sweep, run.learner):
        text = text_of(shown._repr_html_())
        assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    assert "real targets" in run.learner._repr_html_()


def test_sections_of_draws_are_for_classifiers() -> None:
    with pytest.raises(ValueError, match="Section: comparisons must be of classifiers, got regressors"):
        Section("title", "text", [compared()])
