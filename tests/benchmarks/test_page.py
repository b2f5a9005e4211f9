"""`make benchmarks-page`: the page has the figures of the files, and nothing else."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
import page  # noqa: E402

MACHINE = {"cpu": "A processor", "cores": 2, "system": "Linux x86_64", "python": "3.11.7"}


def result(learner: str, error: float, cut: bool = False) -> dict[str, Any]:
    return {
        "learner": learner, "error": error, "log_loss": None if learner == "PA" else 0.25, "cut": cut,
        "microseconds": 12.345,
    }  # fmt: skip


ERRORS = {
    "machine": MACHINE,
    "versions": {"driftline": "0.1.0", "river": "0.26.1"},
    "limit": 40.0,
    "shuffled": 0,
    "streams": [
        {
            "name": f"stream {k}", "rows": 45_312, "features": 8, "classes": 2, "draws": 1 + k % 2,
            "results": [result("driftline Tracker", 0.05), result("PA", 0.123456, cut=k == 0)],
        }
        for k in range(6)
    ],
    "absent": {"river kNN": "does not suit"},
}  # fmt: skip
REGRESSION = {
    "machine": MACHINE, "driftline": "0.1.0", "rows": {"regression-a": 100},
    "errors": [{"learner": "driftline PARegressor", "stream": "regression-a", "mae": 0.51239}], "absent": {},
}  # fmt: skip
DELAY = {
    "machine": MACHINE, "driftline": "0.1.0", "rows": {"sea": 20_000},
    "wrong": [{"learner": "driftline PA1", "stream": "sea", "delay": 1000, "wrong": 3000}], "absent": {},
}  # fmt: skip
SPEED = {
    "machine": MACHINE, "versions": {"driftline": "0.1.0"}, "quick": True, "absent": {},
    "tasks": [{"heat": "sparse, one call", "name": "driftline PA1", "rows": 200_000, "microseconds_per_row": 0.12345}],
    "comparisons": [
        {"heat": "sparse", "ours": "driftline PA1", "rival": "C loop", "ratio_of_medians": 1.054, "at_most": 1.5},
        {"heat": "dicts", "ours": "driftline PA1", "rival": "river", "ratio_of_medians": 4.2, "at_most": None},
        {"heat": "text", "ours": "driftline PA1", "rival": "VW", "ratio_of_medians": None, "at_most": None},
    ],
}  # fmt: skip
FILES = {"error.json": ERRORS, "regression.json": REGRESSION, "delay.json": DELAY, "bench.json": SPEED}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, report in FILES.items():
        (tmp_path / name).write_text(json.dumps(report))
    return tmp_path


def test_every_section_names_its_command_machine_and_versions(folder: Path) -> None:
    sections = page.figures(folder).split("\n## ")
    assert [text.removeprefix("## ").splitlines()[0] for text in sections] == [
        "Errors and times", "Regression", "Late labels", "Speed",
    ]  # fmt: skip
    for text, command in zip(
        sections,
        ("make bench-error", "make bench-error ONLY=regression", "make bench-delay", "make bench"),
        strict=True,
    ):
        assert f"`{command}`. Measured on A processor, 2 cores, Linux x86_64, Python 3.11.7; driftline 0.1.0" in text
    assert "river 0.26.1" in sections[0]


def test_the_tables_have_the_figures_of_the_files(folder: Path) -> None:
    text = page.figures(folder)
    assert "| PA | 12.35* | 12.35 | 12.35 | 12.35 | 12.35 |" in text  # five streams, the sixth in the next table
    assert "| driftline Tracker | 5.00 |\n" in text
    assert "| PA | - | - | - | - | - |" in text  # no log loss
    assert "stopped after 40 s" in text and "* left out: river kNN: does not suit" in text
    assert "* stream 0: 45,312 rows, 8 features, 2 classes\n" in text
    assert "* stream 1: 45,312 rows, 8 features, 2 classes, in 2 draws" in text
    assert "| driftline PARegressor | 0.5124 |" in text and "| driftline PA1 | 15.00 |" in text
    assert "| sparse, one call | driftline PA1 | 200,000 | 0.123 |" in text
    assert "| 1.05 x its time |" in text and "| 4.20 x faster |" in text and "| VW |" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text + "\n", re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_a_benchmark_that_has_not_run_has_no_section(folder: Path) -> None:
    (folder / "bench.json").unlink()
    assert "## Speed" not in page.figures(folder) and "## Late labels" in page.figures(folder)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(SystemExit, match=r"must have one of error\.json, .* got none\. Run make bench-error first"):
        page.figures(folder)


def test_the_page_has_its_markers_and_sections() -> None:
    text = (ROOT / page.PAGE).read_text()
    assert text.count(page.FIRST) == text.count(page.LAST) == 1
    assert "Measured on " in text.partition(page.FIRST)[2].partition(page.LAST)[0]
