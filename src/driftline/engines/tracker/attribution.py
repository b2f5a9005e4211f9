"""The contributions of features to the vote of a tracker, through its experts and stackers.

The vote is a sum of signs, which belongs to no feature. Its smooth counterpart is

    p = G+ - G- + sum_j G_j F_j + sum_k G_k tanh(c_k),    F_j = tanh(s_j / rms_j)

G are the shares of the voters, s_j the scores of the experts and c_k = a_k.F those of the
stackers, here also for the stacker of signs. Every s_j is a sum over the places of one view
(``expert_terms``). A function f of such a sum is replaced by its secant, f(s) = (f(s) / s) s,
which is exact for this row. So p is a sum over places. The constant of a view belongs to the
constant of the attribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.attribution import Attribution, entries_of
from driftline.engines.tracker.expert_terms import (
    Experts,
    add_terms,
    by_feature,
    entries_in_view,
    expert_terms,
    there,
)
from driftline.engines.tracker.rounds import score
from driftline.engines.tracker.state import MEMBERS, ROUNDS, SLOTS, SPARSE
from driftline.engines.tracker.views import members_of
from driftline.engines.tracker.voting import EXPERTS, MINUS, PLUS, STACKERS, redistribute_shares, set_prior_shares
from driftline.internals.compiled import Floats, Indices
from driftline.internals.rows import DenseRows, Rows

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine

LEAST_SQUARE = 1e-18
"""Mean square of the scores of an expert below which it counts as silent, as in the vote."""


def attribute(engine: TrackerEngine, row: Rows) -> Attribution:
    """The contributions to the smooth counterpart of the vote on one row."""
    indices, values = entries_of(row)
    vote, members, shares = scored(engine, row, indices)
    experts = experts_in(engine)
    terms = expert_terms(experts, members, entries_in_view(engine.views, indices, values))
    by_slot = np.zeros(int(engine.own[SLOTS]))
    constant = float(shares[PLUS] - shares[MINUS])
    constant = add_terms(by_slot, constant, terms, secants(engine, members, shares))
    found = by_feature(experts, members, indices, values, by_slot)
    return Attribution(
        found.entries, constant, absent=found.absent, missing=found.missing, vote=vote, method="proportional"
    )


def experts_in(engine: TrackerEngine) -> Experts:
    """The linear experts of an engine."""
    return Experts(engine.own, engine.own, engine.views, engine.bank, engine.workspace)


def scored(engine: TrackerEngine, row: Rows, indices: Indices) -> tuple[float, int, Floats]:
    """Score one row; return the vote, the number of experts in it, and the shares of all voters.

    Views and scores of the row are then in the workspace of the engine.
    """
    given, found = engine.given(row), np.zeros(1)
    own, views, voting = engine.own, engine.views, engine.voting
    score(own, views, engine.bank, voting, engine.workspace, *given, found)
    members = int(own[MEMBERS])
    seen = int(own[SLOTS]) + int(np.count_nonzero(~there(views, indices)))
    left = int(members_of(members, seen, isinstance(row, DenseRows), int(own[SPARSE])))
    shares = voting.shares
    if left != members:
        shares = np.zeros_like(shares)
        if own[ROUNDS] == 0.0:
            set_prior_shares(shares, left)
        else:
            redistribute_shares(voting.shares, shares, left)
    return float(found[0]), left, shares[:, : EXPERTS + left].sum(axis=0)


def secants(engine: TrackerEngine, members: int, shares: Floats) -> Floats:
    """The factor of the score of each expert in the smooth counterpart of the vote."""
    workspace = engine.workspace
    return factors(engine, workspace.scores[:members], workspace.squares[:members], shares)


def factors(engine: TrackerEngine, scores: Floats, squares: Floats, shares: Floats) -> Floats:
    """``secants`` for experts with these scores and mean squares of scores."""
    stack, size = engine.voting.stack[:, : scores.size], np.sqrt(squares)
    silent = (squares <= LEAST_SQUARE) | ~np.isfinite(scores)
    size[silent] = 1.0
    s = np.where(silent, 0.0, scores)
    slopes = np.where(silent, 0.0, tanh_secant(s / size) / size)
    stacked = stack @ (slopes * s)
    through = shares[STACKERS:EXPERTS] * tanh_secant(stacked)
    made: Floats = slopes * (shares[EXPERTS:] + through @ stack)
    return made


def tanh_secant(t: Floats) -> Floats:
    """tanh(t) / t, which is 1 at 0."""
    zero = t == 0.0
    return np.where(zero, 1.0, np.tanh(t) / np.where(zero, 1.0, t))
