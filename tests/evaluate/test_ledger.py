"""The ledger: its compiled pass counts what the definitions say, also for scores that are not
finite.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.engines.state import INFEASIBLE, UNASKED, UPDATED, WRONG
from driftline.evaluate.ledger import COLUMNS, Ledger
from driftline.learners import LearnedBlock
from tests.oracles.baselines import mistakes_of_baselines

EVENTS = [int(event) for event in (UPDATED, INFEASIBLE, UNASKED, WRONG)]


def block(seed: int, size: int, several: bool, bad: float | None) -> LearnedBlock:
    rng = np.random.default_rng(seed)
    y = np.ones(size) if several else rng.choice([-1.0, 1.0], size)
    scores = rng.normal(size=size) * rng.choice([0.0, 1.0, 3.0], size)
    if bad is not None and size:
        scores[size // 2] = bad
    events = (rng.random((len(EVENTS), size)) < 0.4) * np.array(EVENTS)[:, None]
    classes = rng.integers(0, 5, size).astype(float) if several else None
    return LearnedBlock(y, scores, events.sum(axis=0).astype(np.uint8), several, classes=classes, first_sign=1.0)


def part_of(whole: LearnedBlock, part: slice) -> LearnedBlock:
    classes = None if whole.classes is None else whole.classes[part]
    return replace(whole, y=whole.y[part], scores=whole.scores[part], events=whole.events[part], classes=classes)


@given(
    st.integers(0, 99),
    st.integers(0, 300),
    st.booleans(),
    st.sampled_from([None, np.inf, -np.inf, np.nan]),
    st.sampled_from([2, 7, 1000]),
    st.lists(st.integers(0, 300), max_size=5),
)
def test_counts_and_curve_follow_the_definitions(
    seed: int, size: int, several: bool, bad: float | None, points: int, cuts: list[int]
) -> None:
    whole = block(seed, size, several, bad)
    ledger = Ledger(0.5, points)
    edges = [0, *sorted(min(cut, size) for cut in cuts), size]
    for start, stop in pairwise(edges):
        ledger.add(part_of(whole, slice(start, stop)), 0.25)
    with np.errstate(invalid="ignore"):
        m = whole.y * whole.scores
        hinge = np.where(np.isfinite(m), np.maximum(0.0, 1.0 - m), np.inf)
    columns = (np.ones(size), whole.mistaken, whole.wrong, whole.updated, hinge)
    expected = np.vstack([np.zeros(len(COLUMNS)), np.cumsum(np.column_stack(columns), axis=0)])
    np.testing.assert_array_equal(ledger.last(), expected[-1])
    counts = {"margin_errors": m <= 0.5, "infeasible": whole.infeasible, "asked": whole.asked}
    assert {name: getattr(ledger, name) for name in counts} == {name: int(c.sum()) for name, c in counts.items()}
    table = ledger.curve.table(ledger.last())
    assert len(table) <= points + 2 and ledger.overflowed == (bad is not None and size > 0)
    np.testing.assert_array_equal(table, expected[table[:, 0].astype(int)])
    assert np.array_equal(table[1:-1, 0] % ledger.curve.stride, np.zeros(max(0, len(table) - 2)))
    assert ledger.seconds == 0.25 * (len(edges) - 1)
    labels = (whole.y != 1.0 if whole.classes is None else whole.classes).astype(int).tolist()
    assert ledger.baselines is not None
    assert (ledger.baselines.no_change, ledger.baselines.majority) == mistakes_of_baselines(labels)


@pytest.mark.parametrize("rows", [np.zeros((3, 4)), np.zeros((3, 5), np.float32)])
def test_a_curve_of_another_shape_is_refused(rows: Any) -> None:
    meta, _ = Ledger(0.0).state()
    with pytest.raises(ValueError, match="Ledger: curve must have 5 columns of float64"):
        Ledger.from_state(meta, {"curve": rows})
