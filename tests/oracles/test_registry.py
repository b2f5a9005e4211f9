"""Every learner has its oracle under its own name, and test modules stay independent."""

from __future__ import annotations

import ast
import importlib

import pytest

import driftline as dl
from tests.support.paths import ROOT

NAMES = {learner.__name__ for learner in dl.REGISTRY.values()}


def family_of(learner: type[dl.Learner]) -> str:
    """The folder of the learner's rule: ``linear`` for driftline.rules.linear.perceptron."""
    root, family, _ = type(learner().rule).__module__.removeprefix("driftline.").split(".")
    assert root == "rules"
    return family


@pytest.mark.parametrize("learner", dl.REGISTRY.values(), ids=lambda learner: learner.__name__)
def test_every_learner_has_its_oracle_in_the_module_of_its_family(learner: type[dl.Learner]) -> None:
    place = "tracker_regressor" if learner is dl.TrackerRegressor else family_of(learner)
    module = importlib.import_module(f"tests.oracles.{place}")
    oracle = getattr(module, learner.__name__, None)
    assert isinstance(oracle, type) and callable(getattr(oracle, "learn", None))
    assert oracle.__module__ == module.__name__
    assert oracle.__doc__, "an oracle states its formula and the source of it"


def test_no_test_defines_a_class_with_the_name_of_a_learner() -> None:
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.parent.name != "oracles" or path.name.startswith("test_"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
            found += [f"{path.relative_to(ROOT)}: {name}" for name in classes if name in NAMES]
    assert not found


def test_no_test_module_imports_from_another_one() -> None:
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(module.startswith("tests.") and ".test_" in module for module in modules):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not found
