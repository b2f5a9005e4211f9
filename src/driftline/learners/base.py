"""A learner that is part of another one: given as it is, by its rule, or by its name with parameters."""

from __future__ import annotations

import ast
from typing import Any

from driftline.encode.faults import shortened
from driftline.learners.learner import Learner, Options
from driftline.rules import PARTS, Rule

PLAIN = Options(bias=True, scale=None, labels=None, hashing=None, dtype="float64")


def base_of(where: str, given: Any, options: Options) -> tuple[Rule, Options]:
    """The rule of a part, and the options of the whole: those that are given, else those of the part.

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
        f"{where}: a learner must be one of driftline's, or its name, got {shortened(given)}. "
        "Pass PA1(C=0.5), or 'pa1(C=0.5)'"
    )


def _check_two(where: str, rule: Rule) -> None:
    if rule.several:
        remedy = "Use it as it is" if where == "OneVsRest" else f"Put {where}(...) of another into OneVsRest(...)"
        raise ValueError(f"{where}: a learner must be one of two labels, got {rule!r}. {remedy}")


def part_of(where: str, what: str, text: str) -> Any:
    """The part that a text names, with its parameters: a name, or a name and parameters as in Python.

    >>> part_of("Committee", "combine", "FixedShare(alpha=0.1)").alpha
    0.1
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _made(tree)
    except (SyntaxError, TypeError, KeyError, ValueError, RecursionError) as error:
        why = f"no {error} is known" if isinstance(error, KeyError) else str(error).removeprefix(f"{where}: ")
        raise ValueError(
            f"{where}: {what} must be a name with parameters such as 'pa1(C=0.5)', got {text!r} ({why}). Correct it"
        ) from None


def _made(tree: ast.expr) -> Any:
    if isinstance(tree, ast.Name):
        return PARTS[tree.id.lower()]()
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        given = {one.arg: _value(one.value) for one in tree.keywords if one.arg is not None}
        return PARTS[tree.func.id.lower()](*map(_value, tree.args), **given)
    raise ValueError("neither a name nor a call")


def _value(tree: ast.expr) -> Any:
    """A literal, ``inf``, or a part."""
    if isinstance(tree, ast.Name) and tree.id == "inf":
        return float("inf")
    if isinstance(tree, ast.Name | ast.Call):
        return _made(tree)
    return ast.literal_eval(tree)
