"""The rounds of the tracker: all experts score a row and vote, and then all of them learn it.

Scoring changes nothing, so a score equals the score that learning would return. The effect of a
row depends only on the rows before it, never on the block. A feature gets a slot in the row in
which it first appears, and experts for fewer features are removed in that row too.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.state import EVENT, LABEL, SCORE, UPDATED, UPDATES, WEIGHT, tally
from driftline.engines.tracker.calibration import (
    Calibration,
    calibrate,
    drop_experts,
    probability,
)
from driftline.engines.tracker.experts import dot, score_columns, score_entries, train_arow, train_columns
from driftline.engines.tracker.sparse_experts import open_line, score_sparse_experts, train_sparse_experts
from driftline.engines.tracker.state import (
    FORGET_VIEW,
    LINE,
    MAX_VIEW,
    MEMBERS,
    MISSING,
    PROBABILITY,
    QUAD_VIEW,
    ROUNDS,
    SCALES,
    SINCE,
    SLOTS,
    SPARSE,
    STD_VIEW,
    Bank,
    H,
    Views,
    Votes,
    Voting,
    Workspace,
    Z,
    block_of,
)
from driftline.engines.tracker.views import count_new, keep_maxima, keep_moments, look_dense, look_sparse, members_of
from driftline.engines.tracker.voting import (
    EXPERTS,
    begin,
    learn_votes,
    redistribute_shares,
    remove_experts,
    set_prior_shares,
    vote,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.rules.tracker.tracker import (
    DENSE_BANK,
    DENSE_FEATURES,
    FULL_BANK,
    FULL_GAMMA,
    FULL_R,
    MOST_VARIANCE,
    SPARSE_BANK,
    WIDE_BANK,
    WORDS_BANK,
)

NO_INDICES = np.zeros(0, np.uint32)
NO_INDPTR = np.zeros(1, np.uint64)
ENTRIES = 256  # initial room for the entries of a sparse row
# the index among the experts of the columns of each view and of the full AROW of three views; the
# columns of "max" start at 0
STD_AT, FORGET_AT, STD_AROW, MAX_AROW, QUAD_AT, QUAD_AROW = 6, 12, 18, 20, 22, 28


@jit
def admit(
    own: Floats, views: Views, bank: Bank, voting: Voting, calibration: Calibration, dense: bool, indices: Indices
) -> None:
    """Assign slots to the new features of a row; remove the experts for fewer features."""
    new = count_new(views.slots, indices)
    if new == 0 and own[ROUNDS] > 0.0 and (dense or own[SLOTS] <= DENSE_FEATURES or own[MEMBERS] < WIDE_BANK):
        return
    slot = int(own[SLOTS])
    members = members_of(int(own[MEMBERS]), slot + new, dense, int(own[SPARSE]))
    if own[ROUNDS] == 0.0:
        begin(voting, members)
    elif members < own[MEMBERS]:
        remove_experts(voting, members)
        drop_experts(calibration, members)
    if members == WORDS_BANK and own[MEMBERS] != WORDS_BANK:
        for place in range(slot + 1):
            open_line(bank.sparse_lines, place)
    own[MEMBERS] = members
    own[SLOTS] += new
    for j in range(indices.size):
        k = indices[j]
        if views.slots[k] == 0:
            views.slots[k] = slot + 1
            open_slot(own, views, bank, members, slot)
            slot += 1


@jit
def open_slot(own: Floats, views: Views, bank: Bank, members: int, slot: int) -> None:
    """Set the variances of a new slot to 1 in all experts."""
    place = slot + 1
    set_unit_variances(bank.max, place)
    if members == WORDS_BANK:
        open_line(bank.sparse_lines, place)
    if members < WIDE_BANK:
        return
    views.course[SINCE, slot] = own[ROUNDS]
    set_unit_variances(bank.std, place)
    set_unit_variances(bank.forget, place)
    if members >= DENSE_BANK:
        for e in range(4):
            bank.factors[e, place * (place + 1) // 2 + place] = 1.0
    if members == FULL_BANK:
        for place in range(block_of(slot) + 1, block_of(slot + 1) + 1):
            set_unit_variances(bank.quad, place)
            for e in range(2):
                bank.quad_factors[e, place * (place + 1) // 2 + place] = 1.0


@jit
def set_unit_variances(lines: Floats, place: int) -> None:
    """Set the variances of the two diagonal AROW at a new place to 1."""
    lines[LINE * place + 6] = 1.0
    lines[LINE * place + 7] = 1.0


@jit
def look(
    own: Floats,
    views: Views,
    bank: Bank,
    workspace: Workspace,
    members: int,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[int, int]:
    """Write views and scores of a row into the workspace.

    Return the number of entries of a sparse view and the number of missing values.
    """
    scores, spreads, rows = workspace.scores, workspace.spreads, workspace.rows
    if members < WIDE_BANK:
        entries, missing = look_sparse(own, views, workspace, indices, values)
        score_entries(
            bank.max, workspace.places, workspace.entries[0], entries, own[SCALES + MAX_VIEW], scores, spreads
        )
        if own[MEMBERS] == WORDS_BANK:
            score_sparse_experts(
                own, bank.sparse_lines, workspace.places, workspace.entries[0], entries, scores, spreads
            )
        else:
            scores[SPARSE_BANK:WORDS_BANK] = 0.0  # these experts have learned nothing yet
        return entries, missing
    missing = look_dense(own, views, workspace, members, dense, indices, values)
    n = int(own[SLOTS]) + 1
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    score_columns(bank.max, zmax, n, own[SCALES + MAX_VIEW], scores, spreads)
    score_columns(bank.std, zstd, n, own[SCALES + STD_VIEW], scores[STD_AT:], spreads[2:])
    score_columns(bank.forget, zforget, n, own[SCALES + FORGET_VIEW], scores[FORGET_AT:], spreads[4:])
    if members >= DENSE_BANK:
        for e in range(2):
            scores[STD_AROW + e] = dot(bank.means[e], zstd, n)
            scores[MAX_AROW + e] = dot(bank.means[2 + e], zmax, n)
    if members == FULL_BANK:
        size, zquad = block_of(n - 1) + 1, workspace.pair[1]
        score_columns(bank.quad, zquad, size, own[SCALES + QUAD_VIEW], scores[QUAD_AT:], spreads[6:])
        for e in range(2):
            scores[QUAD_AROW + e] = dot(bank.quad_means[e], zquad, size)
    return 0, missing


@jit
def train(own: Floats, bank: Bank, workspace: Workspace, entries: int, y: float, weight: float) -> None:
    """Update every expert with the row in the workspace."""
    scores, spreads, rows, places = workspace.scores, workspace.spreads, workspace.rows, workspace.places
    members, n, h, scales = int(own[MEMBERS]), int(own[SLOTS]) + 1, rows[H], own[SCALES:]
    sparse = members < WIDE_BANK
    if sparse:
        train_columns(scales, bank.max, sparse, places, workspace.entries[0], entries, n, y, weight, scores, spreads)
        if members == WORDS_BANK:
            train_sparse_experts(
                own, bank.sparse_lines, places, workspace.entries[0], entries, n, y, weight, scores, spreads
            )
        return
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    by = scores[STD_AT:], scores[FORGET_AT:]
    train_columns(scales, bank.max, sparse, places, zmax, n, n, y, weight, scores, spreads)
    train_columns(scales[STD_VIEW:], bank.std, sparse, places, zstd, n, n, y, weight, by[0], spreads[2:])
    train_columns(scales[FORGET_VIEW:], bank.forget, sparse, places, zforget, n, n, y, weight, by[1], spreads[4:])
    if members >= DENSE_BANK:
        most = MOST_VARIANCE * n
        for e in range(2):
            r, gamma = FULL_R[e] / weight, FULL_GAMMA[e]
            train_arow(bank.means[e], bank.factors[e], zstd, n, scores[STD_AROW + e], y, r, gamma, most, h)
            train_arow(bank.means[2 + e], bank.factors[2 + e], zmax, n, scores[MAX_AROW + e], y, r, gamma, most, h)
    if members == FULL_BANK:
        size, z, own_scores = block_of(n - 1) + 1, workspace.pair[1], scores[QUAD_AT:]
        most = MOST_VARIANCE * size
        scale = scales[QUAD_VIEW:]
        train_columns(scale, bank.quad, sparse, places, z, size, size, y, weight, own_scores, spreads[6:])
        for e in range(2):
            r, gamma, score = FULL_R[e] / weight, FULL_GAMMA[e], scores[QUAD_AROW + e]
            train_arow(bank.quad_means[e], bank.quad_factors[e], z, size, score, y, r, gamma, most, h)


@jit
def test(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    workspace: Workspace,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[float, int]:
    """The vote on a row, as learning the row would compute it, and the number of its experts."""
    members = int(own[MEMBERS])
    left = members_of(members, int(own[SLOTS]) + count_new(views.slots, indices), dense, int(own[SPARSE]))
    look(own, views, bank, workspace, left, dense, indices, values)
    if left == members:
        return vote(own, voting, voting.shares, workspace, members), members
    if own[ROUNDS] == 0.0:
        set_prior_shares(workspace.shares, left)
    else:
        redistribute_shares(voting.shares, workspace.shares, left)
    return vote(own, voting, workspace.shares, workspace, left), left


@jit
def learn(
    state: Floats,
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    calibration: Calibration,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    expert_votes: Votes,
) -> None:
    """Test, then train on each row: dense rows of this width, or sparse rows if ``width`` is 0.

    Unless ``expert_votes`` is empty, the votes of the voters are written to it, a row per round.
    The probability of +1 is written to a fifth row of ``trials``, if there is one.
    """
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace, calibration = borrowed(workspace), borrowed(calibration)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    dense = width > 0
    for i in range(trials.shape[1]):
        if dense:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        trials[EVENT, i] = 0.0
        if weight == 0.0:
            score, left = test(own, views, bank, voting, workspace, dense, here, there)
            trials[SCORE, i] = score
            if len(trials) > PROBABILITY:
                trials[PROBABILITY, i] = probability(calibration, workspace, left, score, own[ROUNDS])
            continue
        admit(own, views, bank, voting, calibration, dense, here)
        members = int(own[MEMBERS])
        entries, missing = look(own, views, bank, workspace, members, dense, here, there)
        score = vote(own, voting, voting.shares, workspace, members)
        trials[SCORE, i] = score
        p = probability(calibration, workspace, members, score, own[ROUNDS])
        if len(trials) > PROBABILITY:
            trials[PROBABILITY, i] = p
        if expert_votes.shape[0] > 0:
            for k in range(EXPERTS + members):
                expert_votes[i, k] = np.int8(workspace.votes[k])
        calibrate(calibration, members, y)
        learn_votes(own, voting, workspace, y, weight)
        train(own, bank, workspace, entries, y, weight)
        keep_maxima(own, views, workspace, entries)
        if members >= WIDE_BANK:
            keep_moments(own, views, workspace, here, there)
        own[MISSING] += missing
        own[ROUNDS] += 1.0
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    tally(state, trials, trials.shape[1])


@jit
def score(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row."""
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace = borrowed(workspace)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    for i in range(scores.size):
        if width > 0:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        scores[i] = test(own, views, bank, voting, workspace, width > 0, here, there)[0]


@jit
def estimate(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    calibration: Calibration,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    probabilities: Floats,
) -> None:
    """Write the probability of +1 for each row."""
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace, calibration = borrowed(workspace), borrowed(calibration)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    for i in range(probabilities.size):
        if width > 0:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        score, left = test(own, views, bank, voting, workspace, width > 0, here, there)
        probabilities[i] = probability(calibration, workspace, left, score, own[ROUNDS])
