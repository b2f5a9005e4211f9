"""``driftline bounds``: list the theorems, or evaluate one of them."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any


def bounds(theorem: str | None = None, *, json: bool = False, **inputs: str) -> int:
    """List the theorems, or print the bound and the parameters that one of them gives.

    Parameters
    ----------
    theorem
        Name of a theorem. Default: list all theorems.
    json
        Print the result as JSON.
    inputs
        Inputs of the theorem, for example --X 1 --B 5 --T 1000 --mu 1 for norma.
        Default: describe the theorem and its inputs.
    """
    import json as as_json

    from driftline.bounds import CATALOGUE

    if theorem is None:
        facts: Any = [{"name": name, "bounds": one.limits, "says": _statement(one)} for name, one in CATALOGUE.items()]
        print(as_json.dumps(facts) if json else "\n".join(_line(one) for one in facts))
        return 0
    found = CATALOGUE.get(theorem.lower())
    if found is None:
        close = difflib.get_close_matches(theorem.lower(), CATALOGUE, 1)
        hint = f"Did you mean {close[0]}?" if close else "See driftline bounds"
        raise ValueError(f"bounds: theorem must be a name in the catalogue, got {theorem!r}. {hint}")
    if not inputs:
        print(as_json.dumps(_described(found)) if json else _text(_described(found)))
        return 0
    facts = _described(found) | _evaluated(found, inputs)
    print(as_json.dumps(facts) if json else _text(facts))
    return 0


def _evaluated(found: Any, inputs: dict[str, str]) -> dict[str, Any]:
    """Return the value of the bound and the prescribed parameters for these inputs."""
    from driftline.bounds.input_names import example, wrong_names

    wrong = wrong_names(found, inputs, prefix="--")
    if wrong:
        call = " ".join(f"--{name} {value:g}" for name, value in example(found).items())
        raise ValueError(f"bounds: {wrong}. Example: driftline bounds {found.name} {call}")
    bound = found(**{name: _number(name, text) for name, text in inputs.items()})
    given = {one.name: getattr(bound, one.name) for one in fields(found)}
    try:
        return {"given": given, "value": bound.value, "useful": bound.useful, "tuning": bound.tuning()} | (
            {} if bound.ceiling is None else {"largest": bound.ceiling}
        )
    except ArithmeticError:
        raise ValueError(
            f"{found.name}: inputs must give a bound that a float can hold, got {given}. Scale the examples"
        ) from None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--{name} must be a number, got {text!r}. Write it as 0.5 or 1e-3") from None


def _described(found: Any) -> dict[str, Any]:
    return {
        "name": found.name,
        "says": _statement(found),
        "bounds": found.limits,
        "inputs": {one.name: one.metadata["meaning"] for one in fields(found)},
        "conditions": list(found.conditions),
        "tight": {"share": found.tight.share, "on": found.tight.on},
        "citation": found.citation,
        "erratum": found.erratum,
    }


def _value(facts: dict[str, Any]) -> str:
    if facts["useful"]:
        return f"value: {facts['value']:.6g}"
    return (
        f"value: no useful bound: the formula gives {facts['value']:.6g}, and the {facts['bounds']} "
        f"cannot exceed {facts['largest']:.6g}"
    )


def _statement(found: Any) -> str:
    return " ".join(str(found.__doc__).split())


def _line(one: dict[str, str]) -> str:
    return f"{one['name']:<36}{one['bounds']:<22}{one['says']}"


def _text(facts: dict[str, Any]) -> str:
    given = facts.get("given", {})
    lines = [f"{facts['name']}: {facts['says']}", f"bounds: {facts['bounds']}"]
    if "value" in facts:
        lines.append(_value(facts))
        lines += [f"prescribes: {name} = {value:.6g}" for name, value in facts["tuning"].items()]
    lines.append("inputs:")
    for name, meaning in facts["inputs"].items():
        value = given.get(name)
        lines.append(f"  --{name}" + ("" if value is None else f" {value:g}") + f"  {meaning}")
    lines.append("conditions:")
    lines += [f"  {one}" for one in facts["conditions"]]
    lines.append(f"seen: at most {facts['tight']['share']:.2f} of it, on {facts['tight']['on']}")
    lines.append(f"citation: {facts['citation']}")
    if facts["erratum"]:
        lines.append(f"erratum: {facts['erratum']}")
    return "\n".join(lines)
