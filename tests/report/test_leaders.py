"""The report of a vote shows which expert led where, its weight, and the final votes."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

import pytest

import driftline as dl
from driftline.evaluate.history import Record
from driftline.report import DataSummary, run_report
from driftline.report.charts.class_lanes import COLOURS, LANES, ClassLanes
from driftline.report.charts.leaders import FAINTEST, LEFT, RIGHT, SHOWN, Leaders

DATA = DataSummary("here", "arrays", 10, 3, [("a", 5), ("b", 5)], 3.0, 0, [], None)


def strip(leaders: Leaders) -> ElementTree.Element:
    return ElementTree.fromstring(leaders.svg("x"))


def bars(svg: ElementTree.Element) -> list[dict[str, float]]:
    return [{name: float(one.get(name) or "") for name in one.keys()} for one in svg.iter("rect")]  # noqa: SIM118


def names(svg: ElementTree.Element) -> dict[str, float]:
    """Each name, and how low it stands."""
    return {one.text or "": float(one.get("y") or "") for one in svg.iter("text") if one.get("class") is None}


def test_a_bar_lies_where_its_voter_led_and_is_the_darker_the_heavier_it_was() -> None:
    svg = strip(Leaders("it", [(0, "a", 0.1), (100, "a", 0.2), (300, "b<", 1.0), (400, "a", 0.5)]))
    first, second, third = bars(svg)
    wide = RIGHT - LEFT
    assert (first["x"], first["width"]) == pytest.approx((LEFT, wide / 4), abs=0.1)
    assert (second["x"], second["width"]) == pytest.approx((LEFT + wide / 4, wide / 2), abs=0.1)
    assert (third["x"], third["width"]) == pytest.approx((LEFT + 0.75 * wide, wide / 4), abs=0.1)
    assert first["y"] == third["y"] < second["y"]
    assert [one["fill-opacity"] for one in (second, third)] == [
        1.0,
        pytest.approx(FAINTEST + (1 - FAINTEST) / 2, abs=0.01),
    ]
    assert names(svg)["a"] < first["y"] < names(svg)["b<"] < second["y"]
    told = svg.findtext("desc")
    assert told == "2 voters led at some time. The last leader is a, with a weight of 0.50."


def test_those_who_led_for_the_shortest_time_share_a_row() -> None:
    turns = [(k * (k + 1) // 2, f"v{k}", 0.5) for k in range(SHOWN + 4)]
    svg = strip(Leaders("it", turns))
    assert list(names(svg)) == [*(f"v{k}" for k in range(5, SHOWN + 4)), "others"]
    shared = [one for one in bars(svg) if one["y"] > names(svg)["others"]]
    assert len(shared) == 4 and len(bars(svg)) == SHOWN + 3
    assert len(names(strip(Leaders("it", turns[: SHOWN + 1])))) == SHOWN


@pytest.mark.parametrize("found", [[(0, "a", 0.1)], []])
def test_where_nothing_was_learned_nobody_led(found: Any) -> None:
    svg = strip(Leaders("it", found))
    assert not bars(svg) and svg.findtext("desc") == "No voter has led yet."


def test_the_report_of_a_tracker() -> None:
    stream = dl.streams.SEA(3000, seed=1)
    found = dl.compare({"it": dl.Tracker(), "PA1": dl.PA1()}, stream, history=True)
    run, page = found["it"], run_report("two", found, DATA)
    [drawn] = re.findall(r'<svg class="strip".*?</svg>', page, re.DOTALL)
    assert drawn == Leaders("it", run.leaders).svg("run-led-0")
    reigns = len(list(groupby(name for _, name, _ in run.leaders[1:])))
    assert 2 < reigns == Leaders("it", run.leaders).twin().count('<th scope="row"')
    for one in run.learner.experts():
        assert f">{one.name}</span></th><td>" in page
        assert f"{one.weight:.4f}</span></td><td>{one.mistakes:,}</td></tr>" in page
    assert "Largest weights: PA1" in page and "Largest weights: it" not in page
    length = page.partition(">Length of the weights</title>")[2].partition("</svg>")[0]
    assert "1 line." in length and 'class="line s1"' in length and 's0"' not in length


def test_a_tracker_alone_has_no_weights_of_features_in_its_report_and_others_no_leaders() -> None:
    stream = dl.streams.SEA(200, seed=1)
    page = run_report("one", dl.compare([dl.Tracker()], stream, history=True), DATA)
    assert 'class="strip"' in page and "Length of the weights" not in page and "<h2>Weights</h2>" not in page
    other = run_report("one", dl.compare([dl.PA1()], stream, history=True), DATA)
    assert 'class="strip"' not in other and "Leading voters" not in other and "<h2>Weights</h2>" in other


# A lane for each label


def record(examples: int, **weights: float) -> Record:
    largest = sorted(weights.items(), key=lambda item: -item[1])
    return Record(examples, 1.0, len(largest), tuple((name.replace("__", ": "), value) for name, value in largest))


def test_each_label_has_a_lane_with_its_own_leaders() -> None:
    records = [
        record(0),
        record(100, one=0.9, two=0.1),
        record(200, a__one=0.7, a__two=0.2, b__two=0.6, c__one=0.5),
        record(400, a__one=0.8, b__one=0.9, c__two=0.4),
    ]
    lanes = ClassLanes("it", ["a", "b", "c"], records)
    assert {label: [(one.start, one.stop, one.voter) for one in lane] for label, lane in lanes.lanes.items()} == {
        "a": [(0, 100, "one"), (100, 200, "one"), (200, 400, "one")],
        "b": [(0, 100, "one"), (100, 200, "two"), (200, 400, "one")],
        "c": [(100, 200, "one"), (200, 400, "two")],
    }
    assert lanes.voters == ["one", "two"]
    svg = ElementTree.fromstring(lanes.svg("x"))
    assert list(names(svg)) == ["a", "b", "c"]
    assert [one.get("class") for one in svg.iter("rect")] == ["s0", "s0", "s0", "s0", "s1", "s0", "s0", "s1"]
    assert [one.text for one in svg.iter("text") if "key" in (one.get("class") or "")] == list("112112")
    assert svg.findtext("desc") == "Leaders at the end: a: one; b: one; c: two."
    assert lanes.twin().count('<th scope="row"') == 6
    assert lanes.legend().count("<li") == 2


def test_many_labels_and_voters_stay_within_bounds_and_names_are_escaped() -> None:
    labels = [f"<l{k}>" for k in range(LANES + 5)]
    records = [record(0)] + [
        Record(100 * t, 1.0, 9, tuple((f"{label}: <v{(t + k) % 9}>", 0.5) for k, label in enumerate(labels)))
        for t in range(1, 65)
    ]
    lanes = ClassLanes("<it>", labels, records)
    svg = ElementTree.fromstring(lanes.svg("x"))
    assert len(lanes.lanes) == LANES and "and 5 more labels" in "".join(svg.itertext())
    assert len(lanes.voters) == 9 and lanes.styles == COLOURS and "3 others" in lanes.legend()
    assert len(lanes.svg("x")) < 300_000 and "<v" not in lanes.legend()


def test_labels_that_look_like_a_prefix_of_another_keep_their_own_leaders() -> None:
    records = [record(0), Record(10, 1.0, 2, (("a: b: one", 0.9), ("a: two", 0.8)))]
    lanes = ClassLanes("it", ["a", "a: b", "c"], records).lanes
    assert [(label, [one.voter for one in lane]) for label, lane in lanes.items()] == [
        ("a", ["two"]),
        ("a: b", ["one"]),
        ("c", []),
    ]


def test_the_report_of_a_tracker_of_three_labels_has_a_lane_for_each() -> None:
    rows = [({"x": float(k % 3), "y": float(k % 7)}, "abc"[k % 3]) for k in range(600)]
    page = run_report("three", dl.compare([dl.Tracker("light")], rows), DATA)
    [drawn] = re.findall(r'<svg class="strip".*?</svg>', page, re.DOTALL)
    svg = ElementTree.fromstring(drawn)
    assert svg.findtext("title") == "Leading voter of each label: Tracker(bank='light')"
    assert list(names(svg)) == ["a", "b", "c"]
    assert "With more than two labels, each label has its own vote." in page
    used = {one.get("class") for one in svg.iter("rect")}
    assert used and all(f".{style}{{" in page for style in used - {"other"})


def test_three_labels_share_the_vote_of_the_strong_bank() -> None:
    rows = [({"x": float(k % 3), "y": float(k % 7)}, "abc"[k % 3]) for k in range(600)]
    found = dl.compare([dl.Tracker()], rows)
    page, leaders = run_report("three", found, DATA), found.runs[0].leaders
    [drawn] = re.findall(r'<svg class="strip".*?</svg>', page, re.DOTALL)
    assert drawn == Leaders(found.runs[0].name, leaders).svg("run-led-0") and len(leaders) > 2
    assert "each label has its own vote" not in page and "the weights sum to 1</caption>" in page
