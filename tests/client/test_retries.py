"""Requests are sent again only if that does no harm, and learn nothing twice."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from driftline.client import Client, Prediction, ServiceError, UnreachableError
from tests.client.fake_service import FakeService, answer_lost, refused, unreachable


class Waiting:
    """A client of a faulty service that notes its pauses in place of waiting."""

    def __init__(self, *faults: Any, retries: int = 4) -> None:
        self.service = FakeService(*faults)
        self.pauses: list[float] = []
        client = Client("http://service", transport=self.service.transport(), retries=retries)
        client._sleep = self.pauses.append
        self.model = client.model("spam")


def test_an_example_whose_answer_was_lost_is_learned_once() -> None:
    some = Waiting(answer_lost, answer_lost)
    assert some.model.learn({"a": 1}, "ham").kind == "repeated"
    assert some.service.learned == [({"a": 1}, "ham")]
    assert len({one.content for one in some.service.requests}) == 1 and len(some.service.requests) == 3


def test_a_batch_whose_answer_was_lost_is_learned_once() -> None:
    some = Waiting(answer_lost)
    assert [one.kind for one in some.model.learn_many([{"a": 1}, {"a": 2}], ["ham", "spam"])] == ["repeated"] * 2
    assert len(some.service.learned) == 2


@pytest.mark.parametrize("fault", [refused(429), refused(503), unreachable], ids=["429", "503", "no connection"])
def test_what_was_not_applied_is_sent_again(fault: Any) -> None:
    some = Waiting(fault)
    assert some.model.predict({"a": 1}).ticket == 1
    assert len(some.pauses) == 1


def test_a_prediction_whose_answer_was_lost_is_asked_again_only_with_an_id() -> None:
    some = Waiting(answer_lost)
    with pytest.raises(UnreachableError):
        some.model.predict({"a": 1})
    some = Waiting(answer_lost)
    assert some.model.predict({"a": 1}, id="o-1").repeated
    some = Waiting(answer_lost)
    with pytest.raises(UnreachableError):
        some.model.predict_many([{"a": 1}])
    some = Waiting(answer_lost)
    assert [one.repeated for one in some.model.predict_many([{"a": 1}], ids=["o"])] == [True]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_other_errors_are_final(status: int) -> None:
    some = Waiting(refused(status))
    with pytest.raises(ServiceError) as error:
        some.model.label(1, "ham")
    assert error.value.status == status and some.pauses == []


def test_proxies_without_an_answer_are_asked_again_if_a_second_request_changes_nothing() -> None:
    some = Waiting(refused(502), refused(504))
    assert some.model.learn({"a": 1}, "ham").kind == "learned"
    some = Waiting(refused(502))
    with pytest.raises(ServiceError):
        some.model.predict({"a": 1})


def test_pauses_double_with_jitter_and_end() -> None:
    some = Waiting(*[refused(503)] * 10, retries=8)
    with pytest.raises(ServiceError) as error:
        some.model.predict({})
    assert error.value.status == 503 and len(some.service.requests) == 9
    longest = [min(5.0, 0.1 * 2**k) for k in range(8)]
    assert all(most / 2 <= pause <= most for pause, most in zip(some.pauses, longest, strict=True))
    assert len(set(some.pauses)) == 8
    assert Waiting(retries=0).model.predict({}) == Prediction(1, "ham", {"ham": 0.75, "spam": 0.25}, -1.5, 7)


def test_the_pause_follows_retry_after() -> None:
    some = Waiting(refused(429, **{"retry-after": "7"}), refused(503, **{"retry-after": "soon"}))
    some.model.predict({})
    assert 7.0 < some.pauses[0] <= 7.1 and some.pauses[1] <= 0.2


def test_a_service_that_asks_for_too_much_patience_is_an_error() -> None:
    some = Waiting(refused(503, **{"retry-after": "3600"}))
    with pytest.raises(ServiceError):
        some.model.predict({})
    assert some.pauses == []


def test_an_error_of_the_caller_is_not_hidden_by_the_retries() -> None:
    def broken(request: httpx.Request, answer: Any) -> httpx.Response:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Waiting(broken).model.predict({})
