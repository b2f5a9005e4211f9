"""The API reference: every public name has an entry, and every parameter is described."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import FunctionType
from typing import Any

import pytest

import driftline as dl
from driftline import client
from driftline.bounds.bound import Bound
from generate.site import commands, learners, reference
from tests.support.paths import ROOT

MODULES = reference.modules()
every_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
ENTRY = re.compile(r"^(\S.*?)(?: ?:.*)?$", re.MULTILINE)
OPTIONS = ("options",)
"""Keyword arguments that the docstring of a learner describes one by one."""
MADE = ("Run", "FileStream", "Ledger")
"""Classes that users do not construct."""
SEE = re.compile(r"see ``(\w+)\.(\w+)``")
SHARED = ("driftline.sklearn", "driftline.river")
"""Modules whose methods are those of another library."""


def entries() -> set[str]:
    """Every name with an entry in the reference, with its module."""
    texts = (reference.pages() | learners.pages()).values()
    found = {name for text in texts for name in re.findall(r"^\.\. auto\w+:: (\S+)$", text, re.MULTILINE)}
    return found | {f"{module.name}.{name}" for module in MODULES for name in module.names() if name in reference.DATA}


@every_module
def test_every_public_name_has_an_entry(module: reference.Module) -> None:
    known = entries()
    homes = ("driftline", module.name)
    missing = [
        name
        for name in reference.public_names(module.load())
        if name not in reference.SUBMODULES | {"Callable"} and not {f"{home}.{name}" for home in homes} & known
    ]
    assert missing == []


def test_every_learner_and_command_has_a_page() -> None:
    assert {f"learners/{one.__name__.lower()}.md" for one in dl.REGISTRY.values()} <= set(learners.pages())
    from driftline.cli.main import COMMANDS

    assert {f"commands/{name}.md" for name in COMMANDS} <= set(commands.pages())


@every_module
def test_every_parameter_is_described(module: reference.Module) -> None:
    loaded, missing = module.load(), []
    for name in reference.public_names(loaded):
        value = getattr(loaded, name)
        if inspect.isclass(value) and issubclass(value, Bound):
            missing += _missing_inputs(value)
        elif callable(value) and name not in MADE:
            missing += _missing(name, value)
        if inspect.isclass(value) and module.name not in SHARED:
            for method in _methods(value):
                missing += _missing(f"{name}.{method.__name__}", method, value)
    assert sorted(set(missing)) == []


def _missing_inputs(theorem: type[Bound]) -> list[str]:
    """The inputs of a theorem that its page does not describe."""
    if theorem is Bound:
        return []
    page = (ROOT / "docs" / "bounds" / f"{theorem.name}.md").read_text()
    return [f"{theorem.name}: {one.name}" for one in fields(theorem) if f"`{one.name}`" not in page]


def _methods(value: type[Any]) -> Iterator[FunctionType]:
    for name in dir(value):
        found = inspect.getattr_static(value, name)
        if isinstance(found, classmethod | staticmethod):
            found = found.__func__
        if not name.startswith("_") and isinstance(found, FunctionType) and found.__module__.startswith("driftline"):
            yield found


def _missing(name: str, value: Callable[..., Any], owner: type[Any] | None = None) -> list[str]:
    """The parameters that neither a section nor the text of the docstring names.

    A method may be described in a base class, or where its docstring refers to.
    """
    try:
        parameters = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return []
    described: list[Any] = [value]
    described += [value.__init__] if owner is None else [getattr(base, value.__name__, None) for base in owner.__mro__]
    for home, method in SEE.findall(value.__doc__ or ""):
        described.append(getattr(getattr(client, home), method))
    docs = [inspect.cleandoc(one.__doc__) for one in described if one is not None and one.__doc__]
    text = "\n".join(docs)
    listed = {
        one.strip().lstrip("*")
        for doc in docs
        for section in SECTION.findall(doc)
        for entry in ENTRY.findall(section)
        for one in entry.split(",")
    }
    return [
        f"{name}: {one}"
        for one in parameters
        if one not in ("self", "cls", *OPTIONS) and one not in listed and not re.search(rf"\b{one}\b", text)
    ]
