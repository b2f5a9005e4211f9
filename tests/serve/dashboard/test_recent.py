"""Figures of a period, compared with slow versions in Python."""

from __future__ import annotations

import random

import pytest

from tests.serve.dashboard.fake_service import series


@pytest.fixture
def ask(serve, visit):
    """Call a function of recent.js."""
    page = visit(serve([])).open()
    return lambda name, *args: page.evaluate(
        "async ([name, args]) => (await import('/static/recent.js'))[name](...args)", [name, list(args)]
    )


def buckets(n, seed=0):
    rng = random.Random(seed)
    found = []
    for k in range(n):
        labelled = rng.choice([0, 0, 1, 5, 40])
        found.append(
            {"start": 60 * k, "asked": 3 * k, "labelled": labelled, "errors": rng.randint(0, labelled), "classes": []}
        )
    return found


def slow(found, window):
    means = []
    for k in range(len(found)):
        part = whole = 0
        for one in reversed(found[: k + 1]):
            if whole >= window:
                break
            part, whole = part + one["errors"], whole + one["labelled"]
        means.append(part / whole if whole else None)
    return means


@pytest.mark.parametrize("window", [1, 20, 1000])
def test_windowed_means_are_those_of_the_last_labels(ask, window):
    found = buckets(200)
    assert ask("windowed", found, "errors", "labelled", window) == pytest.approx(slow(found, window))


def test_traffic_counts_the_last_minute(ask):
    one = {"seconds": 10, "buckets": [{"start": 10 * k, "asked": 20} for k in range(100)]}
    assert ask("traffic", one, 1000) == pytest.approx(120 / 60)
    assert ask("traffic", one, 2000) == 0
    assert ask("traffic", {"seconds": 60, "buckets": [{"start": 960, "asked": 50}]}, 1000, 990) == pytest.approx(5)


def test_contenders_are_compared_on_the_time_that_all_have_seen(ask):
    found = ask("common", [series("a", ["x", "y"], buckets=50), series("b", ["x", "y"], buckets=20)])
    assert [len(one) for one in found] == [20, 20]
    assert [one["start"] for one in found[0]] == [one["start"] for one in found[1]]


def test_lines_of_contenders_share_the_times(ask):
    found = ask(
        "lines", [series("a", ["x", "y"], buckets=50), series("b", ["x", "y"], buckets=20)], "errors", "labelled", 50
    )
    assert len(found["at"]) == 50
    assert [one["name"] for one in found["lines"]] == ["a", "b"]
    assert found["lines"][1]["values"][:30] == [None] * 30
    assert None not in found["lines"][1]["values"][30:]


def test_rare_labels_share_one_area(ask):
    one = {"start": 0, "classes": [[f"label {k}", 20 - k] for k in range(9)]}
    found = ask("balance", [one, {"start": 60, "classes": []}])
    assert [line["name"] for line in found["lines"]] == [f"label {k}" for k in range(5)] + ["4 others"]
    assert found["lines"][5]["values"] == [15 + 14 + 13 + 12, 0]
