"""Reports in a real browser: no errors, no requests, no sideways scrolling, and a dark mode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.cli import demo
from driftline.evaluate import Alarm, Comparison
from driftline.report import DataSummary, write_run_report
from tests.support.bitwise import LINEAR
from tests.support.browser import DESK, PHONE, started


@pytest.fixture(scope="module")
def browser():
    with started() as browser:
        yield browser


AWKWARD = (
    "x" * 300,
    "a name of many words " * 12,
    "<script>alert(1)</script>",
    "</svg></table>&amp;",
    "שלום עולם, מה שלומך היום? 123",
    "👩‍🔬🏳️‍🌈 日本語日本語日本語日本語日本語",
    "\u202eturned\u0000 \ud800",
    "plain",
)


def awkward_runs(learners: dict[str, dl.Learner], n: int = 600) -> Comparison:
    """Runs with histories over features whose names are hard to show."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, len(AWKWARD)))
    y = np.where(X @ np.linspace(1.0, -1.0, len(AWKWARD)) + rng.normal(size=n) > 0, AWKWARD[2], AWKWARD[4])
    rows = [dict(zip(AWKWARD, row, strict=True)) for row in X.tolist()]
    return dl.compare(learners, (rows, y), history=True)


def awkward_data(n: int = 600) -> DataSummary:
    return DataSummary(
        source="/a/long/path/" + "x" * 200 + ".csv",
        format="CSV",
        examples=n,
        features=len(AWKWARD),
        labels=[(name, n // len(AWKWARD)) for name in AWKWARD],
        values_per_example=8.0,
        skipped=1234,
        reasons=[f"line {k}: a value must be a number, got {name!r}" for k, name in enumerate(AWKWARD)],
        seconds=1.5,
        sample_weights=(0.5, 2.0),
    )


def of_demo(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_digits", lambda: None)
        assert demo.main(["--quick", "--out", str(folder)]) == 0
    return folder / "report.html"


def of_run(folder: Path) -> Path:
    runs = awkward_runs({"PA1": dl.PA1(labels=(AWKWARD[2], AWKWARD[4]))})
    return write_run_report(folder / "run.html", AWKWARD[0], runs, awkward_data())


def of_measured(folder: Path) -> Path:
    """A run with slices, probabilities, times and alarms."""
    rng = np.random.default_rng(4)
    rows = [{"x": x, AWKWARD[1]: AWKWARD[k % 8]} for k, x in enumerate(rng.normal(size=2000).tolist())]
    y = [AWKWARD[(k + (row["x"] > 0)) % 8] for k, row in enumerate(rows)]
    run = dl.run(dl.Tracker(), (rows, y), slice=AWKWARD[1])
    at = np.arange(1.0, 2001.0)
    run.times = {"examples": at, "seconds": 1.7e9 + 5e4 * at}
    run.alarms = [Alarm(f"input {name!r}", name, "ADWIN", 99 + k, 9, 1.7e9, 0.1, 0.2) for k, name in enumerate(AWKWARD)]
    return run.report(folder / "measured.html")


def of_comparison(folder: Path) -> Path:
    labels = (AWKWARD[2], AWKWARD[4])
    named = {
        AWKWARD[k % 8] + str(k): make(labels=labels) for k, make in enumerate(map(dl.REGISTRY.__getitem__, LINEAR))
    }
    return write_run_report(folder / "compare.html", "A comparison", awkward_runs(named), awkward_data())


@pytest.fixture(scope="module", params=[of_demo, of_run, of_comparison, of_measured])
def page(request, tmp_path_factory, browser):
    return request.param(tmp_path_factory.mktemp("report"))


WIDTH = "document.documentElement.scrollWidth"
LIGHTNESS = """(of => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = getComputedStyle(document.body)[of];
    canvas.fillRect(0, 0, 1, 1);
    return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)) / 255;
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, 800, DESK])
def test_a_report_opens_without_error_or_request_and_does_not_scroll_sideways(browser, page, width, scheme):
    browser.open(page, width, scheme)
    assert browser.value("document.querySelectorAll('svg.chart path.line').length") >= 4
    assert browser.value(WIDTH) <= width
    assert browser.complaints == []


def test_dark_mode_is_dark_and_light_mode_is_light(browser, page):
    browser.open(page, 800, "dark")
    assert browser.value(f"{LIGHTNESS}('backgroundColor')") < 0.2
    assert browser.value(f"{LIGHTNESS}('color')") > 0.8
    browser.open(page, 800, "light")
    assert browser.value(f"{LIGHTNESS}('backgroundColor')") > 0.95
    assert browser.value(f"{LIGHTNESS}('color')") < 0.2


def test_print_is_dark_on_white_even_where_the_screen_is_dark(browser, page):
    browser.open(page, 700, "dark", "print")
    assert browser.value(f"{LIGHTNESS}('color')") < 0.2
    assert browser.value(WIDTH) <= 700


def test_no_text_of_a_chart_is_cut_off_and_every_line_has_its_name_beside_it(browser, page):
    cut = """[...document.querySelectorAll('svg.chart,svg.narrow')].flatMap(svg => {
        const room = svg.closest('figure').getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.width && (box.left < room.left || box.right > room.right);
        }).map(text => text.textContent);
    })"""
    named = """[...document.querySelectorAll('svg.chart .name,svg.narrow .name')]
        .filter(text => text.getBoundingClientRect().width).length"""
    counts = []
    for width in (PHONE, DESK):
        browser.open(page, width)
        assert browser.value(cut) == []
        counts.append(browser.value(named))
    assert counts[0] == counts[1] > 3


def test_names_leave_room_for_numbers_on_a_phone(browser, page):
    browser.open(page, PHONE)
    widths = "[...document.querySelectorAll('.scroll tbody th')].map(one => one.getBoundingClientRect().width)"
    assert 20 < max(browser.value(widths)) <= PHONE / 2


def test_a_page_that_does_what_reports_must_not_do_is_noticed(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        "<!DOCTYPE html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<body><div style='width:2000px'>wide</div><img src='http://127.0.0.1:9/x.png'>"
        "<script>console.error('said'); undefined.x</script>"
    )
    browser.open(path, PHONE)
    said = " ".join(browser.complaints)
    assert "said" in said
    assert "undefined" in said
    assert "http://127.0.0.1:9/x.png" in said
    assert browser.value(WIDTH) > PHONE
    assert browser.value(f"{LIGHTNESS}('color')") < 0.2
