"""All experts of a TrackerRegressor: their predictions on a row, and how they learn it."""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.nearest import PLACES, nearest, push
from driftline.engines.tracker.regression.linear_experts import (
    predicted,
    score_columns,
    train_columns,
    train_regression,
)
from driftline.engines.tracker.regression.state import (
    ADDED_TO_TREES,
    COUNT,
    COUNTS,
    HIGH,
    LOW,
    MAX_AT,
    MAX_SQUARES_AT,
    MEAN,
    MEANS,
    NEAREST_AT,
    QUAD_AT,
    QUAD_SQUARES_AT,
    SIDE,
    STD_AT,
    STD_SQUARES_AT,
    TREES_AT,
    VARIANCE,
    Linear,
    Model,
    Neighbours,
    Scratch,
)
from driftline.engines.tracker.regression.trees import learn_forest, score_forest
from driftline.engines.tracker.state import MAX_VIEW, ROUNDS, SLOTS, STD_VIEW, Workspace, Z, block_of
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import DENSE_BANK, FULL_BANK, WARM, WIDE_BANK, WINSOR
from driftline.rules.tracker.tracker_regressor import (
    MAX_DRIFT,
    MAX_FORGETTING,
    MAX_SQUARES,
    QUAD_DRIFT,
    QUAD_FORGETTING,
    QUAD_SQUARES,
    STAYS_OF_MEANS,
    STD_DRIFT,
    STD_FORGETTING,
    STD_SQUARES,
    TARGET_STAYS,
)

CLOSEST = 1e-3  # added to every distance


@jit
def score_neighbours(own: Floats, ring: Neighbours, scratch: Scratch, z: Floats) -> None:
    """Write the weighted means of the nearest rows among the last 500 and 2,000.

    Sample weights are divided by the largest one first, so that no sum overflows.
    """
    found, distances = scratch.found, scratch.distances
    features = int(own[SLOTS])
    size = nearest(ring.ring, scratch.ones, int(own[ROUNDS]), z, features, scratch.near, found, distances)
    for window in range(2):
        heaviest, total, weights = 0.0, 0.0, 0.0
        for k in range(size):
            heaviest = max(heaviest, ring.weights[found[window, k]])
        for k in range(size):
            place = found[window, k]
            weight = ring.weights[place] / heaviest / (distances[window, k] + CLOSEST)
            total += weight * ring.targets[place]
            weights += weight
        scratch.scores[NEAREST_AT + window] = total / weights if size > 0 else 0.0


@jit
def score_experts(
    own: Floats, model: Model, workspace: Workspace, scratch: Scratch, members: int, entries: int
) -> None:
    """Write the predictions of all experts, given the views of a row in the workspace.

    ``entries`` is the number of entries of a sparse view.
    """
    linear, scores, rows = model.linear, scratch.scores, workspace.rows
    for k in range(len(STAYS_OF_MEANS)):
        scores[k] = own[MEANS + k]
    if members < WIDE_BANK:
        scratch.squares[0] = score_columns(
            linear.max, True, workspace.places, workspace.entries[0], entries, scores, MAX_AT
        )
        return
    n, std, scaled = int(own[SLOTS]) + 1, rows[Z + STD_VIEW], rows[Z + MAX_VIEW]
    scratch.squares[0] = score_columns(linear.max, False, workspace.places, scaled, n, scores, MAX_AT)
    scratch.squares[1] = score_columns(linear.std, False, workspace.places, std, n, scores, STD_AT)
    if members < DENSE_BANK:
        return
    for e in range(STD_SQUARES):
        scores[STD_SQUARES_AT + e] = predicted(linear.std_weights[e], std, n)
    for e in range(MAX_SQUARES):
        scores[MAX_SQUARES_AT + e] = predicted(linear.max_weights[e], scaled, n)
    scores[TREES_AT] = score_forest(model.steady, std, own[VARIANCE])
    scores[TREES_AT + 1] = scores[ADDED_TO_TREES] + score_forest(model.moving, std, own[VARIANCE])
    score_neighbours(own, model.neighbours, scratch, std[1:])
    if members < FULL_BANK:
        return
    size, quad = block_of(n - 1) + 1, workspace.pair[1]
    scratch.squares[2] = score_columns(linear.quad, False, workspace.places, quad, size, scores, QUAD_AT)
    for e in range(QUAD_SQUARES):
        scores[QUAD_SQUARES_AT + e] = predicted(linear.quad_weights[e], quad, size)


