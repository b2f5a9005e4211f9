"""Reduce a composed learner to the rule inside that has the theorem, and the run to what that rule
saw.
"""

from __future__ import annotations

import numpy as np

from driftline import rules
from driftline.certify.evidence import Evidence
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.advice import in_advice
from driftline.certify.spaces.kernel_space import in_kernel_space
from driftline.certify.spaces.products import in_products
from driftline.rules.rule import Rule

ON_UPDATES = rules.Perceptron, rules.PNormPerceptron, rules.ProjectionPerceptron, rules.SelfTuningALMA
"""Rules with bounds on updates. Averaging does not change the updates."""


def inside(rule: Rule, evidence: Evidence) -> tuple[Rule, Evidence]:
    """Return the rule with the theorem, and the run in the feature space of that rule."""
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
                f"the theorem of {type(rule.learner).__name__} bounds the mistakes of the averaged hypotheses, "
                "not the mistakes of the average"
            )
        return rule.learner, evidence
    if isinstance(rule, rules.PA1 | rules.PA2) and np.isinf(rule.C):
        return rules.PA(rule.when), evidence
    if isinstance(rule, rules.Committee):
        return in_advice(rule, evidence)
    if rule.no_bound:
        raise NoTheoremError(rule.no_bound)
    return rule, evidence


def _asking(rule: rules.LabelEfficient, evidence: Evidence) -> tuple[Rule, Evidence]:
    """Return the rule inside if every label is asked for, else the rule in the space of its
    learner.
    """
    if np.isinf(rule.b):
        return inside(rule.learner, evidence)
    wanted: type[Rule] = rules.SecondOrderPerceptron if rule.variant == "second" else rules.Perceptron
    inner = rule.learner
    core = inner.learner if isinstance(inner, rules.Kernelized) else inner
    if type(core) is not wanted:
        raise NoTheoremError(
            f"the theorem of variant={rule.variant!r} needs {wanted.__name__} as learner, got {type(core).__name__}"
        )
    core, seen = inside(inner, evidence)
    if type(core) is not wanted:
        raise NoTheoremError("no theorem of the catalogue covers selective sampling with a budget")
    return rules.LabelEfficient(core, rule.b, rule.variant, rule.seed), seen


def _kernelized(rule: rules.Kernelized, evidence: Evidence) -> tuple[Rule, Evidence]:
    """Return the rule inside if no support vector was removed; the Forgetron itself if some were."""
    updates, rounds = int(evidence.updated.sum()), len(evidence)
    if rule.evict == "projectron":
        raise NoTheoremError("no theorem of the catalogue covers the Projectron")
    full = rule.budget is not None and updates > rule.budget
    old = rule.oldest is not None and rounds >= rule.oldest
    if (full or old) and rule.evict != "forgetron":
        raise NoTheoremError(
            f"no theorem of the catalogue covers evict={rule.evict!r} once support vectors are removed, "
            "and this run removed some"
        )
    inner, _ = inside(rule.learner, evidence)  # fails early if it has no theorem
    seen = in_kernel_space(rule.kernel, evidence)
    return (rule, seen) if full else (inner, seen)
