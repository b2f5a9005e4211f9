"""The labelling page: answers by keyboard, taken back, refused, and kept while the service is away."""

from __future__ import annotations

import pytest

from tests.serve.dashboard.fake_service import contender, model, question

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright: make installs it").expect

LABELS = ["ham", "spam", "unsure"]
TEXT = "Dear customer,\nyour invoice is attached. Please pay within 14 days."


@pytest.fixture
def service(serve):
    fake = serve([model("mail", [contender("champion", "champion", LABELS)])])
    fake.contributions = [["word=invoice", 0.92], ["hour", -0.21]]
    fake.questions["mail"] = [
        question(k, {"number": f"example {k}", "body": TEXT, "hour": 14}, "spam", {"spam": 0.57, "ham": 0.43})
        for k in range(100, 140)
    ]
    return fake


def shows(page, ticket):
    expect(page.locator(".question")).to_contain_text(f"example {ticket}")


def sent(service):
    return [(path.rsplit("/", 1)[1], body["ticket"], body.get("y")) for _, path, body in service.received]


def wait_for(page, service, count):
    for _ in range(400):
        if len(service.received) >= count:
            break
        page.wait_for_timeout(20)
    return sent(service)


def test_twenty_examples_are_labelled_by_keyboard(service, visit):
    page = visit(service).open("#/models/mail/label")
    expected = []
    for k in range(100, 122):
        shows(page, k)
        if k == 105:
            page.keyboard.press("s")
        elif k == 110:
            page.keyboard.press("d")
            expected.append(("dismiss", k, None))
        else:
            page.keyboard.press("123"[k % 3])
            expected.append(("label", k, LABELS[k % 3]))
    shows(page, 122)
    assert wait_for(page, service, 21) == expected  # also the last one, after a few seconds
    assert sum(kind == "label" for kind, _, _ in expected) == 20
    expect(page.locator(".progress")).to_contain_text("21 sent")
    page.keyboard.press("ArrowLeft")
    shows(page, 105)


def test_a_question_shows_example_prediction_and_explanation(service, visit):
    page = visit(service).open("#/models/mail/label")
    asked = page.locator(".question")
    expect(asked).to_contain_text("Predicted spam with 57.0%")
    assert asked.locator(".text-field p").inner_text() == TEXT
    expect(asked.get_by_role("row", name="hour 14")).to_be_visible()
    expect(page.get_by_role("button", name="spam predicted, 57.0%")).to_be_visible()
    explanation = page.get_by_role("figure", name="Explanation")
    assert explanation.locator("rect.for").count() == explanation.locator("rect.against").count() == 1
    expect(explanation).to_contain_text("word=invoice")


def test_the_last_answer_can_be_taken_back_before_it_is_sent(service, visit):
    page = visit(service).open("#/models/mail/label")
    shows(page, 100)
    page.keyboard.press("1")
    shows(page, 101)
    page.keyboard.press("z")
    shows(page, 100)
    page.keyboard.press("2")
    shows(page, 101)
    page.keyboard.press("1")
    assert wait_for(page, service, 2) == [("label", 100, "spam"), ("label", 101, "ham")]
    page.keyboard.press("z")
    shows(page, 102)  # both have been sent


def test_answers_by_mouse_and_of_a_new_label(service, visit):
    page = visit(service).open("#/models/mail/label")
    service.models["mail"]["spec"]["labels"] = None
    page.reload()
    shows(page, 100)
    page.get_by_role("button", name="unsure").click()
    shows(page, 101)
    page.get_by_label("Another label").fill("1d")  # keys in a field are text
    page.keyboard.press("Enter")
    shows(page, 102)
    expect(page.get_by_role("button", name="1d")).to_be_visible()
    page.goto(f"{service.url}/#/")  # leaving sends what is held
    assert wait_for(page, service, 2) == [("label", 100, "unsure"), ("label", 101, "1d")]


def test_labels_keep_their_type(serve, visit):
    service = serve([model("flags", [contender("champion", "champion", [False, True])])])
    service.questions["flags"] = [question(k, {"a": k}, True, {"true": 0.7, "false": 0.3}) for k in (1, 2)]
    page = visit(service).open("#/models/flags/label")
    page.keyboard.press("1")
    page.keyboard.press("2")
    assert wait_for(page, service, 2) == [("label", 1, False), ("label", 2, True)]


def test_a_regressor_is_answered_with_a_number(serve, visit):
    service = serve([model("price", [contender("champion", "champion", [])], regresses=True)])
    service.questions["price"] = [question(1, [0.5, 2.0])]
    page = visit(service).open("#/models/price/label")
    page.get_by_label("Value").fill("12.5")
    page.keyboard.press("Enter")
    assert wait_for(page, service, 1) == [("label", 1, 12.5)]


def test_a_refused_answer_is_reported_and_the_others_go_on(service, visit):
    service.refusals[100] = (409, "ticket 100: the label must be the first one, got 'spam' after 'ham'")
    page = visit(service).open("#/models/mail/label")
    shows(page, 100)
    for key in "222":
        page.keyboard.press(key)
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("got 'spam' after 'ham'")
    assert wait_for(page, service, 2) == [("label", 101, "spam"), ("label", 102, "spam")]


def test_answers_wait_while_the_service_is_away_and_are_sent_once(service, visit):
    page = visit(service).open("#/models/mail/label")
    shows(page, 100)
    service.failing = 503
    for key in "121":
        page.keyboard.press(key)
    expect(page.locator(".progress")).to_contain_text("2 not sent yet")
    service.failing = 0
    assert wait_for(page, service, 3) == [("label", 100, "ham"), ("label", 101, "spam"), ("label", 102, "ham")]
    expect(page.locator(".progress")).not_to_contain_text("not sent")


def test_new_questions_appear_without_reloading(service, visit):
    waiting, service.questions["mail"] = service.questions["mail"][:2], []
    page = visit(service).open("#/models/mail/label")
    expect(page.locator(".question")).to_contain_text("No open questions")
    expect(page.locator("#connection")).to_have_text("Live")
    service.questions["mail"] = waiting
    service.send("mail")
    shows(page, 100)


def test_skipped_questions_come_back_on_request(service, visit):
    del service.questions["mail"][2:]
    page = visit(service).open("#/models/mail/label")
    page.keyboard.press("ArrowRight")
    shows(page, 101)
    page.keyboard.press("s")
    expect(page.locator(".question")).to_contain_text("Only skipped questions are left")
    page.get_by_role("button", name="Show them again").click()
    shows(page, 100)
    assert service.received == []
