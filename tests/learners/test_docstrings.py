"""Every learner, and every scikit-learn and river classifier, describes each of its parameters with its default."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

import pytest

import driftline as dl
from driftline import river, sklearn
from driftline.learners.options import Options

CLASSES = [
    *dl.REGISTRY.values(),
    *(getattr(sklearn, name) for name in sklearn.__all__),
    *(getattr(river, name) for name in river.__all__),
]
SECTION = re.compile(r"^Parameters\n-{10}\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(\*{0,2}\w+)(?: : (.+))?\n((?: {4}.+(?:\n|\Z))+)", re.MULTILINE)


def named(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def described(kind: type[Any]) -> dict[str, str]:
    """Name to type and default, as the section on parameters has them."""
    section = SECTION.search(inspect.getdoc(kind) or "")
    assert section is not None, "a section Parameters must be there"
    entries = ENTRY.findall(section[1])
    assert "".join(section[1].split()) == "".join(
        "".join(f"{name}{' : ' + kind if kind else ''}{text}".split()) for name, kind, text in entries
    ), "every line must belong to a parameter"
    return {name: kind for name, kind, _ in entries}


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_every_parameter_is_described(kind: type[Any]) -> None:
    parameters = dict(inspect.signature(kind).parameters)
    if not parameters:
        return
    entries = described(kind)
    if parameters.pop("options", None) and entries.pop("**options", None) is None:
        for name in Options.__annotations__:  # each option by itself
            assert "default=" in entries.pop(name), name
    assert entries.keys() == parameters.keys()
    for name, one in parameters.items():
        _, _, text = entries[name].partition("default=")
        assert eval(text, {"exp": math.exp, "inf": math.inf}) == one.default, name


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_a_docstring_begins_with_one_sentence_and_stays_within_100_columns(kind: type[Any]) -> None:
    summary, blank, *_ = (inspect.getdoc(kind) or "").split("\n")
    assert summary.endswith(".") and blank == ""
    prose = [line for line in (kind.__doc__ or "").split("\n") if ">>>" not in line and "..." not in line]
    assert [line for line in prose if len(line) >= 100] == []


@pytest.mark.parametrize("name", [name for name in dl.REGISTRY if name != "bank"])
def test_every_rule_names_its_paper(name: str) -> None:
    assert re.search(r" \d{4}$", dl.REGISTRY[name]().rule.paper)
