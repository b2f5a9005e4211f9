"""The arrays of a TrackerRegressor in model files, and the checks of such arrays."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, constant_state, counters, finite, of_shape, only, within
from driftline.engines.nonlinear.nearest import PLACES
from driftline.engines.tracker.regression.array_shapes import (
    fitted,
    linear_shapes,
    new_parts,
    view_shapes,
    voting_shapes,
)
from driftline.engines.tracker.regression.intervals import LARGEST
from driftline.engines.tracker.regression.saved_forest import checked_forest, trimmed_forest
from driftline.engines.tracker.regression.state import (
    COUNT,
    COUNTS,
    ERROR,
    ERRORS,
    HIGH,
    LOW,
    OWN,
    SCORED,
    SIDE,
    VARIANCE,
    Forest,
    Linear,
    Model,
    Neighbours,
    Voting,
)
from driftline.engines.tracker.state import FORGET, LATER, MEMBERS, ROUNDS, SCALES, SEEN, SLOTS, SPARSE, STD, Views
from driftline.engines.tracker.state import OWN as TRACKED
from driftline.engines.tracker.views import members_of
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import CLIP, DENSE_BANK, FULL_BANK, FULL_FEATURES, SPARSE_BANK
from driftline.rules.tracker.tracker_regressor import SCORES

FARTHEST = 1e16  # upper limit of a difference of targets


def arrays_of(own: Floats, views: Views, model: Model) -> Arrays:
    """All arrays by their names in model files; spare room is at the end of the last axis."""
    found = {"own": own, **views._asdict(), **model.linear._asdict(), **model.voting._asdict()}
    for prefix, part in (("steady", model.steady), ("moving", model.moving), ("near", model.neighbours)):
        found |= {f"{prefix}_{name}": array for name, array in part._asdict().items()}
    return found | {"near_ring": model.neighbours.ring.T}


def copied(views: Views, model: Model) -> tuple[Views, Model]:
    """Copies of all arrays."""
    parts = (type(part)(*(array.copy() for array in part)) for part in model)
    return Views(*(array.copy() for array in views)), Model(*parts)


def trimmed(own: Floats, views: Views, model: Model, features: int) -> Arrays:
    """All arrays without spare room, for a model file."""
    slots, members = int(own[SLOTS]), int(own[MEMBERS])
    views, model = fitted(members, views, model, features, slots, slots)
    filled, scored = min(int(own[ROUNDS]), PLACES), min(int(own[SCORED]), SCORES)
    ring, voting = model.neighbours, model.voting
    ring = Neighbours(ring.ring[:, :filled], ring.targets[:filled], ring.weights[:filled])
    voting = voting._replace(scores=voting.scores[:scored], ordered=voting.ordered[:scored])
    steady, moving = trimmed_forest(model.steady), trimmed_forest(model.moving)
    return arrays_of(own, views, Model(model.linear, steady, moving, ring, voting))


def checked(features: int, arrays: Arrays, due: Floats) -> tuple[Floats, Views, Model]:
    """The parts of a TrackerRegressor from a model file; ValueError if none can have them.

    ``due`` is the expected state, which is the same for all of them.
    """
    new_views, model = new_parts()
    only(arrays, "state", *arrays_of(np.zeros(0), new_views, model))
    constant_state(arrays, due)
    own = _checked_own(arrays, features)
    slots, members, rounds = int(own[SLOTS]), int(own[MEMBERS]), int(own[ROUNDS])
    views = _checked_views(arrays, members, features, slots)
    shapes = linear_shapes(members, slots, slots)
    linear = Linear(*(finite(name, of_shape(arrays, name, "float64", shapes[name])).copy() for name in Linear._fields))
    forests = model.steady, model.moving
    if members < DENSE_BANK:
        forests = tuple(Forest(*(array[:0] for array in one)) for one in forests)
    steady, moving = (
        checked_forest(one, prefix, arrays, slots, rounds)
        for one, prefix in zip(forests, ("steady", "moving"), strict=True)
    )
    ring = _checked_neighbours(arrays, slots, rounds, members >= DENSE_BANK)
    return own, views, Model(linear, steady, moving, ring, _checked_voting(arrays, own))


def _checked_own(arrays: Arrays, features: int) -> Floats:
    """The array ``own``."""
    own = finite("own", of_shape(arrays, "own", "float64", (OWN,)))
    counters("own", own[[*range(SCALES), SCORED]])
    unused = own[SEEN:TRACKED].any() or own[SPARSE] != SPARSE_BANK
    rest = own[[VARIANCE, COUNT, ERROR, ERRORS, HIGH, *range(COUNTS, SCORED)]]
    within("own", own[SIDE], -1.0, 1.0)
    if unused or (rest < 0.0).any() or own[LOW] > 0.0 or own[SCORED] > own[ROUNDS]:
        raise ValueError(f"own {own.tolist()}")
    slots, members, fresh = int(own[SLOTS]), int(own[MEMBERS]), own[ROUNDS] == 0.0
    possible = (SPARSE_BANK, members_of(FULL_BANK, slots, True, SPARSE_BANK))
    if slots > features or (fresh and (slots or members != FULL_BANK)) or members not in possible:
        raise ValueError(f"{members} experts and {slots} slots of {features} features after {own[ROUNDS]:g} rounds")
    return own.copy()


def _checked_views(arrays: Arrays, members: int, features: int, slots: int) -> Views:
    """The statistics of the views; each slot belongs to one feature."""
    shapes = view_shapes(members, features, slots, slots)
    found = {
        name: finite(name, of_shape(arrays, name, "uint32" if name == "slots" else "float64", shape)).copy()
        for name, shape in shapes.items()
    }
    given = found["slots"][found["slots"] > 0]
    if not np.array_equal(np.sort(given), np.arange(1, slots + 1)):
        raise ValueError("slots that do not belong to one feature each")
    if (found["highest"] < 0.0).any():
        raise ValueError("highest below 0")
    for at in (STD, FORGET, LATER):
        if (found["course"][at + 1 : at + 3] < 0.0).any():
            raise ValueError("variances or counts below 0")
    return Views(**found)


def _checked_neighbours(arrays: Arrays, slots: int, rounds: int, kept: bool) -> Neighbours:
    """The last rows, with room for 2,000."""
    filled = min(rounds, PLACES) if kept else 0
    room = min(slots, FULL_FEATURES) if kept else 0
    made = Neighbours(
        np.zeros((room, PLACES if kept else 0), np.float32), *(np.zeros(PLACES if kept else 0) for _ in range(2))
    )
    rows = of_shape(arrays, "near_ring", "float32", (filled, room))
    made.ring[:, :filled] = within("near_ring", rows, -CLIP, CLIP).T
    targets = of_shape(arrays, "near_targets", "float64", (filled,))
    made.targets[:filled] = within("near_targets", targets, -FARTHEST, FARTHEST)
    weights = of_shape(arrays, "near_weights", "float64", (filled,))
    made.weights[:filled] = within("near_weights", weights, np.finfo(np.float64).smallest_subnormal, FARTHEST)
    return made


def _checked_voting(arrays: Arrays, own: Floats) -> Voting:
    """Shares, stackers and the scores of the intervals."""
    scored, shapes = min(int(own[SCORED]), SCORES), voting_shapes()
    given = shapes | {"scores": (scored,), "ordered": (scored,)}
    found = {name: finite(name, of_shape(arrays, name, "float64", shape)) for name, shape in given.items()}
    within("shares", found["shares"], 0.0, 1.0)
    within("levels", found["levels"], -1.0, 2.0)
    within("scores", found["scores"], 0.0, LARGEST)
    if not found["shares"].any() or (found["squares"] < 0.0).any():
        raise ValueError("shares that are all 0, or squares below 0")
    if not np.array_equal(np.sort(found["scores"]), found["ordered"]):
        raise ValueError("ordered scores that are not the scores")
    voting = Voting(*(np.zeros(shape) for shape in shapes.values()))
    for name, array in voting._asdict().items():
        array[tuple(map(slice, found[name].shape))] = found[name]
    return voting
