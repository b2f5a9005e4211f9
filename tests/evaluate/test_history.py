"""The history of a run: few records, at places that depend on the stream alone."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.evaluate.history import History, Record
from driftline.internals.one_call import Shared
from tests.support.bitwise import REGISTRY

RNG = np.random.default_rng(5)
X = RNG.normal(size=(700, 5)) * (RNG.random((700, 5)) < 0.6)
Y = np.where(X @ RNG.normal(size=5) + 0.3 * RNG.normal(size=700) > 0, 1.0, -1.0)
DICTS = [{f"f{j}": float(row[j]) for j in np.flatnonzero(row)} for row in X]


class Still(Shared):
    """Stands for a learner where only the places of the records matter."""

    class _engine:
        @staticmethod
        def extent() -> tuple[float, int]:
            return 5.0, 2

    def largest(self, k: int) -> list[tuple[int, float]]:
        return [(2, -4.0), (0, 3.0)][:k]


def follow(learner: dl.Learner, X, y, *, stops=(), history: History | None = None) -> History:
    """The history of a learner that learns X, the work cut at ``stops`` too, where the history goes through JSON."""
    history = history or History()
    history.record(0, learner)
    done, stops = 0, {*stops, len(y)}
    while done < len(y):
        to = min(history.next(done), *(s for s in stops if s > done))
        learner.learn_many(X[done:to], y[done:to])
        history.record(to, learner)
        done = to
        if done in stops:
            history = through_json(history)
    return history


def through_json(history: History) -> History:
    meta, arrays = history.state()
    return History.from_state(json.loads(json.dumps(meta)), {name: array.copy() for name, array in arrays.items()})


def same(a: History, b: History) -> bool:
    return (a.points, a.top, a.stride, a.records) == (b.points, b.top, b.stride, b.records)


def places(n: int, points: int, stops=()) -> tuple[list[int], int]:
    """Where the records of a stream of n examples lie, and their stride, if there is a record at the stops too."""
    history, done = History(points), 0
    stops = {*stops, n}
    history.record(0, Still())
    while done < n:
        done = min(history.next(done), *(s for s in stops if s > done))
        history.record(done, Still())
    return [r.examples for r in history.records], history.stride


# Where records lie


@given(st.integers(0, 5000), st.integers(2, 12), st.sets(st.integers(1, 5000), max_size=8))
def test_places_depend_on_the_length_of_the_stream_alone(n, points, stops):
    assert places(n, points, {s for s in stops if s < n}) == places(n, points)


@given(st.integers(1, 20_000), st.integers(2, 40))
def test_records_are_few_evenly_spaced_and_reach_the_end(n, points):
    found, stride = places(n, points)
    assert found[0] == 0
    assert found[-1] == n
    assert len(found) <= points + 1
    assert all(b - a == stride for a, b in pairwise(found[:-1]))
    assert 0 < found[-1] - found[-2] <= stride
    if stride > 16:
        assert len(found) > points // 2


def test_the_stride_doubles_when_there_are_too_many_records():
    assert places(64, 4) == ([0, 32, 64], 32)
    assert places(48, 4) == ([0, 16, 32, 48], 16)
    assert places(50, 4) == ([0, 32, 50], 32)


def test_a_second_record_at_the_same_place_replaces_the_first():
    history, learner = History(), dl.PA()
    history.record(16, learner)
    learner.learn_one({"a": 1.0}, True)
    history.record(16, learner)
    assert [(r.examples, r.nonzero) for r in history.records] == [(16, 2)]


def test_ten_million_examples_take_a_few_hundred_records():
    history, done, count = History(), 0, 0
    while done < 10_000_000:
        done = history.next(done)
        history.record(done, Still())
        count += 1
    assert len(history.records) <= 65
    assert count < 600


@pytest.mark.parametrize("stops", [(), (1, 2, 3), range(7, 700, 7), (16, 33, 500, 699)])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_history_does_not_depend_on_blocks_or_on_resuming(name, stops):
    make = dl.REGISTRY[name]
    whole = follow(make(), DICTS, Y, history=History(8, 3))
    assert same(follow(make(), DICTS, Y, stops=stops, history=History(8, 3)), whole)
    assert len(whole.records) <= 9


@pytest.mark.parametrize("rows", [1, 7, 16, 100, 8192])
def test_a_run_has_the_history_of_its_stream_whatever_its_blocks(rows):
    assert same(dl.run(dl.PA1(), (DICTS, Y), rows=rows, history=True).history, follow(dl.PA1(), DICTS, Y))
    assert dl.run(dl.PA1(), (DICTS, Y), rows=rows).history is None


# What is in them


def test_a_record_has_the_norm_the_count_and_the_largest_weights():
    learner = dl.PA1()
    history = follow(learner, DICTS, Y, history=History(top=3))
    first, *_, last = history.records
    weights = learner.weights()
    assert first == Record(0, 0.0, 0, ())
    assert first.complete
    assert last.examples == 700
    assert last.norm == pytest.approx(math.sqrt(sum(v * v for v in weights.values())), rel=1e-14)
    assert last.nonzero == len(weights) == 6
    assert last.largest == tuple(sorted(weights.items(), key=lambda item: -abs(item[1]))[:3])
    assert not last.complete


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_norm_neither_overflows_nor_vanishes(size):
    learner = dl.PA(bias=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, True)
    learner._engine.v[8:10] = [3.0 * size, -4.0 * size]
    history = History()
    history.record(1, learner)
    assert history.records[0].norm == pytest.approx(5.0 * size, rel=1e-14)


# The largest weights of a learner

whole_numbers = st.lists(st.integers(-3, 3), min_size=1, max_size=40)


@given(whole_numbers, st.integers(1, 45))
def test_the_largest_weights_are_those_of_a_sort_and_older_ones_come_first(values, k):
    learner = dl.PA(bias=False)
    learner.learn_one({f"n{j}": 1.0 for j in range(len(values))}, True)
    learner._engine.v[8 : 8 + len(values)] = values
    scale = learner._engine.state[0]
    ranked = sorted((-abs(value), j) for j, value in enumerate(values) if value)
    assert learner.largest(k) == [(f"n{j}", scale * values[j]) for _, j in ranked[:k]]


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("options", [{}, {"hashing": dl.Hashing(6)}, {"dtype": "float32"}, {"scale": "standard"}])
def test_all_of_the_largest_are_all_weights_by_the_same_names(name, options):
    for data in (DICTS, X):
        learner = dl.REGISTRY[name](**options)
        learner.learn_many(data, Y)
        weights = learner.weights()
        assert len(weights) > 3
        assert dict(learner.largest(1000)) == weights
        assert [abs(v) for _, v in learner.largest(1000)] == sorted((abs(v) for v in weights.values()), reverse=True)


def test_a_fresh_learner_has_no_largest_weights():
    assert dl.PA().largest(5) == []


@pytest.mark.parametrize("k", [0, -1, 1.0, True, "3", None])
def test_how_many_must_be_a_whole_number(k):
    with pytest.raises(ValueError, match=r"^PA1\.largest: k must be a whole number >= 1, got "):
        dl.PA1().largest(k)


# Checkpoints


def test_a_state_gives_the_same_history_whatever_the_names_are():
    learner = dl.PA1()
    for name in ("plain", "<script>", "שלום", "👩‍🔬", "\ud800", "\x00\n", 7, -(2**70), ""):
        learner.learn_one({name: 1.0}, True)
        learner.learn_one({name: 1.0}, False)
    history = History(4, 30)
    history.record(18, learner)
    again = through_json(history)
    assert same(again, history)
    assert [type(name) for name, _ in again.records[0].largest] == [type(n) for n, _ in history.records[0].largest]
    assert len(history.records[0].largest) == 10


def test_an_empty_history_has_a_state_too():
    assert same(through_json(History(5, 6)), History(5, 6))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, a: m.update(stride=24), r"stride must be 16 times a power of 2, got 24"),
        (lambda m, a: m.update(points=1), r"points must be a whole number >= 2, got 1"),
        (lambda m, a: m.update(names=[["a"]]), r"names must have the lengths given by listed, got \[1\]"),
        (lambda m, a: m.update(names=[[None]] * 3), r"names must be lists of str and int, got "),
        (lambda m, a: m.pop("top"), r"the entries must be .*, got \['names', 'points', 'stride'\]"),
        (lambda m, a: a.pop("norm"), r"the arrays must be .*, got \['examples', 'listed', 'nonzero', 'values'\]"),
        (lambda m, a: a.update(norm=a["norm"][:1]), r"every column must have 3 records, got \[3, 1, 3\]"),
        (lambda m, a: a.update(values=a["values"][:1]), r"values must have \d entries, got 1"),
        (lambda m, a: a.update(norm=a["nonzero"]), r"norm must be a 1-d array of float64, got "),
        (lambda m, a: a.update(examples=a["examples"][::-1]), r"examples must be >= 0 and increasing, got "),
    ],
)
def test_a_state_that_no_history_gives_is_refused(change, message):
    history = follow(dl.PA1(), DICTS[:20], Y[:20], history=History(top=2))
    meta, arrays = history.state()
    change(meta, arrays)
    with pytest.raises(ValueError, match=f"^History(.from_state)?: {message}"):
        History.from_state(meta, arrays)


@pytest.mark.parametrize("options", [{"points": 1}, {"points": 2.5}, {"top": 0}, {"top": True}])
def test_points_and_top_must_be_whole_numbers(options):
    with pytest.raises(ValueError, match=r"^History: \w+ must be a whole number >= \d, got "):
        History(**options)
