"""Both detectors: one value at a time or many, states, copies, refused values."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.drift import ADWIN, CUSUM, Detector

MADE: dict[str, Callable[[], Detector]] = {
    "ADWIN": lambda: ADWIN(delta=1e-3),
    "ADWIN both": lambda: ADWIN(delta=1e-3, every=5, direction="both"),
    "CUSUM": lambda: CUSUM(delta=1e-3, warmup=100),
    "CUSUM baseline": lambda: CUSUM(delta=1e-3, baseline=0.2, rise=2.0),
}
RNG = np.random.default_rng(4)
VALUES = np.concatenate([RNG.random(1500) < 0.1, RNG.random(1500) < 0.5, RNG.random(1500), RNG.random(900) < 0.1])
VALUES = VALUES.astype(np.float64)


@pytest.fixture(params=MADE)
def make(request: pytest.FixtureRequest) -> Callable[[], Detector]:
    return MADE[request.param]


def test_many_values_give_the_bits_of_single_ones(make: Callable[[], Detector]) -> None:
    many, single, cut = make(), make(), make()
    found = many.update_many(VALUES)
    assert found.dtype == np.int64 and len(found)
    assert found.tolist() == [k for k, value in enumerate(VALUES) if single.update(value)]
    parts = [change.at - 1 for part in np.split(VALUES, [1, 2, 700, 701, 3000]) for change in cut.changes(part)]
    assert parts == found.tolist()
    assert many.state() == single.state() == cut.state()
    assert many.n_seen == len(VALUES) and many.last is not None and many.last.at == found[-1] + 1


def test_a_state_goes_through_json_and_continues_with_the_same_bits(make: Callable[[], Detector]) -> None:
    whole = make()
    expected = whole.changes(VALUES)
    for stop in range(0, len(VALUES), 431):
        first, second = make(), make()
        found = first.changes(VALUES[:stop])
        second.restore(json.loads(json.dumps(first.state())))
        assert second.state() == first.state() and second.last == first.last
        assert found + second.changes(VALUES[stop:]) == expected
        assert second.state() == whole.state()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), Detector.copy])
def test_copies_are_independent(make: Callable[[], Detector], how: Callable[[Detector], Detector]) -> None:
    first = make()
    first.update_many(VALUES[:1700])
    before = first.state()
    second = how(first)
    assert type(second) is type(first) and second.state() == before
    found = second.update_many(VALUES[1700:])
    assert first.state() == before
    assert first.update_many(VALUES[1700:]).tolist() == found.tolist()


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), "1", None, 1j])
def test_a_value_outside_0_to_1_is_refused_and_changes_nothing(make: Callable[[], Detector], value: Any) -> None:
    detector = make()
    detector.update_many(VALUES[:50])
    before = detector.state()
    with pytest.raises(ValueError, match=r"must be a (number from 0 to 1|list of numbers), got"):
        detector.update_many([0.5, value])
    with pytest.raises(ValueError, match="a value must be a number from 0 to 1, got"):
        detector.update(value)
    assert detector.state() == before


def test_values_of_other_types(make: Callable[[], Detector]) -> None:
    one, two, three = make(), make(), make()
    bits = VALUES[:1400] > 0.5
    assert one.update_many(bits).tolist() == two.update_many(bits.tolist()).tolist()
    for bit in bits:
        three.update(bit)
    assert one.state() == two.state() == three.state()
    assert one.update_many([]).tolist() == [] and one.update_many(np.zeros(0)).tolist() == []
    assert one.update_many(iter([1, 0])).tolist() == []
    with pytest.raises(ValueError, match="values must be a list of numbers"):
        one.update_many(np.zeros((2, 2)))


def test_what_repr_shows_makes_an_equal_detector(make: Callable[[], Detector]) -> None:
    detector = make()
    again = eval(repr(detector), {"ADWIN": ADWIN, "CUSUM": CUSUM})
    assert again.state() == detector.state()


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: ADWIN(delta=0), "ADWIN: delta must be > 0 and at most 0.01, got 0"),
        (lambda: ADWIN(delta=0.5), "ADWIN: delta must be > 0"),
        (lambda: ADWIN(delta="x"), "ADWIN: delta must be a number, got 'x'"),
        (lambda: ADWIN(every=0), "ADWIN: every must be a whole number from 1 to 65536, got 0"),
        (lambda: ADWIN(direction="down"), "ADWIN: direction must be 'up' or 'both', got 'down'"),
        (lambda: CUSUM(baseline=0.0), "CUSUM: baseline must be between 0 and 1, got 0.0"),
        (lambda: CUSUM(baseline=1), "CUSUM: baseline must be between 0 and 1, got 1"),
        (lambda: CUSUM(warmup=0), "CUSUM: warmup must be a whole number from 1"),
        (lambda: CUSUM(rise=1.0), "CUSUM: rise must be > 1 and at most 1000, got 1.0"),
        (lambda: CUSUM(delta=-1.0), "CUSUM: delta must be > 0"),
    ],
)
def test_bad_parameters_are_refused(make_it: Callable[[], Detector], message: str) -> None:
    with pytest.raises(ValueError) as error:
        make_it()
    assert str(error.value).startswith(message)


def test_hostile_states_are_refused_and_change_nothing(make: Callable[[], Detector]) -> None:
    detector = make()
    detector.update_many(VALUES)
    good = detector.state()
    values = good["values"]
    wrong: list[Any] = [
        None,
        [],
        {},
        {**good, "detector": "other"},
        {**good, "parameters": {}},
        {**good, "values": values[:-1]},
        {**good, "values": [*values, 0.0]},
        {**good, "values": "values"},
        {**good, "values": [None, *values[1:]]},
        {**good, "values": [[0.0], *values[1:]]},
        {**good, "values": [0.0, *values[1:]]},
        {**good, "values": [values[0] + 0.5, *values[1:]]},
        {**good, "values": [2.0**60, *values[1:]]},
        {**good, "last": [1, 2]},
        {**good, "last": 3},
        {**good, "last": [10**9, 0, 0.1, 0.2]},
        {**good, "last": [10, 5, 0.1, float("nan")]},
        {**good, "more": 1},
    ]
    places = [k for k in range(len(values)) if k < 20]
    wrong += [{**good, "values": [*values[:k], bad, *values[k + 1 :]]} for k in places for bad in (1e300, float("nan"))]
    wrong += [{**good, "values": [*values[:k], -3.0, *values[k + 1 :]]} for k in places]
    for state in wrong:
        with pytest.raises(ValueError, match="a state must"):
            detector.restore(state)
        assert detector.state() == good, state


@given(data=st.data())
def test_a_restored_state_never_breaks_the_detector(data: st.DataObject) -> None:
    """Whatever state is accepted, the detector goes on with it: no index leaves the window."""
    make = MADE[data.draw(st.sampled_from(sorted(MADE)))]
    detector = make()
    detector.update_many(VALUES[: data.draw(st.integers(0, 2000))])
    state = detector.state()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(state["values"]) - 1))
        state["values"][place] = data.draw(st.sampled_from([0.0, 1.0, 2.0, 5.0, 6.0, 0.5, 1e9, 31.0, 32.0]))
    try:
        detector.restore(state)
    except ValueError:
        return
    for change in detector.changes(VALUES[:500]):
        assert 0.0 <= change.before <= 1.0 and 0.0 <= change.after <= 1.0
