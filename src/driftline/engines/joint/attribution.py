"""The contributions of features to the vote of the strong bank.

They add up to the smooth counterpart of the vote (``smooth_vote``), a sum over the scores of the
experts. Each score is then replaced by its terms:

    linear experts    the terms of their places (``tracker.expert_terms``)
    forest, paths     the features that the nodes on the path of the row split on; a share p of a
                      class counts as 2 p - 1, and the constant takes the rest
    waves, neighbours a term named after the family, because their scores have no terms by feature
"""

from __future__ import annotations

import numpy as np

from driftline.engines.attribution import Attribution, entries_of
from driftline.engines.joint.families import FIRST, SHARES
from driftline.engines.joint.joint_bank import JointBank
from driftline.engines.joint.multinomial_bayes import MULTINOMIAL, PAIR, multinomial_terms, smoothing_of_totals
from driftline.engines.joint.rounds import ordered
from driftline.engines.joint.smooth_vote import smooth_vote
from driftline.engines.tracker.expert_terms import Experts, Terms, add_terms, by_feature, entries_in_view, expert_terms
from driftline.engines.tracker.state import MEMBERS, SEEN, SLOTS, Bank
from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows
from driftline.rules.tracker.tracker import VALUES_BANK


def attribute(bank: JointBank, row: Rows, k: int) -> Attribution:
    """The contributions to the smooth counterpart of the vote, for one row.

    With two labels k is 0, and the vote is that on +1. With several classes it is that on class k,
    in order of appearance.
    """
    indices, values = entries_of(row)
    votes = np.zeros((1, bank.classes if bank.several else 1))
    bank.score(row, votes)
    members, combination = int(bank.buffers.members[0]), bank.combination
    scores = bank.buffers.scores[0, : bank.classes]
    constant, factors = smooth_vote(
        combination,
        by_class(scores),
        combination.new_squares,
        combination.sums,
        combination.active,
        explained_class(bank, k),
    )
    factors = by_head(factors, len(scores))
    by_slot = np.zeros(int(bank.own[SLOTS]))
    size = entries_in_view(bank.views, indices, values)
    for head in np.flatnonzero(factors[:, :members].any(axis=1)):
        terms = expert_terms(experts_of_head(bank, head), members, size) + multinomial(bank, head, size)
        constant = add_terms(by_slot, constant, terms, factors[head])
    constant, named = _add_families(bank, scores, factors, by_slot, constant)
    found = by_feature(experts_of_head(bank, 0), members, indices, values, by_slot)
    return Attribution(
        found.entries,
        constant,
        absent=found.absent,
        missing=found.missing,
        named=named,
        vote=float(votes[0, k]),
        method="proportional",
    )


def explained_class(bank: JointBank, k: int) -> int:
    """The class that a score speaks for: +1, or class k in order of appearance."""
    return ordered(k, bank.turned) if bank.several else 1


def by_class(scores: Floats) -> Floats:
    """Scores with a row for each class, given a row for each head."""
    return np.vstack([-scores, scores]) if len(scores) == 1 else scores


def by_head(factors: Floats, heads: int) -> Floats:
    """Factors of the scores of each head, given those of each class."""
    return factors[1:] - factors[:1] if heads == 1 else factors


def experts_of_head(bank: JointBank, head: int) -> Experts:
    """The linear experts of a head."""
    heads = bank.heads
    own = Bank(
        max=heads.max[head],
        std=heads.std[head],
        forget=heads.forget[head],
        quad=heads.quad[head],
        means=heads.means[head],
        factors=heads.factors,
        quad_means=heads.quad_means[head],
        quad_factors=heads.quad_factors,
        sparse_lines=heads.sparse_lines[head],
    )
    return Experts(bank.own, heads.own[head], bank.views, own, bank.workspace)


def multinomial(bank: JointBank, head: int, size: int) -> list[Terms]:
    """The terms of the multinomial naive Bayes of a head, if it takes part, for the row in the workspace."""
    if bank.own[MEMBERS] != VALUES_BANK:
        return []
    places, units = bank.workspace.places[:size].astype(np.intp), bank.workspace.entries[2, :size]
    own, sums = bank.heads.own[head], bank.heads.value_sums[head].reshape(-1, PAIR)
    totals = sums[0] + smoothing_of_totals(own[SEEN])
    return [(slice(MULTINOMIAL, MULTINOMIAL + 1), places, multinomial_terms(totals, sums[places], units)[None])]


def _add_families(
    bank: JointBank, scores: Floats, factors: Floats, by_slot: Floats, constant: float
) -> tuple[float, dict[str, float]]:
    """Add the contributions of the families to the slots; return the constant and the named terms."""
    named: dict[str, float] = {}
    classes = slice(1, 2) if len(scores) == 1 else slice(len(scores))
    for word, family in bank.curved.items():
        at = FIRST[word]
        if not factors[:, at : at + family.experts].any():
            continue
        parts = family.attribute(bank.buffers.Z[0], by_slot.size)
        for e in range(at, at + family.experts):
            heard = factors[:, e] != 0.0
            value = float(factors[heard, e] @ scores[heard, e])
            if len(parts) == 0:
                named[f"({word})"] = named.get(f"({word})", 0.0) + value
                continue
            terms = factors[:, e] @ parts[e - at][classes, 1:]
            if word in SHARES:
                terms *= 2.0
            by_slot += terms
            constant += value - float(terms.sum())
    return constant, named
