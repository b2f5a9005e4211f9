"""The dashboard in a browser: login, live figures, changes, lost connections, and its looks."""

from __future__ import annotations

import pytest

from tests.serve.dashboard.fake_service import TOKEN, contender, model, question, series
from tests.support.browser import PHONE

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright: make installs it").expect

LABELS = ["ham", "spam"]


@pytest.fixture
def service(serve):
    champion = contender("champion", "champion", LABELS, "tracker", asked=20_123, labelled=16_234, errors=1_413)
    challenger = contender("fast", "challenger", LABELS, asked=9_000, labelled=8_000, errors=900)
    fake = serve([model("spam", [champion, challenger])])
    fake.series["spam"] = [series("champion", LABELS), series("fast", LABELS, buckets=120, level=0.11)]
    at = fake.series["spam"][0]["buckets"][130]["start"]
    fake.alarms = [{"contender": "champion", "since": 7200, "found": 7411, "before": 0.081, "after": 0.29, "at": at}]
    fake.leaders = [{"name": "PA1 std", "weight": 0.41, "mistakes": 812}]
    fake.weights = [["word=free", 2.31], ["hour", -1.9]]
    fake.snapshots = [{"id": 7, "position": 60_000, "at": at, "kind": "auto", "size": 123_456}]
    fake.audit = [
        {"position": 2, "at": at, "who": "ana", "what": "snapshot", "model": "spam", "detail": "position 60000"},
        {"position": 1, "at": at, "who": "ben", "what": "created", "model": "another", "detail": ""},
    ]
    fake.contributions = [["word=free", 0.92], ["hour", -0.21]]
    return fake


def test_the_login_takes_a_token_and_can_be_ended(service, visit):
    service.open = False
    page = visit(service).open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type("dl_admin_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("does not accept this token")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Models")
    expect(page.get_by_role("link", name="spam")).to_be_visible()
    expect(page.locator("#connection")).to_have_text("Live")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_a_token_that_may_only_learn_cannot_log_in(service, visit):
    service.open, service.scopes = False, ["learn"]
    page = visit(service).open()
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("needs a token with the scope predict")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_a_session_that_ends_leads_to_the_login(service, visit):
    page = visit(service).open("#/models/spam")
    expect(page.locator("#connection")).to_have_text("Live")
    service.open = False
    service.send("spam")
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_a_restart_that_ends_the_session_leads_to_the_login(service, visit):
    page = visit(service).open("#/models/spam")
    expect(page.locator("#connection")).to_have_text("Live")
    service.stop()
    service.open = False
    service.start_again()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_the_overview_shows_the_figures_of_each_model_and_follows_them(service, visit):
    page = visit(service).open()
    card = page.locator(".card")
    expect(card).to_contain_text("16,234")
    expect(card).to_contain_text("ready")
    expect(page.locator("#connection")).to_have_text("Live")
    service.models["spam"]["open_tickets"] = 4_242
    service.models["spam"]["ready"] = False
    service.send("spam")
    expect(card).to_contain_text("4,242")
    expect(card).to_contain_text("not ready")
    service.models["churn"] = model("churn", [contender("champion", "champion", [])])
    service.send("churn", "model")
    expect(page.get_by_role("link", name="churn")).to_be_visible()


def test_a_model_page_draws_its_figures_and_follows_them(service, visit):
    page = visit(service).open("#/models/spam")
    for name in (
        "Error",
        "Log loss",
        "Class balance",
        "Label latency",
        "Traffic",
        "Leading experts",
        "Largest weights",
    ):
        expect(page.get_by_role("figure", name=name, exact=True).locator("svg.chart")).to_be_visible()
    error = page.get_by_role("figure", name="Error", exact=True)
    assert error.locator("path.line").count() == 2
    assert error.locator(".alarm").count() == 1
    expect(page.locator(".panel", has_text="Alarms")).to_contain_text("8.1% to 29.0%")
    audit = page.locator(".panel", has_text="Audit")
    expect(audit).to_contain_text("ana")
    expect(audit).not_to_contain_text("ben")
    drawn = error.locator("path.line").first.get_attribute("d")
    service.series["spam"] = [series("champion", LABELS, level=0.3), series("fast", LABELS)]
    service.models["spam"]["contenders"][0]["counts"]["labelled"] = 99_999
    service.send("spam")
    expect(page.locator(".tiles")).to_contain_text("99,999")
    assert error.locator("path.line").first.get_attribute("d") != drawn


def test_charts_have_their_numbers_as_a_table(service, visit):
    page = visit(service).open("#/models/spam")
    error = page.get_by_role("figure", name="Error", exact=True)
    error.get_by_text("Show as a table").click()
    expect(error.locator("tbody tr")).to_have_count(40)
    assert error.locator("thead th").all_text_contents() == ["time", "champion", "fast"]


