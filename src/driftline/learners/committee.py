"""A committee: several learners, weighted by their past performance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from driftline import rules
from driftline.engines.state import MISTAKES
from driftline.internals.one_call import whole_call
from driftline.learners.inner_learners import base_of, part_of, rules_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import Rule

if TYPE_CHECKING:
    from driftline.engines.composed.committee import CommitteeEngine


@dataclass(frozen=True)
class Member:
    """A member of a committee.

    Attributes
    ----------
    rule
        Its rule.
    mistakes
        The mistakes that it would have made alone.
    share
        Its current share of the vote.
    """

    rule: Rule
    mistakes: int
    share: float


class Committee(Learner):
    """Several learners, combined by a rule of experts: it follows whichever is best now.

    All members learn every example. Choose members that are good at different times: with short
    and long memory, of small and large steps. The rule and its paper are in
    ``driftline.rules.composed.committee``.

    Parameters
    ----------
    learners : sequence or str, default=("perceptron", "pa1", "norma")
        New learners, rules or texts, such as ``[PA1(C=0.5), "norma(lam=0.01)"]``; or one text,
        "pa1(C=0.5), norma". Options of learners must agree, and become those of the committee.
    combine : Learner, Rule or str, default="fixedshare"
        The rule of experts that weighs the members, such as ``FixedShare(alpha=0.01)`` or
        "adahedge".
    advice : {"sign", "score"}, default="sign"
        The advice of a member: the sign of its score, or its score clipped to [-1, 1].
    **options
        ``bias``, ``scale``, ``labels``, ``hashing``, ``dtype`` and ``class_weight``, as in
        ``driftline.Learner``.

    Examples
    --------
    >>> committee = Committee(["pa", "pa1(C=0.01)"])
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False)] * 3 + [({"a": 1}, False), ({"b": 1}, True)] * 3:
    ...     score = committee.learn_one(x, y)
    >>> committee.predict_one({"b": 1})
    True
    >>> [(member.mistakes, round(member.share, 2)) for member in committee.members]
    [(5, 0.87), (9, 0.13)]
    """

    _engine: CommitteeEngine
    rule: rules.Committee

    def __init__(
        self,
        learners: Sequence[Any] | str = ("perceptron", "pa1", "norma"),
        combine: Any = "fixedshare",
        advice: Literal["sign", "score"] = "sign",
        **options: Unpack[Options],
    ) -> None:
        where = type(self).__name__
        members, chosen = rules_of(where, learners, options)
        super().__init__(rules.Committee(members, _combining(where, combine), advice), **chosen)

    @property
    @whole_call
    def members(self) -> list[Member]:
        """The rule, the mistakes and the share of each member."""
        shares = self._engine.combiner.distribution().tolist()
        mistakes = [int(member.state[MISTAKES]) for member in self._engine.members]
        return [Member(*one) for one in zip(self.rule.learners, mistakes, shares, strict=True)]


def _combining(where: str, combine: Any) -> Any:
    """The combining rule. The rule of the committee checks that it is a rule of experts."""
    if isinstance(combine, str):
        return part_of(where, "combine", combine)
    return base_of(where, combine, Options())[0] if isinstance(combine, Learner) else combine
