"""``driftline learners``: list the learners, or describe one of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline import Learner

SECTION = re.compile(r"^Parameters\n-{10}\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(\*{0,2}\w+)(?: : (.+))?\n((?: {4}.+(?:\n|\Z))+)", re.MULTILINE)
SHARED = ("bias", "scale", "labels", "hashing", "dtype", "class_weight", "**options")
"""Parameters that are options of commands."""


def learners(name: str | None = None, *, json: bool = False) -> int:
    """List the learners, or describe one of them: its parameters, paper and theorems.

    Parameters
    ----------
    name
        Name of a learner. Default: list all learners.
    json
        Print the result as JSON.
    """
    import json as as_json

    import driftline as dl
    from driftline.cli.learner import class_of
    from driftline.internals.text_table import aligned

    if name is not None:
        facts: Any = _described(class_of(name, "learners: name"))
        print(as_json.dumps(facts) if json else _text(facts))
        return 0
    facts = [
        {key: one[key] for key in ("name", "task", "summary", "paper")} for one in map(_described, dl.REGISTRY.values())
    ]
    if json:
        print(as_json.dumps(facts))
        return 0
    rows = [("learner", "description", "paper"), *((one["name"], one["summary"], one["paper"]) for one in facts)]
    print("\n".join(line.rstrip() for line in aligned(rows, words=3).splitlines()))
    return 0


def parameter_help(name: str) -> str:
    """Return the parameters of a learner as text, for the help of a command."""
    from driftline.cli.learner import class_of

    facts = _described(class_of(name))
    return "\n".join([f"Parameters of {facts['name']}:", "", *_parameter_lines(facts["parameters"])])


def _described(make: type[Learner]) -> dict[str, Any]:
    """Return what is known about a learner, as JSON values."""
    import inspect

    from driftline.rules import PARTS

    text, rule = inspect.getdoc(make) or "", PARTS[make.__name__.lower()]
    section = SECTION.search(text)
    lead = text[: section.start()].strip() if section else text
    summary, _, rest = lead.partition("\n\n")
    return {
        "name": make.__name__.lower(),
        "class": f"driftline.{make.__name__}",
        "task": "regression" if rule.regresses else "classification",
        "summary": _plain(summary),
        "description": [_plain(part) for part in rest.split("\n\n") if part],
        "parameters": [_parameter(one) for one in ENTRY.findall(section[1] if section else "") if one[0] not in SHARED],
        "paper": rule.paper,
        "theorems": list(rule.bounds),
        "no_theorem": rule.no_bound,
        "rule": rule.__module__,
    }


def _parameter(entry: tuple[str, str, str]) -> dict[str, str]:
    """Return the name, type, default and text of a parameter."""
    name, kind, text = entry
    kind, _, default = kind.partition(", default=")
    option = "base" if name == "learner" else name
    return {"name": name, "option": f"--{option}", "type": kind, "default": default, "text": _plain(text)}


def _plain(text: str) -> str:
    """Return text in one line, without marks of code."""
    return " ".join(text.replace("``", "").split())


def _text(facts: dict[str, Any]) -> str:
    import textwrap

    lines = [f"{facts['name']}: {facts['summary']}"]
    for part in facts["description"]:
        lines += ["", *textwrap.wrap(part, 96)]
    lines += ["", "parameters:", *_parameter_lines(facts["parameters"])]
    lines += ["", f"paper: {facts['paper'] or 'none'}"]
    if facts["theorems"]:
        lines.append(f"theorems: {', '.join(facts['theorems'])}")
        lines.append(f"          (driftline bounds {facts['theorems'][0]} describes the first)")
    else:
        lines.append(f"theorems: none; {facts['no_theorem']}")
    lines += [f"task: {facts['task']}", f"class: {facts['class']}", f"rule: {facts['rule']}"]
    return "\n".join(lines)


def _parameter_lines(parameters: list[dict[str, str]]) -> list[str]:
    import textwrap

    lines = []
    for one in parameters:
        lines.append(f"  {one['option']}  {one['type']}, default {one['default']}")
        lines += textwrap.wrap(one["text"], 90, initial_indent="      ", subsequent_indent="      ")
    return lines or ["  none"]
