"""Create learners from names and parameters given on the command line."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import driftline as dl
from driftline.cli.options import LearnerOptions
from driftline.cli.suggestion import did_you_mean
from driftline.learners import SeveralClasses
from driftline.learners.options import Options

TEXT_BITS = 20
BASE = "base"
"""The option for the parameter ``learner`` of a learner, as --learner is an option of commands."""


def learner_of(
    text: str, parameters: Mapping[str, str], options: LearnerOptions, hashed: bool, typed: Sequence[str] = ()
) -> dl.Learner:
    """Create the learner of this name, or of a call such as ``onevsrest(pa1(C=0.5))``.

    ``hashed``: features are words, so hash their names by default. ``typed``: the options of the
    command, which a mistyped parameter may stand for.
    """
    make, positional, named = called(text)
    name, known = make.__name__.lower(), parameters_of(make)
    given = {key: _value(value) for key, value in parameters.items()}
    for key in given:
        if key not in known:
            owns = [f"--{one}" for one in known]
            has = f"{name} has {', '.join(owns) or 'no parameters'}"
            hint = did_you_mean(f"--{key.replace('_', '-')}", [*owns, *typed], has)
            raise ValueError(f"--{key} must be an option of this command or of {name}, got neither. {hint}")
    inside = {BASE if key == "learner" else key for key in named} | set(known[: len(positional)])
    for key in given:
        if key in inside:
            raise ValueError(f"--{key} must be given once, got it in {text!r} too. Leave one out")
    if BASE in given:
        given["learner"] = given.pop(BASE)
    for key in named:
        if (BASE if key == "learner" else key) not in known:
            raise ValueError(
                f"--learner: {key} must be a parameter of {name}, got {text!r}. "
                f"{name} has {', '.join(known) or 'no parameters'}"
            )
    made = options_of(options, hashed, issubclass(make, SeveralClasses))
    try:
        return make(*positional, **{**named, **given, **made})
    except TypeError as error:
        why = str(error).partition(" ")[2]
        raise ValueError(f"--learner must be a name with its parameters, got {text!r}: {name} {why}") from None


def class_of(name: str, where: str = "--learner") -> type[dl.Learner]:
    """Return the class of the learner of this name; ``where`` names the option in an error."""
    make = dl.REGISTRY.get(name.strip().lower())
    if make is None:
        hint = did_you_mean(name.strip().lower(), dl.REGISTRY, "See driftline learners")
        raise ValueError(f"{where} must be one of {', '.join(dl.REGISTRY)}, got {name!r}. {hint}")
    return make


def called(text: str) -> tuple[type[dl.Learner], list[Any], dict[str, Any]]:
    """Return the class, the positional and the named arguments of a learner given as text.

    >>> called("onevsrest(pa1(C=0.5))")[1:]
    (['pa1(C=0.5)'], {})
    """
    if "(" not in text:
        return class_of(text), [], {}
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise ValueError(f"--learner must be a name with parameters, got {text!r}. Example: 'onevsrest(pa1(C=0.5))'")
    named = {one.arg: _argument(one.value) for one in tree.keywords if one.arg is not None}
    return class_of(tree.func.id), [_argument(one) for one in tree.args], named


def _argument(tree: ast.expr) -> Any:
    """Return a literal as its value, and the name or call of an inner learner as text."""
    if isinstance(tree, ast.Name) and tree.id == "inf":
        return float("inf")
    try:
        return ast.literal_eval(tree)
    except ValueError:
        return ast.unparse(tree)


def options_of(options: LearnerOptions, hashed: bool, several: bool = False) -> Options:
    """Return the options that all learners share.

    ``bias`` is set only if it was switched off; otherwise the rule decides. ``several``: the
    learner takes more than two labels.
    """
    bits = TEXT_BITS if options.hash_bits is None and hashed else options.hash_bits or None
    made = Options(
        scale=_scale(options.scale),
        labels=None if options.labels is None else _labels(options.labels, several),
        hashing=None if bits is None else dl.Hashing(bits, keep_names=options.keep_names),
        dtype=options.dtype,
    )
    if options.class_weight is not None:
        made["class_weight"] = _class_weight(options.class_weight)
    if not options.bias:
        made["bias"] = False
    return made


def parameters_of(make: type[dl.Learner]) -> list[str]:
    """Return the parameters that only this learner has, as they are named on the command line."""
    own = [name for name, one in inspect.signature(make).parameters.items() if one.kind != one.VAR_KEYWORD]
    return [BASE if name == "learner" else name for name in own]


def _value(text: str) -> Any:
    """Parse a parameter: a number, true, false, none, or a word."""
    lowered = text.lower()
    if lowered in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[lowered]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _scale(text: str | None) -> Any:
    """Parse a scale: a word, or a RandomFourier with its parameters."""
    from driftline.learners.inner_learners import part_of

    if text in (None, "unit", "standard"):
        return text
    found = part_of("--scale", "a scale", text) if "fourier" in text.lower() else None
    if not isinstance(found, dl.RandomFourier):
        raise ValueError(f"--scale must be unit, standard or randomfourier(n=256, gamma=1.0), got {text!r}. Choose one")
    return found


def _labels(text: str, several: bool) -> tuple[Any, ...]:
    parts = text.split(",")
    if len(parts) != 2 and not (several and len(parts) > 2):
        raise ValueError(f"--labels must be NEGATIVE,POSITIVE, got {text!r}. Give two labels")
    return tuple(labels_of(parts))


def labels_of(texts: Sequence[str]) -> list[Any]:
    """Return labels as numbers if all of them are numbers, else as they are."""
    numbers = [_value(text) for text in texts]
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    return numbers if numeric else list(texts)


def _class_weight(text: str) -> Any:
    """Parse class weights: the word balanced, or LABEL=WEIGHT,LABEL=WEIGHT."""
    if text == "balanced":
        return text
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        weights = [float(weight) for _, _, weight in pairs]
    except ValueError:
        weights = []
    if len(weights) < len(pairs) or not all(label and sign for label, sign, _ in pairs):
        raise ValueError(
            f"--class-weight must be balanced or LABEL=WEIGHT,LABEL=WEIGHT, got {text!r}. Example: fraud=50,ok=1"
        )
    labels = labels_of([label for label, _, _ in pairs])
    if len(set(labels)) < len(labels):
        raise ValueError(f"--class-weight must give each label one weight, got {text!r}. Leave one out")
    return dict(zip(labels, weights, strict=True))
