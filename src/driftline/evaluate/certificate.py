"""The certificate of a run: the tightest bounds on its mistakes, and the risk of a hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from driftline.bounds import Bound, KLCertificate
from driftline.certify.evidence import Evidence, EvidenceRecorder
from driftline.certify.refusal import NoTheoremError, VacuousError
from driftline.certify.remarks import remarks
from driftline.certify.rules.label_efficient import expected_labels
from driftline.certify.rules.tracker import tracked
from driftline.certify.tightest import Certified, certified
from driftline.evaluate.hypotheses import NUMBERS
from driftline.evaluate.selection import select
from driftline.internals.require import number, require
from driftline.internals.visible_text import visible
from driftline.learners import Learner
from driftline.rules import LabelEfficient, Tracker
from driftline.rules.experts.expert_rule import ExpertRule

DRIFT = (
    "no risk is certified: past errors bound the risk of the next example only if all examples are independent draws "
    "from one distribution. Pass assume='iid' if they are"
)
MISSING = "no bound on mistakes: no comparator was found that meets the theorem's conditions"
NO_RISK = "no useful bound on the risk: too few examples follow the selected hypothesis, so the bound is 1"


@dataclass(frozen=True, repr=False)
class Certificate:
    """The bounds that hold for one run, or the reasons why there is none; printing it shows them.

    Attributes
    ----------
    learner
        The name of the learner.
    examples, mistakes, updates
        The counts of the run.
    bounds
        The tightest bound with a fixed comparator, and the tightest with a moving one.
    risk
        The risk bound of the selected hypothesis, if the examples are assumed to be independent
        draws from one distribution.
    why
        What is not certified, and the reason. A bound that is not below the number of examples
        is not useful: ``bounds`` holds it, but it is not printed.
    loss
        For a learner of experts: the sum of |score - y| / 2.
    labels
        For ``LabelEfficient``: the labels asked for, and their expected number given the scores
        of this run.
    """

    learner: str
    examples: int
    mistakes: int
    updates: int
    bounds: tuple[Certified, ...]
    risk: KLCertificate | None
    why: tuple[str, ...]
    loss: float | None = None
    labels: tuple[int, float | None] | None = None

    @property
    def best(self) -> Certified | None:
        """The smallest bound; None if there is none."""
        return min(self.bounds, key=lambda one: one.value, default=None)

    @property
    def useful(self) -> tuple[Certified, ...]:
        """The bounds below the number of examples."""
        return tuple(one for one in self.bounds if one.value < self.examples)

    def implied_mistakes(self, certified: Certified) -> float | None:
        """The number of mistakes that a bound on the loss allows.

        Parameters
        ----------
        certified
            One of ``bounds``.

        Returns
        -------
        float or None
            The number; None if the bound is on mistakes or updates, or if the number is not below
            the number of examples.
        """
        allowed = certified.mistakes
        return allowed if allowed is not None and allowed < self.examples else None

    def observed(self, certified: Certified) -> float:
        """The observed value of the quantity that is bounded.

        Parameters
        ----------
        certified
            One of ``bounds``.

        Returns
        -------
        float
            The mistakes, updates or loss of the run.
        """
        limits = certified.bound.limits
        if limits == "loss":
            assert self.loss is not None
            return self.loss
        return self.updates if "updates" in limits else self.mistakes

    def ratio(self, certified: Certified) -> float | None:
        """The observed value divided by the bound; 1 if both are 0.

        Parameters
        ----------
        certified
            One of ``bounds``.

        Returns
        -------
        float or None
            The ratio; None if the bound is on an expected value, because one run is only a sample.
        """
        if certified.expected:
            return None
        observed = self.observed(certified)
        return observed / certified.value if certified.value > 0.0 else 1.0 if observed == 0 else np.inf

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain values, for JSON.

        Returns
        -------
        dict
            Names to numbers, texts, lists and dicts.
        """
        return {
            "learner": self.learner,
            "examples": self.examples,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "loss": self.loss,
            "bounds": [
                {
                    "theorem": one.bound.name,
                    "on": one.bound.limits,
                    "observed": self.observed(one),
                    "bound": one.value,
                    "useful": one in self.useful,
                    "ratio": self.ratio(one),
                    "mistakes": one.mistakes,
                    "comparator": "moves" if one.moves else "stands still",
                    "pieces": one.segments,
                    "path": one.length,
                    "inputs": _inputs(one.bound),
                }
                for one in self.bounds
            ],
            "risk": None
            if self.risk is None
            else {
                "theorem": self.risk.name,
                "value": self.risk.value,
                "useful": self.risk.useful,
                "inputs": _inputs(self.risk),
            },
            "why": list(self.why),
            "labels": None if self.labels is None else dict(zip(("asked", "expected"), self.labels, strict=True)),
        }

    def __str__(self) -> str:
        lines = [
            f"{visible(self.learner)}: {self.mistakes:,} mistakes and {self.updates:,} updates "
            f"in {self.examples:,} examples"
        ]
        for one in self.useful:
            implied = self.implied_mistakes(one)
            so = "" if implied is None else f", hence {implied:,.1f} mistakes"
            how = f"moves in {one.segments} pieces, path {one.length:.3g}" if one.moves else "stands still"
            ratio = self.ratio(one)
            seen = f"this run made {self.observed(one):,}" if ratio is None else f"{ratio:.2f} of it observed"
            lines.append(
                f"  at most {one.value:,.1f} {one.bound.limits} ({seen}){so}: {one.bound.name}, the comparator {how}"
            )
        if self.labels is not None:
            asked, expected = self.labels
            lines.append(f"  {asked:,} labels asked for" + ("" if expected is None else f", {expected:,.1f} expected"))
        if self.risk is not None and self.risk.useful:
            lines.append(
                f"  risk at most {self.risk.value:.4f} with confidence {1.0 - self.risk.delta:g}: {self.risk.name}"
            )
        return "\n".join([*lines, *(f"  {visible(one)}" for one in self.why)])

    def __repr__(self) -> str:
        return str(self)


