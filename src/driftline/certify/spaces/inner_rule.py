"""What a learner made of another one is to its theorem: the rule inside, and the run as that rule saw it."""

from __future__ import annotations

import numpy as np

from driftline import rules
from driftline.certify.evidence import Evidence
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.kernel_space import in_kernel_space
from driftline.certify.spaces.products import in_products
from driftline.rules.rule import Rule

ON_UPDATES = rules.Perceptron, rules.PNormPerceptron, rules.ProjectionPerceptron, rules.SelfTuningALMA
"""Rules whose theorem bounds their updates, which an average of them leaves as they are."""


def inside(rule: Rule, evidence: Evidence) -> tuple[Rule, Evidence]:
    """The rule that a theorem speaks of, and the run in that rule's space."""
    if isinstance(rule, rules.LabelEfficient):
        return _asking(rule, evidence)
    if isinstance(rule, rules.Kernelized):
        return _kernelized(rule, evidence)
    if isinstance(rule, rules.KernelSecondOrder):
        return rules.SecondOrderPerceptron(rule.a), in_kernel_space(rule.kernel, evidence)
    if isinstance(rule, rules.MultilinearPerceptron):
        return rules.PNormPerceptron(4.0), in_products(evidence, 4.0)
    if isinstance(rule, rules.Averaged):
        if not isinstance(rule.learner, ON_UPDATES):
            raise NoTheoremError(
                f"the theorem of {type(rule.learner).__name__} speaks of the mistakes of the hypotheses that are "
                "averaged, not of those of the average"
            )
        return rule.learner, evidence
    if isinstance(rule, rules.PA1 | rules.PA2) and np.isinf(rule.C):
        return rules.PA(rule.when), evidence
    if rule.no_bound:
        raise NoTheoremError(rule.no_bound)
    return rule, evidence


def _asking(rule: rules.LabelEfficient, evidence: Evidence) -> tuple[Rule, Evidence]:
    """Where every label is asked for, it is the rule inside."""
    if np.isinf(rule.b):
        return inside(rule.learner, evidence)
    wanted: type[Rule] = rules.SecondOrderPerceptron if rule.variant == "second" else rules.Perceptron
    inner = rule.learner
    core = inner.learner if isinstance(inner, rules.Kernelized) else inner
    if type(core) is not wanted:
        raise NoTheoremError(
            f"the theorem of variant={rule.variant!r} is that of {wanted.__name__} inside, not of {type(core).__name__}"
        )
    core, seen = inside(inner, evidence)
    if type(core) is not wanted:
        raise NoTheoremError("a budget that removes support vectors has no theorem here that asks for labels")
    return rules.LabelEfficient(core, rule.b, rule.variant, rule.seed), seen


def _kernelized(rule: rules.Kernelized, evidence: Evidence) -> tuple[Rule, Evidence]:
    """The rule inside, where no support vector was removed; the Forgetron is itself where some were."""
    updates, rounds = int(evidence.updated.sum()), len(evidence)
    if rule.evict == "projectron":
        raise NoTheoremError("no theorem of the catalogue speaks of the Projectron")
    full = rule.budget is not None and updates > rule.budget
    old = rule.oldest is not None and rounds >= rule.oldest
    if (full or old) and rule.evict != "forgetron":
        raise NoTheoremError(
            "a budget that removes support vectors has no theorem here, and with "
            f"evict={rule.evict!r} some were removed"
        )
    inner, _ = inside(rule.learner, evidence)  # which may have no theorem: that is known before anything is computed
    seen = in_kernel_space(rule.kernel, evidence)
    return (rule, seen) if full else (inner, seen)
