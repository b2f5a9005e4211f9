"""Names, labels and texts from the data are shown as they are, and never become markup or scripts."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.serve.dashboard.fake_service import contender, model, question, series
from tests.support.browser import PHONE

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright: make installs it").expect

HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    '"><svg onload=window.hacked=1>',
    "javascript:window.hacked=1",
    "</text></svg><iframe srcdoc='<script>parent.hacked=1</script>'>",
    "__proto__",
    "\u202eturned\u0000\ud800",
    "שלום " * 20,
    "x" * 300,
)
WORST = HOSTILE[1]


@pytest.fixture
def service(serve: Any) -> Any:
    labels = list(HOSTILE)
    champion = contender(WORST, "champion", labels, WORST, asked=9, labelled=9, errors=1)
    spec = {"learner": WORST, "labels": None, "asking": {"kind": WORST}}
    contenders = [champion, *(contender(name, "challenger", labels) for name in HOSTILE[2:])]
    fake = serve([model(name, contenders, spec=spec) for name in HOSTILE if name != "__proto__"])
    now = time.time()
    for name in HOSTILE:
        fake.series[name] = [series(one["name"], labels, buckets=30) for one in contenders]
        fake.questions[name] = [
            question(one, dict.fromkeys(HOSTILE, one), one, dict.fromkeys(HOSTILE, 0.1)) for one in HOSTILE
        ]
    fake.alarms = [
        {"contender": one, "since": 1, "found": 2, "before": 0.1, "after": 0.2, "at": now - 60} for one in HOSTILE
    ]
    fake.leaders = [{"name": one, "weight": 0.1, "mistakes": 1} for one in HOSTILE]
    fake.weights = [[one, 0.5] for one in HOSTILE]
    fake.contributions = [[one, -0.5] for one in HOSTILE]
    fake.snapshots = [{"id": 1, "position": 1, "at": now, "kind": one, "size": 1} for one in HOSTILE]
    fake.audit = [{"position": 1, "at": now, "who": one, "what": one, "model": WORST, "detail": one} for one in HOSTILE]
    return fake


FOREIGN = """[...document.querySelectorAll('script,iframe,object,embed,base,img')]
    .filter(one => one.getAttribute('src') !== '/static/app.js' && !one.matches('.brand img'))
    .map(one => one.outerHTML)"""
HANDLERS = """[...document.querySelectorAll('*')].flatMap(one => [...one.attributes])
    .filter(one => one.name.startsWith('on') || ['href', 'src'].includes(one.name) && /^ *javascript:/i.test(one.value))
    .map(one => one.name)"""
OVERVIEW, MODEL = "#/", "#/models/%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E"
LABELLING = f"{MODEL}/label"


@pytest.mark.parametrize("width", [PHONE, 1280])
@pytest.mark.parametrize("route", [OVERVIEW, MODEL, LABELLING, "#/models/%ff", "#/models/<svg onload=hacked=1>"])
def test_nothing_from_the_data_becomes_markup(service, visit, route, width):
    page = visit(service, width).open(route)
    page.wait_for_timeout(400)
    for details in page.locator("details:visible").all():
        details.evaluate("one => one.open = true")
    page.wait_for_timeout(100)
    if route in (OVERVIEW, MODEL, LABELLING):
        assert HOSTILE[0] in page.locator("main").inner_text()
        assert page.locator(".problem:visible").count() == 0
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(FOREIGN) == []
    assert page.evaluate(HANDLERS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_names_are_shown_as_they_are_and_can_be_used(service, visit):
    page = visit(service).open()
    page.get_by_role("link", name=WORST).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(WORST)
    expect(page.get_by_text("\\u{202e}turned\\u{0}").first).to_be_attached()
    page.get_by_role("button", name=f"Promote {HOSTILE[2]}").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    page.goto(f"{service.url}/{LABELLING}")
    page.wait_for_selector(".answers button")
    for key in "21":
        page.keyboard.press(key)
    page.goto(f"{service.url}/#/")
    for _ in range(200):
        if len(service.received) == 3:
            break
        page.wait_for_timeout(20)
    assert [body for _, _, body in service.received] == [
        {"challenger": HOSTILE[2]},
        {"ticket": HOSTILE[0], "y": HOSTILE[1]},
        {"ticket": HOSTILE[1], "y": HOSTILE[0]},
    ]
