"""Model files of forests: what is refused, and that nothing else can harm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from driftline.engines.array_checks import Arrays
from driftline.engines.nonlinear.forest import PREFIXES, Forest
from driftline.engines.nonlinear.forest_state import CLASS, DEPTH, HEAD, HIGH, LOW, NEXT, NODES, NONE, RECORDS, SIZE
from tests.support.curved_streams import rings
from tests.support.forest_runs import learned, same, scored

D, CLASSES = 5, 3
STREAM = rings(1500, D, CLASSES, 0.1)
Damage = Callable[[Arrays, str], None]


@pytest.fixture(scope="module")
def forest() -> Forest:
    return learned(STREAM, CLASSES)[0]


def restored(arrays: Arrays) -> Forest:
    made = Forest()
    made.restore(D, CLASSES, arrays)
    return made


def test_a_restored_forest_learns_on_with_the_same_bits(forest: Forest) -> None:
    made = restored(forest.saved())
    same(made, forest)
    more = rings(300, D, CLASSES, 0.1, seed=1)
    assert scored(made, more, CLASSES).tobytes() == scored(forest, more, CLASSES).tobytes()
    other = restored(forest.saved())
    a, b = (learned(more, CLASSES, one) for one in (made, other))
    assert a[1].tobytes() == b[1].tobytes()


def test_a_new_forest_can_be_restored() -> None:
    made = Forest()
    made.restore(0, 0, Forest().saved())
    same(made, Forest())
    same(learned(STREAM, CLASSES, made)[0], learned(STREAM, CLASSES)[0])


def test_files_have_no_spare_room_and_plain_dtypes(forest: Forest) -> None:
    roomy = restored(forest.saved())
    roomy.make_room(40, 9)()
    assert sum(array.nbytes for array in roomy.arrays().values()) > sum(a.nbytes for a in forest.arrays().values())
    same(roomy, forest)
    assert {array.dtype.name for array in forest.saved().values()} == {"int32", "int64", "float64"}


def test_names_dtypes_shapes_and_numbers_that_are_not_finite(forest: Forest) -> None:
    for name, array in forest.saved().items():
        arrays = forest.saved()
        del arrays[name]
        with pytest.raises(ValueError, match="arrays"):
            restored(arrays)
        for wrong in (array.astype("float32"), array[:-1], np.concatenate([array, array]), array[..., None]):
            with pytest.raises(ValueError, match="of shape"):
                restored(forest.saved() | {name: wrong})
        if array.dtype == np.float64:
            for bad in (np.nan, np.inf, -1e300):
                wrong = array.copy()
                wrong.flat[0] = bad
                with pytest.raises(ValueError, match=r"finite|outside"):
                    restored(forest.saved() | {name: wrong})
    with pytest.raises(ValueError, match="arrays"):
        restored(forest.saved() | {"other": np.zeros(1)})


def put(field: str, index: tuple[int, ...], value: int) -> Damage:
    def damage(arrays: Arrays, prefix: str) -> None:
        arrays[f"{prefix}_{field}"][index] = value

    return damage


def a_cycle_of_nodes(arrays: Arrays, prefix: str) -> None:
    """The left child of an inner node is the root."""
    node = int(np.flatnonzero(arrays[f"{prefix}_feature"][0] != NONE)[1])
    arrays[f"{prefix}_child"][0, node] = 0


def a_cycle_beside_the_tree(arrays: Arrays, prefix: str) -> None:
    """A child of the root is a child of itself; every node still has one parent."""
    child, inner = arrays[f"{prefix}_child"][0], np.flatnonzero(arrays[f"{prefix}_feature"][0] != NONE)
    node = int(next(node for node in inner if node in (child[0], child[0] + 1)))
    child[[0, node]] = child[[node, 0]]


def a_node_with_two_parents(arrays: Arrays, prefix: str) -> None:
    inner = np.flatnonzero(arrays[f"{prefix}_feature"][0] != NONE)
    arrays[f"{prefix}_child"][0, inner[0]] = arrays[f"{prefix}_child"][0, inner[1]]


def a_leaf_of_two_nodes(arrays: Arrays, prefix: str) -> None:
    ends = np.flatnonzero(arrays[f"{prefix}_feature"][0, : arrays[f"{prefix}_used"][0, NODES]] == NONE)
    arrays[f"{prefix}_child"][0, ends[0]] = arrays[f"{prefix}_child"][0, ends[1]]


def a_cycle_of_records(arrays: Arrays, prefix: str) -> None:
    following = arrays[f"{prefix}_link"][0, :, NEXT]
    record = int(np.flatnonzero(following > 0)[0])
    following[following[record]] = record


def a_cycle_in_no_leaf(arrays: Arrays, prefix: str) -> None:
    """The last record of a leaf leads to the first, and the leaf to none."""
    leaf, following = arrays[f"{prefix}_leaf"][0], arrays[f"{prefix}_link"][0, :, NEXT]
    last = head = int(leaf[0, HEAD])
    while following[last] != NONE:
        last = int(following[last])
    following[last], leaf[0, HEAD] = head, NONE


def a_record_of_two_leaves(arrays: Arrays, prefix: str) -> None:
    arrays[f"{prefix}_leaf"][0, 0, HEAD] = arrays[f"{prefix}_leaf"][0, 1, HEAD]


def a_class_twice(arrays: Arrays, prefix: str) -> None:
    link = arrays[f"{prefix}_link"][0]
    record = int(np.flatnonzero(link[:, NEXT] > 0)[0])
    link[record, CLASS] = link[link[record, NEXT], CLASS]


def a_feature_twice(arrays: Arrays, prefix: str) -> None:
    arrays[f"{prefix}_subset"][0, 0, 0] = arrays[f"{prefix}_subset"][0, 0, 1]


def another_depth(arrays: Arrays, prefix: str) -> None:
    arrays[f"{prefix}_leaf"][0, 0, DEPTH] += 1


def a_span_that_ends_before_it_starts(arrays: Arrays, prefix: str) -> None:
    spans = arrays[f"{prefix}_spans"]
    spans[0, 0, LOW] = spans[0, 0, HIGH] + 0.1


DAMAGES: list[tuple[Damage, str]] = [
    (put("feature", (0, 0), D), "features of nodes outside"),
    (put("feature", (0, 0), -2), "features of nodes outside"),
    (put("subset", (0, 0, 0), D), "features of leaves outside"),
    (put("subset", (0, 0, 0), -1), "features of leaves outside"),
    (put("link", (0, 0, CLASS), CLASSES), "classes outside"),
    (put("link", (0, 0, CLASS), -1), "classes outside"),
    (put("link", (0, 0, NEXT), 10**6), "records that do not belong"),
    (put("link", (0, 0, NEXT), -2), "records that do not belong"),
    (put("leaf", (0, 0, HEAD), 10**6), "records that do not belong"),
    (put("leaf", (0, 0, HEAD), -2), "records that do not belong"),
    (put("leaf", (0, 0, SIZE), D + 1), "sizes of leaves outside"),
    (put("leaf", (0, 0, SIZE), -1), "sizes of leaves outside"),
    (put("leaf", (0, 0, DEPTH), 20), "depths outside"),
    (put("child", (0, 0), 10**6), "no tree"),
    (put("used", (0, NODES), 0), "numbers of nodes"),
    (put("used", (0, NODES), 257), "numbers of nodes"),
    (put("used", (0, RECORDS), 8193), "numbers of nodes or records"),
    (put("used", (0, RECORDS), -1), "used outside"),
    (put("active", (0,), 2), "active outside"),
    (put("active", (0,), -1), "active outside"),
    (put("learned", (0,), -1), "learned outside"),
    (put("learned", (0,), 1), "different numbers of rows"),
    (a_cycle_of_nodes, "no tree"),
    (a_cycle_beside_the_tree, "no tree"),
    (a_node_with_two_parents, "no tree"),
    (a_leaf_of_two_nodes, "leaves that do not belong"),
    (a_cycle_of_records, "records that do not belong"),
    (a_cycle_in_no_leaf, "records that do not belong"),
    (a_record_of_two_leaves, "records that do not belong"),
    (a_class_twice, "the same class twice"),
    (a_feature_twice, "the same feature twice"),
    (another_depth, "depths that are not"),
    (a_span_that_ends_before_it_starts, "spans that end"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_indices_that_no_forest_can_have(forest: Forest, damage: Damage, message: str) -> None:
    for prefix in PREFIXES:
        made, arrays = restored(forest.saved()), forest.saved()
        damage(arrays, prefix)
        with pytest.raises(ValueError, match=message):
            made.restore(D, CLASSES, arrays)
        same(made, forest)  # a refused file changes nothing


def test_any_changed_number_is_refused_or_harmless(forest: Forest) -> None:
    """``make bounds`` checks every index of the forests that are loaded."""
    rng, refused = np.random.default_rng(0), 0
    more = rings(40, D, CLASSES, seed=2)
    for _ in range(150):
        arrays = forest.saved()
        array = arrays[rng.choice(list(arrays))]
        place = int(rng.integers(array.size))
        array.flat[place] = rng.choice([-1, 0, 1, array.flat[place] + 1, array.flat[place] - 1, 7, 300])
        try:
            made = restored(arrays)
        except ValueError:
            refused += 1
            continue
        _, scores = learned(more, CLASSES, made)
        assert np.isfinite(scores).all()
        np.testing.assert_allclose(scores.sum(axis=2), 1.0, rtol=0.0, atol=1e-9)
    assert 30 < refused < 150


def test_too_many_features() -> None:
    with pytest.raises(ValueError, match="expected at most 128"):
        Forest().restore(129, 2, Forest().saved())
