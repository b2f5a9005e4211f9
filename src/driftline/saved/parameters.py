"""Convert parameters to plain values and back; parts with parameters are stored by name.

>>> from driftline.rules import PA1
>>> described(PA1(C=0.5))
{'part': 'pa1', 'parameters': {'C': 0.5, 'when': 'margin'}}
>>> made(described((PA1(C=0.5), "mistake")))
(PA1(C=0.5, when='margin'), 'mistake')
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from driftline.encode.faults import shortened
from driftline.rules import PARTS
from driftline.saved.fault import ModelError, UnfitError
from driftline.saved.plain import plain

LATER: dict[str, set[str]] = {"projectionperceptron": {"region"}}
"""Parameters that files of earlier versions lack. Their defaults are the former behaviour."""


def described(value: Any) -> Any:
    """Return a parameter in JSON form; raise ModelError unless it is plain or a known part."""
    name = type(value).__name__.lower()
    if is_dataclass(value) and PARTS.get(name) is type(value):
        return {"part": name, "parameters": {one.name: described(getattr(value, one.name)) for one in fields(value)}}
    if isinstance(value, list | tuple):
        return [described(one) for one in value]
    try:
        return plain(value)
    except TypeError:
        raise ModelError(
            f"save: a parameter must be a plain value or a part of driftline, got {shortened(value)}. "
            "Use a kernel or estimator that has a name"
        ) from None


def made(value: Any) -> Any:
    """Return the parameter that ``described`` converted; raise UnfitError if it is invalid."""
    if isinstance(value, list):
        return tuple(made(one) for one in value)
    if not isinstance(value, dict):
        return value
    kind = PARTS.get(value.get("part", "")) if isinstance(value.get("part"), str) else None
    if kind is None or value.keys() != {"part", "parameters"} or not isinstance(value["parameters"], dict):
        raise UnfitError(f"an unknown part {shortened(value)}", "Upgrade driftline")
    missing = {one.name for one in fields(kind)} - value["parameters"].keys()
    if value["parameters"].keys() - {one.name for one in fields(kind)} or missing - LATER.get(value["part"], set()):
        raise UnfitError(f"parameters {shortened(sorted(value['parameters']))} of {kind.__name__}")
    return kind(**{name: made(inner) for name, inner in value["parameters"].items()})
