"""Reports in a real browser: no errors, no requests, no sideways scrolling, and a dark mode.

Chromium is driven through a pair of pipes (its DevTools protocol: JSON texts that end in a zero
byte).
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli import demo
from driftline.evaluate.comparison import Comparison
from driftline.report import DataSummary, write_run_report
from tests.support.bitwise import LINEAR

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0
PHONE = 360


def chromium() -> str | None:
    return os.environ.get("DRIFTLINE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A headless Chromium with one page; ``seen`` are the events of that page since it was last opened."""

    def __init__(self, program: str, folder: Path) -> None:
        commands, self.write = os.pipe()
        self.read, answers = os.pipe()
        # the browser takes commands from its file 3 and answers on its file 4
        self.process = subprocess.Popen(
            [
                "sh",
                "-c",
                f'exec "$@" 3</dev/fd/{commands} 4>/dev/fd/{answers}',
                "sh",
                program,
                *FLAGS,
                f"--user-data-dir={folder}",
            ],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.pending = b""
        self.seen: list[dict[str, Any]] = []
        self.session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its answer."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            command["sessionId"] = self.session
        os.write(self.write, json.dumps(command).encode() + b"\0")
        while (message := self.message()).get("id") != self.number:
            self.seen.append(message)
        assert "error" not in message, message
        return message["result"]

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.read], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            data = os.read(self.read, 1 << 20)
            assert data, "the browser has ended"
            self.pending += data
        text, _, self.pending = self.pending.partition(b"\0")
        return json.loads(text)

    def open(self, path: Path, width: int, scheme: str = "light", media: str = "screen") -> None:
        """Show a file in a window of this width, and wait until it is there."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=740, deviceScaleFactor=1, mobile=width <= PHONE
        )
        self.seen.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not self.events("Page.loadEventFired"):
            self.seen.append(self.message())
        self.value("document.fonts.ready.then(() => 0)")

    def value(self, expression: str) -> Any:
        """What an expression gives in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def events(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.seen if event.get("method") == method]

    def complaints(self) -> list[str]:
        """Errors in the console, and requests for anything but the page itself."""
        said = [str(event) for event in self.events("Runtime.exceptionThrown")]
        said += [
            str(event) for event in self.events("Runtime.consoleAPICalled") if event["type"] in ("error", "assert")
        ]
        said += [
            event["entry"]["text"] for event in self.events("Log.entryAdded") if event["entry"]["level"] == "error"
        ]
        said += [event["request"]["url"] for event in self.events("Network.requestWillBeSent")][1:]
        return said

    def picture(self, path: Path) -> None:
        """Write what the whole page looks like to a PNG file."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self.session = None
        self.ask("Browser.close")
        self.process.wait(PATIENCE)
        os.close(self.write)
        os.close(self.read)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = chromium()
    if program is None:
        pytest.skip(f"needs a Chromium: {', '.join(NAMES)} or DRIFTLINE_CHROMIUM")
    browser = Browser(program, tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


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


def of_comparison(folder: Path) -> Path:
    labels = (AWKWARD[2], AWKWARD[4])
    named = {
        AWKWARD[k % 8] + str(k): make(labels=labels) for k, make in enumerate(map(dl.REGISTRY.__getitem__, LINEAR))
    }
    return write_run_report(folder / "compare.html", "A comparison", awkward_runs(named), awkward_data())


@pytest.fixture(scope="module", params=[of_demo, of_run, of_comparison])
def page(request, tmp_path_factory, browser):
    return request.param(tmp_path_factory.mktemp("report"))


WIDTH = "document.documentElement.scrollWidth"
LIGHTNESS = """(of => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = getComputedStyle(document.body)[of];
    canvas.fillRect(0, 0, 1, 1);
    return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)) / 255;
})"""


@pytest.mark.parametrize("width", [PHONE, 800, 1400])
def test_a_report_opens_without_error_or_request_and_does_not_scroll_sideways(browser, page, width):
    browser.open(page, width)
    browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.value("document.querySelectorAll('svg.chart path.line').length") > 4
    assert browser.value(WIDTH) <= width
    assert browser.complaints() == []


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


def test_no_text_of_a_chart_is_cut_off_but_names_on_a_phone(browser, page):
    cut = """[...document.querySelectorAll('svg.chart')].flatMap(svg => {
        const room = svg.closest('.crop').getBoundingClientRect();
        return [...svg.querySelectorAll('.tick,.axis,.key')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < room.left || box.right > room.right;
        }).map(text => text.textContent);
    })"""
    for width in (PHONE, 1400):
        browser.open(page, width)
        assert browser.value(cut) == []


def test_names_leave_room_for_numbers_on_a_phone(browser, page):
    browser.open(page, PHONE)
    browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
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
    said = " ".join(browser.complaints())
    assert "said" in said
    assert "TypeError" in said
    assert "http://127.0.0.1:9/x.png" in said
    assert browser.value(WIDTH) > PHONE
    assert browser.value(f"{LIGHTNESS}('color')") < 0.2