def test_changes_are_made_only_after_they_are_confirmed(service, visit):
    page = visit(service).open("#/models/spam")
    page.get_by_role("button", name="Promote fast").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Roll back to position 60000").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert service.received == []
    page.get_by_role("button", name="Promote fast").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_text("fast is the champion now.")).to_be_visible()
    page.get_by_role("button", name="Roll back to position 60000").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("Rolled back to position 60,000.")).to_be_visible()
    page.get_by_role("button", name="Take a snapshot").click()
    expect(page.get_by_text("The snapshot is stored.")).to_be_visible()
    assert service.received == [
        ("POST", "/v1/models/spam/promote", {"challenger": "fast"}),
        ("POST", "/v1/models/spam/rollback", {"snapshot": 7}),
        ("POST", "/v1/models/spam/snapshot", {}),
    ]


def test_a_refused_change_shows_the_message_of_the_service(service, visit):
    page = visit(service).open("#/models/spam")
    service.failing = 503
    page.get_by_role("button", name="Take a snapshot").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("got a full disk. Make room")


def test_without_the_scope_admin_there_is_nothing_to_change(service, visit):
    service.scopes = ["predict"]
    visitor = visit(service)
    page = visitor.open("#/models/spam")
    expect(page.get_by_role("figure", name="Error", exact=True)).to_be_visible()
    assert page.get_by_role("button", name="Promote").count() == 0
    assert page.get_by_text("Snapshots").count() == 0
    assert not any("audit" in url or "snapshots" in url for url in visitor.requests)


def test_a_lost_connection_is_shown_until_it_is_back(service, visit):
    page = visit(service).open("#/models/spam")
    expect(page.locator("#connection")).to_have_text("Live")
    service.stop()
    expect(page.locator("#connection")).to_have_text("Connection lost")
    expect(page.locator("#lost")).to_contain_text("The numbers below may be old")
    service.models["spam"]["open_tickets"] = 4_242
    service.start_again()
    expect(page.locator("#connection")).to_have_text("Live")
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator(".tiles")).to_contain_text("4,242")  # the page loads what it has missed


def test_empty_pages_say_what_to_do(serve, visit):
    service = serve([])
    page = visit(service).open()
    expect(page.locator("main")).to_contain_text("No models yet")
    service.models["churn"] = model("churn", [contender("champion", "champion", [])], open_tickets=0)
    page = visit(service).open("#/models/churn")
    for text in ("No labels yet", "No alarms", "No challengers", "No snapshots yet", "Nothing yet", "No weights yet"):
        expect(page.get_by_text(text).first).to_be_visible()
    page = visit(service).open("#/models/churn/label")
    expect(page.locator("main")).to_contain_text("No open questions")
    page = visit(service).open("#/models/nothing")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("GET /v1/models lists all")


def test_a_regressor_has_no_classes_and_no_log_loss(serve, visit):
    champion = contender("champion", "champion", [], "tracker_regressor", asked=100, labelled=90, errors=0)
    service = serve([model("price", [champion], regresses=True)])
    service.series["price"] = [series("champion", [])]
    page = visit(service).open("#/models/price")
    expect(page.get_by_role("figure", name="Absolute error")).to_be_visible()
    assert page.get_by_role("figure", name="Class balance").count() == 0
    assert page.get_by_text("Log loss").count() == 0


ROUTES = ("#/", "#/models/spam", "#/models/spam/label")
NAMELESS = """[...document.querySelectorAll('button,a,input,svg[role=img],figure,[role=region],img')]
    .filter(one => one.checkVisibility() && !one.textContent.trim() && !one.getAttribute('aria-label'))
    .filter(one => !one.labels?.length && !one.hasAttribute('alt')).map(one => one.outerHTML)"""


@pytest.mark.parametrize("route", ROUTES)
def test_every_control_has_a_name_and_pages_have_one_heading(service, visit, route):
    service.questions["spam"] = [question(1, {"a": 1.0}, "spam", {"spam": 0.6, "ham": 0.4})]
    page = visit(service).open(route)
    page.wait_for_timeout(300)
    assert page.evaluate(NAMELESS) == []
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"


def test_pages_are_reached_by_keyboard(service, visit):
    page = visit(service).open()
    expect(page.locator("#connection")).to_have_text("Live")
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "spam":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("spam")
    assert page.evaluate("document.activeElement.id") == "page"


LIGHTNESS = """(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)) / 255;
})()"""


def test_light_and_dark_follow_the_system(service, visit):
    assert visit(service, scheme="light").open().evaluate(LIGHTNESS) > 0.95
    assert visit(service, scheme="dark").open().evaluate(LIGHTNESS) < 0.2


@pytest.mark.parametrize("route", ROUTES)
def test_a_phone_does_not_scroll_sideways(service, visit, route):
    service.questions["spam"] = [question(k, {"text": "word " * 200, "x" * 150: 1.0}, "spam") for k in range(3)]
    page = visit(service, PHONE).open(route)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
