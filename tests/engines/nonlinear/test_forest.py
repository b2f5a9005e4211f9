"""The forests: against the oracle, bits, growth, and what they learn."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from driftline.engines.nonlinear.forest import PREFIXES, Forest
from driftline.engines.nonlinear.forest_files import roomy
from driftline.engines.nonlinear.forest_rows import learn_rows
from driftline.engines.nonlinear.forest_state import (
    MOST_FEATURES,
    PLANS,
    RECORDS,
    STATIC,
    leaf_features,
    new_trees,
    new_workspace,
)
from driftline.engines.nonlinear.forest_tree import MOST_WEIGHT, leaf_size
from driftline.internals.compiled import Floats
from tests.oracles import forest as oracle
from tests.support.curved_streams import Curved, growing, in_runs, rings, shuffled_within_blocks
from tests.support.forest_runs import learned, same, scored
from tests.support.processes import printed


def errors(stream: Curved, classes: int = 2) -> Floats:
    wrong = learned(stream, classes)[1].argmax(axis=2) != stream.y[:, None]
    return np.array(wrong.mean(axis=0))


def test_shares_are_those_of_the_oracle() -> None:
    stream = growing(1250, 5, 3)
    _, scores = learned(stream, 3)
    for expert in range(Forest.experts):
        slow = oracle.Forest(expert)
        rows = zip(*(array.tolist() for array in stream), strict=True)
        for row, (z, known, y, w) in enumerate(rows):
            if row % 3 == 0 or row > 1150:
                np.testing.assert_allclose(scores[row, expert], slow.shares(z, 3), rtol=0.0, atol=1e-9)
            slow.learn(z, known, y, w)
        assert slow.learned > 800  # some trees have been replaced
        assert max(tree.nodes for trees in slow.members for tree in trees) > 10


def test_bits_do_not_depend_on_blocks_room_copies_or_files() -> None:
    stream, rng = growing(3000, 6, 4), np.random.default_rng(1)
    whole, scores = learned(stream, 4)
    forest, start = Forest(), 0
    while start < len(stream.y):
        part = stream.rows(slice(start, start + int(rng.integers(1, 120))))
        start += len(part.y)
        classes, features = int(stream.y[:start].max()) + 1, int(part.known.max())
        narrow = part._replace(Z=np.ascontiguousarray(part.Z[:, :features]))
        forest.make_room(features + int(rng.integers(0, 3)), classes + int(rng.integers(0, 2)))()
        made = np.empty((len(part.y), Forest.experts, classes))
        forest.learn(*narrow, made)
        seen = scores[start - len(part.y) : start, :, :classes]
        started = stream.w[: start - len(part.y)].any()  # before, the shares are those of 1 / classes
        assert made.tobytes() == np.ascontiguousarray(seen).tobytes() or not started
        if rng.random() < 0.2:
            forest = deepcopy(forest)
        if rng.random() < 0.2:
            other = Forest()
            other.restore(features, classes, forest.saved())
            forest = other
    same(forest, whole)


def test_score_is_what_learn_writes_and_changes_nothing() -> None:
    stream = rings(900, 3, 3, 0.1)
    forest, _ = learned(stream, 3)
    before = {name: array.copy() for name, array in forest.arrays().items()}
    scores = scored(forest, stream, 3)
    silent = np.empty_like(scores)
    forest.learn(*stream._replace(w=np.zeros(len(stream.y))), silent)
    for name, array in forest.arrays().items():
        assert array.tobytes() == before[name].tobytes(), name
    assert scores.tobytes() == silent.tobytes()
    for row in (0, 1):
        one = stream.rows(slice(row, row + 1))
        assert learned(one, 3, deepcopy(forest))[1].tobytes() == scores[row : row + 1].tobytes()


def test_shares() -> None:
    stream = rings(600, 2, 2)
    assert np.array_equal(scored(_with_room(2, 5), stream, 5), np.full((600, 2, 5), 0.2))
    _, scores = learned(stream, 5)
    assert (scores >= 0.0).all()
    np.testing.assert_allclose(scores.sum(axis=2), 1.0, rtol=0.0, atol=1e-12)
    assert (scores[50:, :, 2:] == 0.0).all()  # classes that were never seen


def _with_room(features: int, classes: int) -> Forest:
    forest = Forest()
    forest.make_room(features, classes)()
    return forest


def test_room_is_put_in_place_by_the_returned_function() -> None:
    forest, _ = learned(rings(200, 2, 2), 2)
    before = forest.forests
    place = forest.make_room(9, 4)
    assert forest.forests is before
    place()
    assert forest.forests is not before and forest.forests[0].subset.shape[2] == leaf_features(9)
    with pytest.raises(ValueError, match="features must be <= 128, got 129"):
        forest.make_room(MOST_FEATURES + 1, 2)


def test_number_of_features_of_a_leaf() -> None:
    for d in range(MOST_FEATURES + 1):
        assert leaf_features(d) == leaf_size(d) == min(d, int(2.0 * (np.sqrt(d) + 1.0)))


def test_a_heavier_row_counts_more() -> None:
    stream = rings(400, 2, 2, noise=1.0)  # no feature tells anything
    heavy = stream._replace(w=np.where(stream.y == 1, 20.0, 0.05))
    assert (scored(learned(heavy, 2)[0], stream, 2)[..., 1] > 0.9).mean() > 0.9
    huge, capped = (learned(stream._replace(w=np.full(400, w)), 2)[0] for w in (1e300, MOST_WEIGHT))
    same(huge, capped)


def test_memory_is_bounded() -> None:
    forest = _with_room(MOST_FEATURES, 5000)
    arrays = forest.arrays()
    for prefix in PREFIXES:
        assert sum(array.nbytes for name, array in arrays.items() if name.startswith(prefix)) < 32e6
    assert sum(array.nbytes for array in forest.workspace) <= 56 * 5000 + 16 * MOST_FEATURES


def test_a_tree_without_room_for_records_learns_on() -> None:
    """Four records a tree: no leaf of a full tree learns a class that is new to it."""
    plan, stream = STATIC._replace(records=4), rings(2000, 2, 6, 0.1)
    trees, work = roomy(new_trees(plan), plan, 2, 6), new_workspace(2, 6)
    scores = np.empty((2000, 1, 6))
    learn_rows(trees, plan, *stream, work, scores)
    assert (trees.used[:, RECORDS] == 4).all()
    assert trees.link.shape[1] == 4
    np.testing.assert_allclose(scores.sum(axis=2), 1.0, rtol=0.0, atol=1e-12)


def test_a_curved_boundary() -> None:
    stream = rings(6000, 2, 2)
    A = np.column_stack([stream.Z, np.ones(6000)])
    linear = A @ np.linalg.lstsq(A, 2.0 * stream.y - 1.0, rcond=None)[0] > 0.0
    assert np.mean(linear != stream.y) > 0.4
    assert (errors(stream) < 0.1).all()


def test_only_replaced_trees_follow_a_new_concept() -> None:
    """The labels are exchanged after half of the rows."""
    stream = rings(24000, 2, 2)
    stream = stream._replace(y=np.where(np.arange(24000) < 12000, stream.y, 1 - stream.y))
    _, scores = learned(stream, 2)
    wrong = np.mean(scores[20000:].argmax(axis=2) != stream.y[20000:, None], axis=0)
    assert wrong[1] < 0.1 and wrong[1] < 0.7 * wrong[0]


def test_no_expert_lives_on_the_last_labels() -> None:
    """Labels come in runs of 20 on average; the order within blocks of 50 does not matter."""
    stream = in_runs(8000, stays=0.95)
    mixed = shuffled_within_blocks(stream, 50)
    repeated, repeated_mixed = (np.mean(one.y[1:] != one.y[:-1]) for one in (stream, mixed))
    assert repeated < 0.1 and repeated_mixed > 0.25  # the last label tells much, unless shuffled
    given, shuffled = errors(stream), errors(mixed)
    assert (np.abs(given - shuffled) < 0.015).all(), (given, shuffled)
    assert (given < 0.25).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_contributions_add_up_to_the_shares(classes: int) -> None:
    stream = rings(3000, 5, classes, 0.1)
    empty = _with_room(5, classes).attribute(stream.Z[0], 5)
    assert np.array_equal(empty[..., 0], np.full((2, classes), 1.0 / classes)) and not empty[..., 1:].any()
    forest, _ = learned(stream, classes)
    assert any((trees.tally[..., 3] > trees.tally[..., 2]).any() for trees in forest.forests)  # naive Bayes is in use
    scores, sizes = scored(forest, stream, classes), np.zeros(6)
    for row in range(40):
        found = forest.attribute(stream.Z[row], 5)
        assert found.shape == (2, classes, 6)
        np.testing.assert_allclose(found.sum(axis=2), scores[row], rtol=0.0, atol=1e-12)
        sizes += np.abs(found).sum(axis=(0, 1))
    assert sizes[1:3].min() > 2.0 * sizes[3:].max()  # only two features matter


INTERPRETED = """
import numpy as np
from tests.engines.nonlinear.test_forest import learned
from tests.support.curved_streams import rings
print(learned(rings(80, 3, 3), 3)[1].tobytes().hex())
"""


def test_interpreted_code_gives_the_same_shares() -> None:
    slow = np.frombuffer(bytes.fromhex(printed(INTERPRETED, NUMBA_DISABLE_JIT="1").strip()))
    fast = learned(rings(80, 3, 3), 3)[1]
    np.testing.assert_allclose(slow.reshape(fast.shape), fast, rtol=0.0, atol=1e-12)


def test_names() -> None:
    assert len(Forest.names) == Forest.experts == len(PLANS)
