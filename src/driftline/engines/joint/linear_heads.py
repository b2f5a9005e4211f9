"""The linear experts of the strong bank: one head per class on views that all heads share.

With two labels there is one head, and its scores are those of the class 1. From the third label on
there is a head for each class against the others. The rules, views and numbers of experts are
those of the light bank. The heads share the matrix P of each full AROW:

    h = P z,  b = 1 / (z.h + r / c);  each head k with m_k = y_k w_k.z < 1:  w_k += (1 - m_k) b y_k h;
    if any head moved:  P = (P - b h h^T) / gamma

With one head this is AROW. A head that starts late has not learned the rows before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.joint.multinomial_bayes import (
    MULTINOMIAL,
    score_multinomial,
    train_multinomial,
    write_unit_values,
)
from driftline.engines.tracker.experts import dot, downdate, score_columns, score_entries, times, train_columns
from driftline.engines.tracker.rounds import FORGET_AT, MAX_AROW, QUAD_AROW, QUAD_AT, STD_AROW, STD_AT
from driftline.engines.tracker.sparse_experts import score_sparse_experts, train_sparse_experts
from driftline.engines.tracker.state import (
    FORGET_VIEW,
    MAX_VIEW,
    MEMBERS,
    MISSING,
    QUAD_VIEW,
    ROUNDS,
    SCALES,
    SEEN,
    SINCE,
    SLOTS,
    SPARSE,
    STD_VIEW,
    H,
    Views,
    Workspace,
    Z,
    block_of,
)
from driftline.engines.tracker.views import count_new, keep_maxima, keep_moments, look_dense, look_sparse, members_of
from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.rules.tracker.tracker import (
    DENSE_BANK,
    DENSE_FEATURES,
    FULL_BANK,
    FULL_GAMMA,
    FULL_R,
    MOST_VARIANCE,
    SPARSE_BANK,
    VALUES_BANK,
    WIDE_BANK,
)

SPREADS = 8  # numbers z.P z of the diagonal AROW of a head


class Heads(NamedTuple):
    """The experts of all heads; every array but the factors has a row for each head.

    ``own`` has the scale of NORMA in each view and the totals of naive Bayes, at the indices of the
    array ``own`` of the light bank. ``max`` to ``sparse_lines`` are those of the light bank,
    ``value_sums`` has the two sums of each place for the multinomial naive Bayes.
    ``scores`` and ``spreads`` are overwritten in every round.
    """

    own: Floats
    max: Floats
    std: Floats
    forget: Floats
    quad: Floats
    means: Floats
    quad_means: Floats
    sparse_lines: Floats
    value_sums: Floats
    factors: Floats
    quad_factors: Floats
    scores: Floats
    spreads: Floats


@jit
def admit(own: Floats, views: Views, dense: bool, indices: Indices) -> None:
    """Assign slots to the new features of a row, and find which experts are left."""
    new = count_new(views.slots, indices)
    if new == 0 and own[ROUNDS] > 0.0 and (dense or own[SLOTS] <= DENSE_FEATURES or own[MEMBERS] < WIDE_BANK):
        return
    slot = int(own[SLOTS])
    members = members_of(int(own[MEMBERS]), slot + new, dense, int(own[SPARSE]))
    own[MEMBERS] = members
    own[SLOTS] += new
    for j in range(indices.size):
        k = indices[j]
        if views.slots[k] == 0:
            views.slots[k] = slot + 1
            if members >= WIDE_BANK:
                views.course[SINCE, slot] = own[ROUNDS]
            slot += 1


@jit
def look(
    own: Floats,
    views: Views,
    heads: Heads,
    workspace: Workspace,
    classes: int,
    members: int,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[int, int]:
    """Write views and scores of a row: ``heads.scores`` has a row for each of ``classes`` heads.

    Return the number of entries of a sparse view and the number of missing values.
    """
    rows = workspace.rows
    n = int(own[SLOTS]) + 1
    if members < WIDE_BANK:
        entries, missing = look_sparse(own, views, workspace, indices, values)
        places, z, units = workspace.places, workspace.entries[0], workspace.entries[2]
        knows = own[MEMBERS] == VALUES_BANK
        if knows:
            write_unit_values(views.slots, indices, values, units)
        for k in range(classes):
            scale = heads.own[k, SCALES + MAX_VIEW]
            score_entries(heads.max[k], places, z, entries, scale, heads.scores[k], heads.spreads[k])
            if knows:
                lines = heads.sparse_lines[k]
                score_sparse_experts(heads.own[k], lines, places, z, entries, heads.scores[k], heads.spreads[k])
                heads.scores[k, MULTINOMIAL] = score_multinomial(
                    heads.own[k, SEEN], heads.value_sums[k], places, units, entries
                )
            else:
                heads.scores[k, SPARSE_BANK:VALUES_BANK] = 0.0  # these experts have learned nothing yet
        return entries, missing
    missing = look_dense(own, views, workspace, members, dense, indices, values)
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    size, zquad = block_of(n - 1) + 1, workspace.pair[1]
    for k in range(classes):
        scores, spreads, scales = heads.scores[k], heads.spreads[k], heads.own[k, SCALES:]
        score_columns(heads.max[k], zmax, n, scales[MAX_VIEW], scores, spreads)
        score_columns(heads.std[k], zstd, n, scales[STD_VIEW], scores[STD_AT:], spreads[2:])
        score_columns(heads.forget[k], zforget, n, scales[FORGET_VIEW], scores[FORGET_AT:], spreads[4:])
        if members >= DENSE_BANK:
            for e in range(2):
                scores[STD_AROW + e] = dot(heads.means[k, e], zstd, n)
                scores[MAX_AROW + e] = dot(heads.means[k, 2 + e], zmax, n)
        if members == FULL_BANK:
            score_columns(heads.quad[k], zquad, size, scales[QUAD_VIEW], scores[QUAD_AT:], spreads[6:])
            for e in range(2):
                scores[QUAD_AROW + e] = dot(heads.quad_means[k, e], zquad, size)
    return 0, missing


@inlined
def sign_of(classes: int, k: int, y: int) -> float:
    """The label of head k for an example of class y."""
    return 1.0 if y == (1 if classes == 1 else k) else -1.0


@jit
def train_shared(
    means: Floats,
    e: int,
    P: Floats,
    z: Floats,
    size: int,
    scores: Floats,
    at: int,
    classes: int,
    y: int,
    r: float,
    gamma: float,
    most: float,
    h: Floats,
) -> None:
    """One step of a full AROW whose heads share P; P is divided by gamma, its trace at most ``most``.

    The weights of head k are ``means[k, e]``, its score is ``scores[k, at]``.
    """
    moved = False
    for k in range(classes):
        moved |= sign_of(classes, k, y) * scores[k, at] < 1.0
    if not moved:
        return
    b = 1.0 / (max(times(P, z, size, h), 0.0) + r)
    for k in range(classes):
        sign = sign_of(classes, k, y)
        m = sign * scores[k, at]
        if m < 1.0:
            tau = (1.0 - m) * b * sign
            w = means[k, e]
            for i in range(np.uint64(size)):
                w[i] += tau * h[i]
    trace = downdate(P, h, b, 1.0 / gamma, size)
    if trace > most:
        shrink = most / trace
        for i in range(np.uint64(size * (size + 1) // 2)):
            P[i] *= shrink


@jit
def train(own: Floats, heads: Heads, workspace: Workspace, classes: int, entries: int, y: int, weight: float) -> None:
    """Update every expert of the first ``classes`` heads with the row in the workspace, of class y."""
    rows, places = workspace.rows, workspace.places
    members, n, h = int(own[MEMBERS]), int(own[SLOTS]) + 1, rows[H]
    sparse = members < WIDE_BANK
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    size, zquad = block_of(n - 1) + 1, workspace.pair[1]
    for k in range(classes):
        scores, spreads, scales = heads.scores[k], heads.spreads[k], heads.own[k, SCALES:]
        sign = sign_of(classes, k, y)
        if sparse:
            z = workspace.entries[0]
            train_columns(scales, heads.max[k], True, places, z, entries, n, sign, weight, scores, spreads)
            lines = heads.sparse_lines[k]
            train_sparse_experts(heads.own[k], lines, places, z, entries, n, sign, weight, scores, spreads)
            train_multinomial(heads.value_sums[k], places, workspace.entries[2], entries, sign, weight)
            continue
        train_columns(scales, heads.max[k], False, places, zmax, n, n, sign, weight, scores, spreads)
        train_columns(
            scales[STD_VIEW:], heads.std[k], False, places, zstd, n, n, sign, weight, scores[STD_AT:], spreads[2:]
        )
        by, at = scores[FORGET_AT:], scales[FORGET_VIEW:]
        train_columns(at, heads.forget[k], False, places, zforget, n, n, sign, weight, by, spreads[4:])
        if members == FULL_BANK:
            by, at = scores[QUAD_AT:], scales[QUAD_VIEW:]
            train_columns(at, heads.quad[k], False, places, zquad, size, size, sign, weight, by, spreads[6:])
    if members >= DENSE_BANK:
        most, scores = MOST_VARIANCE * n, heads.scores
        for e in range(2):
            r, gamma = FULL_R[e] / weight, FULL_GAMMA[e]
            P = heads.factors
            train_shared(heads.means, e, P[e], zstd, n, scores, STD_AROW + e, classes, y, r, gamma, most, h)
            train_shared(heads.means, 2 + e, P[2 + e], zmax, n, scores, MAX_AROW + e, classes, y, r, gamma, most, h)
    if members == FULL_BANK:
        most, scores = MOST_VARIANCE * size, heads.scores
        for e in range(2):
            r, gamma, P = FULL_R[e] / weight, FULL_GAMMA[e], heads.quad_factors[e]
            train_shared(heads.quad_means, e, P, zquad, size, scores, QUAD_AROW + e, classes, y, r, gamma, most, h)


@jit
def write_features(own: Floats, workspace: Workspace, z: Floats) -> None:
    """Write the standardised row for the nonlinear experts; a missing value is 0."""
    std = workspace.rows[Z + STD_VIEW]
    scale = 1.0 / std[0]
    for s in range(np.uint64(own[SLOTS])):
        z[s] = std[s + np.uint64(1)] * scale


@inlined
def row_of(width: int, indptr: Offsets, indices: Indices, values: Floats, i: int) -> tuple[Indices, Floats]:
    """Indices and values of row i."""
    if width > 0:
        return indices, values[i * width : (i + 1) * width]
    return indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]


@jit
def learn_linear(
    own: Floats,
    views: Views,
    heads: Heads,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    first: int,
    y: np.ndarray,
    w: Floats,
    several: bool,
    known: np.ndarray,
    scores: Floats,
    Zs: Floats,
    slots: np.ndarray,
    seen: np.ndarray,
    members: np.ndarray,
) -> None:
    """Test, then train on the rows from ``first`` on: one for each label in ``y``.

    Write for each row its scores (a row for each head), its standardised features, the number of slots
    and of features seen, which includes those of the row, and of experts.
    ``known[i]`` is the number of classes known before row i. A row of weight 0 is scored only.
    """
    own, views, heads, workspace = borrowed(own), borrowed(views), borrowed(heads), borrowed(workspace)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    scores, Zs, slots = borrowed(scores), borrowed(Zs), borrowed(slots)
    for i in range(y.size):
        here, there = row_of(width, indptr, indices, values, first + i)
        before = known[i] if several else 1
        seen[i] = int(own[SLOTS]) + count_new(views.slots, here)
        if w[i] == 0.0:
            left = members_of(int(own[MEMBERS]), seen[i], width > 0, int(own[SPARSE]))
            look(own, views, heads, workspace, before, left, width > 0, here, there)
        else:
            admit(own, views, width > 0, here)
            left = int(own[MEMBERS])
            after = max(before, y[i] + 1) if several else 1
            entries, missing = look(own, views, heads, workspace, after, left, width > 0, here, there)
        slots[i], members[i] = int(own[SLOTS]), left
        for k in range(before):
            for j in range(left):
                scores[i, k, j] = heads.scores[k, j]
        if left >= WIDE_BANK:
            write_features(own, workspace, Zs[i])
        if w[i] > 0.0:
            train(own, heads, workspace, after, entries, y[i], w[i])
            keep_maxima(own, views, workspace, entries)
            if left >= WIDE_BANK:
                keep_moments(own, views, workspace, here, there)
            own[MISSING] += missing
            own[ROUNDS] += 1.0
