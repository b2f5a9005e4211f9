"""Learners inside other learners: given as a learner, a rule, or a name with parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from driftline.encode.faults import shortened
from driftline.internals.require import require
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import PARTS, Rule

PLAIN = Options(bias=True, scale=None, labels=None, hashing=None, dtype="float64", class_weight=None)


def base_of(where: str, given: Any, options: Options) -> tuple[Rule, Options]:
    """The rule of an inner learner, and the options of the outer one.

    Options that are not given are taken from the inner learner.

    >>> base_of("Kernelized", "pa1(C=0.5)", {})[0]
    PA1(C=0.5, when='margin')
    """
    if isinstance(given, Learner):
        if given.n_seen:
            raise ValueError(
                f"{where}: a learner must be new, got one that has seen {given.n_seen} examples. "
                f"Pass {type(given).__name__}(...) with the same parameters"
            )
        _check_two(where, given.rule)
        own = {name: value for name, value in given.options.items() if value != PLAIN.get(name)}
        return given.rule, Options(**{**own, **options})  # type: ignore[typeddict-item]
    if isinstance(given, Rule):
        _check_two(where, given)
        return given, options
    if isinstance(given, str):
        found = part_of(where, "a learner", given)
        if isinstance(found, Rule):
            _check_two(where, found)
            return found, options
    raise ValueError(
        f"{where}: a learner must be a driftline learner, its rule or its name, got {shortened(given)}. "
        "Pass PA1(C=0.5), or 'pa1(C=0.5)'"
    )


def _check_two(where: str, rule: Rule) -> None:
    if rule.several:
        remedy = (
            "Use it by itself"
            if where == "OneVsRest"
            else f"Pass {where}(...) of a two-label learner to OneVsRest(...)"
        )
        raise ValueError(f"{where}: a learner must have two labels, got {rule!r}. {remedy}")


def part_of(where: str, what: str, text: str) -> Any:
    """The rule or kernel that a text names: a name alone, or a call with parameters as in Python.

    >>> part_of("Committee", "combine", "FixedShare(alpha=0.1)").alpha
    0.1
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _built(tree)
    except (SyntaxError, TypeError, KeyError, ValueError, RecursionError) as error:
        why = f"no {error} is known" if isinstance(error, KeyError) else str(error).removeprefix(f"{where}: ")
        raise ValueError(
            f"{where}: {what} must be a name with parameters such as 'pa1(C=0.5)', got {text!r} ({why}). Correct it"
        ) from None


def _built(tree: ast.expr) -> Any:
    """The rule or kernel of a parsed name or call."""
    if isinstance(tree, ast.Name):
        return PARTS[tree.id.lower()]()
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        given = {one.arg: _value(one.value) for one in tree.keywords if one.arg is not None}
        return PARTS[tree.func.id.lower()](*map(_value, tree.args), **given)
    raise ValueError("neither a name nor a call")


def _value(tree: ast.expr) -> Any:
    """The value of an argument: a literal, ``inf``, or another rule or kernel."""
    if isinstance(tree, ast.Name) and tree.id == "inf":
        return float("inf")
    if isinstance(tree, ast.Name | ast.Call):
        return _built(tree)
    return ast.literal_eval(tree)


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
