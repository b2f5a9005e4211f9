"""Several learners inside one: their rules and their common options."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from driftline.encode.faults import shortened
from driftline.internals.require import require
from driftline.learners.base import base_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import Rule


def rules_of(where: str, learners: Any, options: Options) -> tuple[tuple[Rule, ...], Options]:
    """The rules of the inner learners, and the options of the outer one.

    Options that are not given are taken from the inner learners. If one of them cannot have a
    constant feature, none of them has one.

    >>> rules_of("Committee", "pa1(C=0.5), romma", {"bias": False})
    ((PA1(C=0.5, when='margin'), ROMMA(when='mistake')), {'bias': False})
    """
    given = _listed(where, learners)
    parts = [base_of(where, one, Options()) for one in given]
    own = [its for one, (_, its) in zip(given, parts, strict=True) if isinstance(one, Learner)]
    if not all(rule.biased for rule, _ in parts):
        for its in own:
            its.pop("bias", None)
    for its in own:
        if its != own[0]:
            raise ValueError(
                f"{where}: learners must have the same options, got {own[0]} and {its}. "
                f"Give them to the {where.lower()}"
            )
    rules = tuple(rule for rule, _ in parts)
    chosen = Options(**{**(own[0] if own else {}), **options})
    for rule in rules:
        what = f"bias must be False with {type(rule).__name__}"
        none = rule.biased or not chosen.setdefault("bias", False)
        require(none, where, what, chosen.get("bias"), "Leave it out")
        single = rule.single or str(chosen.get("dtype", "float64")) == "float64"
        what = f"dtype must be 'float64' with {type(rule).__name__}"
        require(single, where, what, chosen.get("dtype"), "Leave it out")
    return rules, chosen


def _listed(where: str, learners: Any) -> list[Any]:
    """The learners as a list; a text is split at its commas."""
    if isinstance(learners, str):
        try:
            tree = ast.parse(learners.strip(), mode="eval").body
        except SyntaxError:
            return [learners]
        return [ast.unparse(one) for one in tree.elts] if isinstance(tree, ast.Tuple | ast.List) else [learners]
    if isinstance(learners, Sequence) and len(learners):
        return list(learners)
    raise ValueError(f"{where}: learners must be one or more, got {shortened(learners)}. Pass [PA1(), NORMA()]")