def certificate_of(
    name: str, learner: Learner, recorder: EvidenceRecorder, delta: float, assume: Literal["iid"] | None
) -> Certificate:
    """The certificate of a learner, computed from the evidence of its run."""
    require(0.0 < number("certificate", "delta", delta) < 1.0, "certificate", "delta must be in (0, 1)", delta)
    require(assume in (None, "iid"), "certificate", "assume must be None or 'iid'", assume)
    evidence = recorder.evidence()
    why: list[str] = []
    found: tuple[Certified, ...] = ()
    if not len(evidence):
        why.append("nothing is certified: the run had no examples")
    elif recorder.before:
        why.append("nothing is certified: the theorems need a new learner, and this one had learned before the run")
    elif recorder.weighted:
        why.append("nothing is certified: no theorem covers sample weights other than 1")
    else:
        try:
            rule = learner.rule
            found = tuple(tracked(rule, evidence) if isinstance(rule, Tracker) else certified(rule, evidence))
            if any(one.value < len(evidence) for one in found):
                why += remarks(rule)
            else:
                why.append(_useless(found, len(evidence)) if found else MISSING)
        except VacuousError:
            why.append(f"no useful bound on updates: {_vacuous(len(evidence))}")
        except NoTheoremError as error:
            why.append(f"no bound on mistakes: {error}")
    fit = len(evidence) > 0 and not recorder.before and not recorder.weighted
    risk = _risk(learner, evidence, delta, why) if assume == "iid" and fit else None
    if assume is None:
        why.append(DRIFT)
    mistakes, updates = int(np.sum(evidence.margins <= 0.0)), int(evidence.updated.sum())
    loss = float(np.sum(1.0 - evidence.margins)) / 2.0 if isinstance(learner.rule, ExpertRule) else None
    labels = None
    if isinstance(learner.rule, LabelEfficient):
        labels = recorder.asked, expected_labels(learner.rule, evidence) if fit else None
    return Certificate(name, len(evidence), mistakes, updates, found, risk, tuple(why), loss, labels)


def _risk(learner: Learner, evidence: Evidence, delta: float, why: list[str]) -> KLCertificate | None:
    """The smallest risk bound of all hypotheses of the run."""
    if learner.rule.engine or learner.options["scale"] == "standard":
        why.append("no risk is certified: only hypotheses of linear learners without scale='standard' can be tested")
        return None
    # the recorded rows are scaled and have their constant feature
    rows = evidence.sparse()
    updates = int(evidence.updated.sum()) + 1
    again = Learner(learner.rule, bias=False, labels=(-1.0, 1.0), dtype=learner.options["dtype"])
    most = max(1, NUMBERS // (evidence.width + 1))  # hypotheses whose weights fit into memory
    chosen = select(again, (rows, evidence.y), assume="iid", delta=delta, most=None if updates <= most else most)
    assert chosen.errors is not None
    risk = KLCertificate(errors=chosen.errors, rest=chosen.rest, T=chosen.examples, delta=delta)
    if not risk.useful:
        why.append(NO_RISK)
    return risk


def _useless(found: Sequence[Certified], examples: int) -> str:
    """Say that no bound is below the number of examples."""
    names = " and ".join(dict.fromkeys(one.bound.name for one in found))
    return f"no useful bound on {found[0].bound.limits}: the conditions of {names} hold, but {_vacuous(examples)}"


def _vacuous(examples: int) -> str:
    return f"no comparator gives a useful value, that is a value below the number of examples, {examples:,}"


def _inputs(bound: Bound) -> dict[str, Any]:
    return {one.name: getattr(bound, one.name) for one in fields(bound)}
