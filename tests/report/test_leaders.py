"""The report of a vote shows which expert led where, its weight, and the final votes."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

import pytest

import driftline as dl
from driftline.report import DataSummary, run_report
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