@jit
def train_linear(
    own: Floats, linear: Linear, workspace: Workspace, scratch: Scratch, members: int, u: float, weight: float
) -> None:
    """Update columns and least squares on dense views with the target u."""
    scores, rows, squares, places, h = scratch.scores, workspace.rows, scratch.squares, workspace.places, scratch.h
    n, std, scaled, deviation = int(own[SLOTS]) + 1, rows[Z + STD_VIEW], rows[Z + MAX_VIEW], np.sqrt(own[VARIANCE])
    train_columns(linear.max, False, places, scaled, n, squares[0], u, deviation, weight, scores, MAX_AT)
    train_columns(linear.std, False, places, std, n, squares[1], u, deviation, weight, scores, STD_AT)
    if members < DENSE_BANK:
        return
    for e in range(STD_SQUARES):
        w, P, residual = linear.std_weights[e], linear.std_factors[e], u - scores[STD_SQUARES_AT + e]
        train_regression(w, P, std, n, squares[1], residual, weight, STD_FORGETTING[e], STD_DRIFT[e], h)
    for e in range(MAX_SQUARES):
        w, P, residual = linear.max_weights[e], linear.max_factors[e], u - scores[MAX_SQUARES_AT + e]
        train_regression(w, P, scaled, n, squares[0], residual, weight, MAX_FORGETTING[e], MAX_DRIFT[e], h)
    if members < FULL_BANK:
        return
    size, quad = block_of(n - 1) + 1, workspace.pair[1]
    train_columns(linear.quad, False, places, quad, size, squares[2], u, deviation, weight, scores, QUAD_AT)
    for e in range(QUAD_SQUARES):
        w, P, residual = linear.quad_weights[e], linear.quad_factors[e], u - scores[QUAD_SQUARES_AT + e]
        train_regression(w, P, quad, size, squares[2], residual, weight, QUAD_FORGETTING[e], QUAD_DRIFT[e], h)


@jit
def train_experts(
    own: Floats,
    model: Model,
    workspace: Workspace,
    scratch: Scratch,
    members: int,
    entries: int,
    u: float,
    weight: float,
) -> None:
    """Update all experts with the target u of the row in the workspace; see ``winsorised``."""
    u = winsorised(own, u)
    if members < WIDE_BANK:
        z, square = workspace.entries[0], scratch.squares[0]
        deviation, places = np.sqrt(own[VARIANCE]), workspace.places
        train_columns(model.linear.max, True, places, z, entries, square, u, deviation, weight, scratch.scores, MAX_AT)
    else:
        train_linear(own, model.linear, workspace, scratch, members, u, weight)
    if members >= DENSE_BANK:
        features, rounds, std = int(own[SLOTS]), int(own[ROUNDS]), workspace.rows[Z + STD_VIEW]
        learn_forest(model.steady, std, u, weight, features, rounds)
        learn_forest(model.moving, std, u - scratch.scores[ADDED_TO_TREES], weight, features, rounds)
        ring = model.neighbours
        push(ring.ring, rounds, std[1:], features)
        ring.targets[rounds % PLACES] = u
        ring.weights[rounds % PLACES] = weight
    keep_targets(own, u, weight)


@jit
def winsorised(own: Floats, u: float) -> float:
    """A target, moved to WINSOR deviations from the mean of earlier ones if it is an outlier.

    It is none if the last target was beyond this limit too, on the same side. The first targets
    are left alone.
    """
    most, move, before = WINSOR * np.sqrt(own[VARIANCE]), u - own[MEAN], own[SIDE]
    own[SIDE] = 0.0
    if own[COUNT] < WARM or most == 0.0 or abs(move) <= most:
        return u
    own[SIDE] = 1.0 if move > 0.0 else -1.0
    return u if own[SIDE] == before else own[MEAN] + own[SIDE] * most


@jit
def keep_targets(own: Floats, u: float, weight: float) -> None:
    """Update the means, the deviation and the range of the targets."""
    for k in range(len(STAYS_OF_MEANS)):
        own[COUNTS + k] = STAYS_OF_MEANS[k] * own[COUNTS + k] + weight
        own[MEANS + k] += (u - own[MEANS + k]) * (weight / own[COUNTS + k])
    own[COUNT] = TARGET_STAYS * own[COUNT] + 1.0
    share, move = 1.0 / own[COUNT], u - own[MEAN]
    own[MEAN] += share * move
    own[VARIANCE] = (1.0 - share) * (own[VARIANCE] + share * move * move)
    own[LOW] = min(own[LOW], u)
    own[HIGH] = max(own[HIGH], u)
