"""Blocks much larger than the weights: the same bits as a loop, and undone if a row is bad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import driftline as dl
from driftline.learners import large_blocks as module
from driftline.learners import learner as learner_module
from tests.support.bitwise import REGISTRY, assert_same, snapshot

ROWS = 40_000
RNG = np.random.default_rng(11)
X = RNG.normal(size=(ROWS, 6)) * (RNG.random((ROWS, 6)) < 0.8)
Y = np.where(X @ RNG.normal(size=6) + 0.5 * RNG.normal(size=ROWS) > 0, 1.0, -1.0)
W = RNG.choice([0.0, 0.5, 1.0, 2.0], ROWS)
KINDS: dict[str, Callable[[np.ndarray], Any]] = {"dense": np.array, "CSR": sp.csr_matrix}


@pytest.fixture
def large_blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks that are learned as large ones."""
    calls: list[int] = []
    original = learner_module.learn_large

    def counted(learner: dl.Learner, X: Any, y: Any, w: Any) -> Any:
        calls.append(len(y))
        return original(learner, X, y, w)

    monkeypatch.setattr(learner_module, "learn_large", counted)
    return calls


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REGISTRY)
def test_the_same_bits_as_small_blocks(name: str, kind: str, large_blocks: list[int]) -> None:
    whole, pieces = dl.REGISTRY[name](), dl.REGISTRY[name]()
    scores = whole.learn_many(KINDS[kind](X), Y, W)
    expected = [] if name in ("pnormperceptron", "l1pa") else [ROWS]  # engines of their own
    assert large_blocks == expected
    small = [
        pieces.learn_many(KINDS[kind](X[i : i + 1000]), Y[i : i + 1000], W[i : i + 1000]) for i in range(0, ROWS, 1000)
    ]
    assert large_blocks == expected
    assert (np.concatenate(small) == scores).all()
    assert (whole._engine.state == pieces._engine.state).all()
    assert (whole._engine.v == pieces._engine.v).all()


@pytest.mark.parametrize("used_before", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
def test_a_bad_row_takes_everything_back(value: float, kind: str, used_before: bool, large_blocks: list[int]) -> None:
    learner = dl.L2PA(beta=3.0, when="margin")
    if used_before:
        learner.learn_many(KINDS[kind](X[:500]), Y[:500])
    before = snapshot(learner)
    bad = X.copy()
    bad[33_333, 4] = value
    message = (
        r"L2PA: row 33333, .*column 4.*|L2PA: row 33333 must be shorter than 1e\+60, got length 1e\+200 \(column 4"
    )
    with pytest.raises(ValueError, match=message):
        learner.learn_many(KINDS[kind](bad), Y)
    assert large_blocks == [ROWS]
    assert_same(before, snapshot(learner))
    learner.learn_many(KINDS[kind](X), Y)
    fresh = dl.L2PA(beta=3.0, when="margin")
    if used_before:
        fresh.learn_many(KINDS[kind](X[:500]), Y[:500])
    fresh.learn_many(KINDS[kind](X), Y)
    assert_same(snapshot(learner), snapshot(fresh))


@pytest.mark.parametrize("kind", KINDS)
def test_bad_labels_weights_and_lengths(kind: str, large_blocks: list[int]) -> None:
    learner = dl.PA1()
    before = snapshot(learner)
    labels = Y.copy()
    labels[30_000] = 3.0
    with pytest.raises(ValueError, match=r"PA1: .*row 30000.*got 3\.0"):
        learner.learn_many(KINDS[kind](X), labels)
    with pytest.raises(ValueError, match="PA1: X and y must have the same length, got 40000 and 39999"):
        learner.learn_many(KINDS[kind](X), Y[:-1])
    weights = W.copy()
    weights[7] = -1.0
    with pytest.raises(ValueError, match="PA1: row 7, a sample weight must be >= 0"):
        learner.learn_many(KINDS[kind](X), Y, weights)
    assert len(large_blocks) == 3
    assert_same(before, snapshot(learner))


def test_indices_may_have_any_order_and_are_refused_out_of_range(large_blocks: list[int]) -> None:
    good = sp.csr_matrix(X)
    mixed = sp.csr_matrix((good.data.copy(), good.indices.copy(), good.indptr.copy()), shape=good.shape)
    start, stop = mixed.indptr[20_000], mixed.indptr[20_001]
    mixed.indices[start:stop] = mixed.indices[start:stop][::-1].copy()
    mixed.data[start:stop] = mixed.data[start:stop][::-1].copy()
    learner = dl.PA1()
    learner.learn_many(mixed, Y)
    expected = dl.PA1()
    for at in range(0, ROWS, 1000):
        expected.learn_many(mixed[at : at + 1000], Y[at : at + 1000])
    assert_same(snapshot(learner), snapshot(expected))
    for bad in (-1, 6, 10**6):
        outside = sp.csr_matrix((good.data, good.indices.copy(), good.indptr), shape=good.shape)
        outside.indices[outside.indptr[12_345]] = bad
        before = snapshot(learner)
        with pytest.raises(ValueError, match=rf"PA1: row 12345, a column index must be >= 0 and < 6, got {bad}"):
            learner.learn_many(outside, Y)
        assert_same(before, snapshot(learner))
    assert large_blocks == [ROWS] * 4


@pytest.mark.parametrize("kind", KINDS)
def test_an_interruption_takes_everything_back(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = dl.PA1()
    learner.learn_many(KINDS[kind](X[:100]), Y[:100])
    before = snapshot(learner)
    chunks = []

    def interrupted(rows: Any, part: slice) -> Any:
        chunks.append(part)
        if len(chunks) == 2:
            raise KeyboardInterrupt
        return original(rows, part)

    original = module.cut
    monkeypatch.setattr(module, "cut", interrupted)
    monkeypatch.setattr(module, "VALUES_PER_PIECE", 1 << 16)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(KINDS[kind](X), Y)
    assert_same(before, snapshot(learner))
