"""A run of a committee as a run of its combining rule: the examples are the advice of the members.

A run does not record the advice. The members learn the recorded examples again, and the combining
rule must then give the scores of the run.
"""

from __future__ import annotations

import numpy as np

from driftline.certify.evidence import Evidence
from driftline.certify.refusal import NoTheoremError
from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.rules import Committee, Rule

CLOSE = 1e-9


def in_advice(rule: Committee, evidence: Evidence) -> tuple[Rule, Evidence]:
    """Return the combining rule, and the advice that it had."""
    rows = evidence.sparse()
    scores = np.column_stack([_learned(one, rows, evidence.y) for one in rule.learners])
    advice = np.where(scores >= 0.0, 1.0, -1.0) if rule.advice == "sign" else np.clip(scores, -1.0, 1.0)
    votes = _learned(rule.combine, advice, evidence.y)
    if not np.allclose(evidence.y * votes, evidence.margins, rtol=0.0, atol=CLOSE):
        raise NoTheoremError("the members gave other advice when they learned the recorded examples again")
    rounds, members = advice.shape
    indptr = np.arange(rounds + 1, dtype=np.uint64) * np.uint64(members)
    indices = np.tile(np.arange(1, members + 1, dtype=np.uint32), rounds)
    seen = evidence.y, evidence.margins, evidence.updated
    return rule.combine, Evidence(indptr, indices, advice.reshape(-1), members + 1, *seen)


def _learned(rule: Rule, rows: object, y: Floats) -> Floats:
    """Return the score of each example before it is learned."""
    learner = Learner(rule, bias=False, labels=(-1.0, 1.0))
    return learner.test_then_train(rows, y).scores
