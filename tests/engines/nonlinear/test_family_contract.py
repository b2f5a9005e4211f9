"""What every family of experts for curved boundaries guarantees."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from driftline.engines.nonlinear.neighbours import Neighbours
from driftline.engines.nonlinear.paths import Paths
from driftline.engines.nonlinear.waves import Waves
from tests.support.nonlinear_families import (
    Rows,
    bits,
    errors,
    growing,
    learned,
    made,
    rings,
    runs,
    scored,
    shuffled,
)

FAMILIES = [Neighbours, Paths, Waves]
MOST_BYTES = {Neighbours: 2_500_000, Paths: 750_000, Waves: 155_000}
SHARES = (Neighbours,)
each = pytest.mark.parametrize("kind", FAMILIES)


@each
def test_the_split_into_blocks_does_not_matter(kind: type[Any]) -> None:
    rows = growing(700)
    whole, by_row, split = (made(kind, rows) for _ in range(3))
    due = learned(whole, rows)
    assert np.isfinite(due).all()
    assert np.array_equal(due, learned(by_row, rows, cuts=range(1, 700)))
    assert np.array_equal(due, learned(split, rows, cuts=sorted(np.random.default_rng(1).integers(1, 700, 9))))
    assert bits(whole.saved()) == bits(by_row.saved()) == bits(split.saved())


@each
def test_room_does_not_matter(kind: type[Any]) -> None:
    """Room that grows with each row, or much spare room, gives the same bits."""
    rows = growing(500)
    tight, roomy = kind(), kind()
    roomy.make_room(40, 30)()
    due = learned(roomy, rows)
    for i in range(500):
        row = rows.part(i, i + 1)
        row = row._replace(Z=np.ascontiguousarray(row.Z[:, : row.known[0]]))
        tight.make_room(int(row.known[0]), int(rows.y[: i + 1].max()) + 1)()
        assert np.array_equal(learned(tight, row, rows.classes), due[i : i + 1])
    assert bits(tight.saved()) == bits(roomy.saved())


@each
def test_room_is_taken_only_when_it_is_put_in_place(kind: type[Any]) -> None:
    rows = growing(100)
    family = made(kind, rows)
    learned(family, rows)
    before = bits(family.arrays())
    put = family.make_room(50, 9)
    assert bits(family.arrays()) == before
    put()
    assert bits(family.arrays()) != before
    assert bits(family.saved()) == bits(deepcopy(family).saved())


@each
@pytest.mark.parametrize("n", [0, 1, 60, 400])
def test_a_restored_family_and_a_copy_go_on_with_the_same_bits(kind: type[Any], n: int) -> None:
    rows = growing(500)
    family, restored = made(kind, rows), kind()
    learned(family, rows.part(0, n), rows.classes)
    saved = family.saved()
    restored.restore(6, rows.classes, saved)
    assert bits(restored.saved()) == bits(saved)
    copied = deepcopy(family)
    due = learned(family, rows.part(n, 500), rows.classes)
    for twin in (restored, copied):
        assert np.array_equal(learned(twin, rows.part(n, 500), rows.classes), due)
        assert bits(twin.saved()) == bits(family.saved())
    assert bits(saved) != bits(family.saved())


@each
def test_scores_are_those_of_learning_and_change_nothing(kind: type[Any]) -> None:
    rows = growing(300)
    family = kind()
    for start in range(0, 300, 20):
        part = rows.part(start, start + 1)
        before = bits(family.arrays())
        due = scored(family, part, rows.classes)  # before there is room for a new feature
        assert bits(family.arrays()) == before
        family.make_room(6, rows.classes)()
        assert np.array_equal(learned(family, part, rows.classes), due)


@each
def test_a_row_of_weight_0_is_scored_and_not_learned(kind: type[Any]) -> None:
    rows = growing(300)
    family = made(kind, rows)
    learned(family, rows.part(0, 200))
    before = bits(family.arrays())
    later = rows.part(200, 300)._replace(w=np.zeros(100))
    assert np.array_equal(learned(family, later, rows.classes), scored(family, later, rows.classes))
    assert bits(family.arrays()) == before


@each
def test_columns_of_unknown_features_are_ignored(kind: type[Any]) -> None:
    rows = growing(200)
    family, twin = made(kind, rows), made(kind, rows)
    noisy = rows.Z + 3.0 * (np.arange(6) >= rows.known[:, None])
    assert np.array_equal(learned(family, rows), learned(twin, rows._replace(Z=noisy)))
    assert bits(family.saved()) == bits(twin.saved())


@each
def test_a_class_that_was_never_seen_has_the_lowest_score(kind: type[Any]) -> None:
    rows = growing(300, classes=3)
    family = made(kind, rows)
    before = scored(family, rows.part(0, 3), 5)
    assert (before == (0.2 if kind in SHARES else 0.0)).all()
    scores = learned(family, rows, 5)
    seen = [set(rows.y[:i][rows.w[:i] > 0.0]) for i in range(300)]
    for i in range(300):
        new = [c for c in range(5) if c not in seen[i]]
        assert (scores[i][:, new] == scores[i].min(axis=1, keepdims=True)).all()
    if kind in SHARES:
        assert (scores >= 0.0).all()
        assert np.allclose(scores.sum(axis=2), 1.0, rtol=0.0, atol=1e-12)


@each
@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_extreme_weights_give_finite_scores(kind: type[Any], weight: float) -> None:
    rows = growing(300)
    rows = rows._replace(w=np.where(rows.w == 2.0, weight, rows.w))
    family = made(kind, rows)
    assert np.isfinite(learned(family, rows)).all()
    kind().restore(6, rows.classes, family.saved())


@each
def test_memory_is_bounded_in_features_and_rows(kind: type[Any]) -> None:
    rng = np.random.default_rng(0)
    family, width = kind(), 2 * kind.limit
    Z = rng.normal(size=(60, width)).clip(-5.0, 5.0)
    rows = Rows(Z, np.linspace(1, width, 60).astype(np.int64), rng.integers(0, 2, 60), np.ones(60))
    family.make_room(width, 2)()
    first = learned(family, rows)
    size = sum(array.nbytes for array in family.arrays().values())
    assert size <= MOST_BYTES[kind]
    for _ in range(40):
        learned(family, rows._replace(known=np.full(60, width)))
    assert sum(array.nbytes for array in family.arrays().values()) == size
    narrow = np.ascontiguousarray(Z[:, : kind.limit])
    twin = made(kind, rows._replace(Z=narrow))
    assert np.array_equal(learned(twin, rows._replace(Z=narrow, known=np.minimum(rows.known, kind.limit))), first)


@each
def test_damaged_arrays_are_refused(kind: type[Any]) -> None:
    rows = growing(400)
    family = made(kind, rows)
    learned(family, rows)
    saved, before = family.saved(), bits(family.saved())

    def refused(arrays: dict[str, np.ndarray], features: int = 6, classes: int = rows.classes) -> None:
        with pytest.raises(ValueError):
            family.restore(features, classes, arrays)
        assert bits(family.saved()) == before

    refused(saved | {"more": np.zeros(1)})
    refused(saved, classes=rows.classes - 1)
    refused(saved, features=5)
    for name, array in saved.items():
        refused({other: saved[other] for other in saved if other != name})
        refused(saved | {name: array.astype(np.float16)})
        refused(saved | {name: array.reshape(1, *array.shape)})
        refused(saved | {name: np.concatenate([array, array])})
        refused(saved | {name: array[:-1]})
        for value in (np.nan, np.inf) if array.dtype.kind == "f" else (-2, 10**6):
            for at in (0, array.size // 2, array.size - 1):
                damaged = array.copy()
                damaged.flat[at] = value
                refused(saved | {name: damaged})


@each
def test_it_learns_a_curved_boundary(kind: type[Any]) -> None:
    rows = rings(1500)
    plane = np.column_stack([rows.Z, np.ones(1500)])
    weights = np.linalg.lstsq(plane, 2.0 * rows.y - 1.0, rcond=None)[0]  # the best plane in hindsight
    assert ((plane @ weights > 0.0) != rows.y).mean() > 0.4
    assert (errors(kind, rows, 300) < 0.15).all()


@each
def test_it_does_not_live_on_the_last_labels(kind: type[Any]) -> None:
    """Labels come in runs; shuffling within blocks of 50 rows removes most of them."""
    rows = runs(4000)
    assert np.abs(errors(kind, rows) - errors(kind, shuffled(rows))).max() < 0.015
