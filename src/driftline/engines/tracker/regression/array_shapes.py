"""The shapes of the arrays of a TrackerRegressor: with spare room and without it."""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.nearest import NEAREST, PLACES
from driftline.engines.tracker.array_shapes import Shapes, resized
from driftline.engines.tracker.array_shapes import shapes_of as shapes_of_views
from driftline.engines.tracker.regression.state import (
    EXPERTS,
    LINE,
    STACKERS,
    VOTERS,
    Forest,
    Linear,
    Model,
    Neighbours,
    Scratch,
    Voting,
)
from driftline.engines.tracker.regression.trees import new_forest
from driftline.engines.tracker.regression.voting import begin
from driftline.engines.tracker.state import MEMBERS, PAIRS, Views, triangle
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import ALPHAS, DENSE_BANK, FULL_BANK, FULL_FEATURES, WIDE_BANK
from driftline.rules.tracker.tracker_regressor import (
    CONSTANT_VARIANCE,
    COVERAGES,
    MAX_SQUARES,
    QUAD_SQUARES,
    SCORES,
    STD_SQUARES,
)


def linear_shapes(members: int, slots: int, dense: int) -> Shapes:
    """Shapes of the arrays of ``Linear`` for these slots, and slots in dense views."""
    full = min(dense, FULL_FEATURES) + 1 if members >= DENSE_BANK else 0
    quad = PAIRS + 1 if members == FULL_BANK else 0
    return {
        "max": (LINE * (slots + 1),),
        "std": (LINE * (dense + 1) if members >= WIDE_BANK else 0,),
        "quad": (LINE * quad,),
        "std_weights": (STD_SQUARES, full),
        "std_factors": (STD_SQUARES, triangle(full)),
        "max_weights": (MAX_SQUARES, full),
        "max_factors": (MAX_SQUARES, triangle(full)),
        "quad_weights": (QUAD_SQUARES, quad),
        "quad_factors": (QUAD_SQUARES, triangle(quad)),
    }


def view_shapes(members: int, features: int, slots: int, dense: int) -> Shapes:
    """Shapes of the arrays of ``Views``."""
    shapes = shapes_of_views(members, features, slots, dense, 0)
    return {name: shapes[name] for name in Views._fields}


def voting_shapes() -> Shapes:
    """Shapes of the arrays of ``Voting``."""
    return {
        "shares": (len(ALPHAS), VOTERS),
        "stack": (STACKERS, EXPERTS),
        "spread": (STACKERS, triangle(EXPERTS)),
        "squares": (VOTERS,),
        "levels": (len(COVERAGES),),
        "scores": (SCORES,),
        "ordered": (SCORES,),
    }


def new_parts() -> tuple[Views, Model]:
    """The arrays before the first round."""
    shapes = view_shapes(FULL_BANK, 0, 0, 0)
    views = Views(np.zeros(0, np.uint32), *(np.zeros(shapes[name]) for name in Views._fields[1:]))
    linear = Linear(*(np.zeros(shape) for shape in linear_shapes(FULL_BANK, 0, 0).values()))
    for factors in (linear.std_factors, linear.max_factors, linear.quad_factors):
        factors[:, 0] = CONSTANT_VARIANCE
    voting = Voting(*(np.zeros(shape) for shape in voting_shapes().values()))
    begin(voting, EXPERTS)
    voting.levels[:] = 1.0 - np.array(COVERAGES)
    ring = Neighbours(np.zeros((0, PLACES), np.float32), np.zeros(PLACES), np.zeros(PLACES))
    return views, Model(linear, new_forest(0), new_forest(1), ring, voting)


def new_scratch(dense: int) -> Scratch:
    """A workspace for views of ``dense`` slots."""
    return Scratch(
        scores=np.zeros(EXPERTS),
        votes=np.zeros(VOTERS),
        features=np.zeros(EXPERTS + 1),
        stacked=np.zeros(STACKERS),
        squares=np.zeros(3),
        shares=np.zeros((len(ALPHAS), VOTERS)),
        h=np.zeros(max(min(dense, FULL_FEATURES), PAIRS, EXPERTS) + 1),
        distances=np.zeros((2, NEAREST)),
        found=np.zeros((2, NEAREST), np.int64),
        near=np.zeros(PLACES, np.float32),
        ones=np.ones(min(dense, FULL_FEATURES), np.float32),
    )


def with_slots(ring: np.ndarray, slots: int) -> np.ndarray:
    """The ring with this number of slots; the new ones are 0 in every row."""
    if len(ring) == slots:
        return ring
    made = np.zeros((slots, ring.shape[1]), ring.dtype)
    size = min(len(ring), slots)
    made[:size] = ring[:size]
    return made


def fitted(members: int, views: Views, model: Model, features: int, slots: int, dense: int) -> tuple[Views, Model]:
    """All arrays resized for these features, slots, and slots in dense views.

    Arrays of removed experts become empty.
    """
    shapes = view_shapes(members, features, slots, dense)
    views = Views(*(resized(array, shapes[name]) for name, array in views._asdict().items()))
    shapes = linear_shapes(members, slots, dense)
    linear = Linear(*(resized(array, shapes[name]) for name, array in model.linear._asdict().items()))
    ring, steady, moving = model.neighbours, model.steady, model.moving
    if members >= DENSE_BANK:
        ring = ring._replace(ring=with_slots(ring.ring, min(dense, FULL_FEATURES)))
    else:
        ring = Neighbours(np.zeros((0, 0), np.float32), np.zeros(0), np.zeros(0))
        steady, moving = (Forest(*(array[:0].copy() for array in one)) for one in (steady, moving))
    return views, model._replace(linear=linear, steady=steady, moving=moving, neighbours=ring)


def roomy(own: Floats, views: Views, model: Model, features: int, dense: int) -> tuple[Views, Model]:
    """All arrays with room for these features, and for ``dense`` slots in dense views."""
    known, slots = views.slots.size, views.course.shape[1]
    if known >= features and views.highest.size >= known and slots >= dense:
        return views, model
    known = known if known >= features else max(features, 2 * known)
    slots = slots if slots >= dense else max(dense, 2 * slots)
    return fitted(int(own[MEMBERS]), views, model, known, known, slots)


def shed(own: Floats, views: Views, model: Model) -> tuple[Views, Model]:
    """All arrays without those of removed experts."""
    members, linear = int(own[MEMBERS]), model.linear
    done = members == FULL_BANK or (linear.quad.size == 0 and (members >= DENSE_BANK or not linear.std_weights.size))
    if done and (members >= WIDE_BANK or linear.std.size == 0):
        return views, model
    return fitted(members, views, model, views.slots.size, views.highest.size, views.course.shape[1])
