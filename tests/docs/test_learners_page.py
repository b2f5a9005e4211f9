"""The page of learners: current, complete, without dead links; every rule file holds its update."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from types import ModuleType

import pytest
from numba.core.dispatcher import Dispatcher

import driftline as dl
from driftline import rules
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
COMPOSITIONS = {"bank", "committee", "onevsrest", "labelefficient", "batchonline", "tracker"}
"""Learners made of other learners: their rule is a formula, and their parts have the compiled updates."""
every_learner = pytest.mark.parametrize("name", dl.REGISTRY)


def loaded() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("learners_page", ROOT / "benchmarks" / "learners_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["learners_page"] = module
    spec.loader.exec_module(module)
    return module


PAGE = loaded()


def rows() -> dict[str, str]:
    """Learner to its line of the page."""
    lines = (DOCS / "learners.md").read_text(encoding="utf-8").splitlines()
    return {found[1]: line for line in lines if (found := re.match(r"\| `(\w+)` \|", line))}


def test_the_page_is_current() -> None:
    assert (DOCS / "learners.md").read_text(encoding="utf-8") == PAGE.page()


@every_learner
def test_a_learner_has_a_row_with_all_its_links(name: str) -> None:
    line = rows()[dl.REGISTRY[name].__name__]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert len(cells) == 5 and PAGE.NONE not in cells
    linked = re.findall(r"\]\((.*?)\)", line)
    assert len(linked) == 3 + len(rules.PARTS[name].bounds)
    assert all((DOCS / path).resolve().is_file() for path in linked)
    assert cells[2] == rules.PARTS[name].no_bound or "](bounds/" in cells[2]


def test_there_is_one_row_per_learner() -> None:
    assert list(rows()) == [learner.__name__ for learner in dl.REGISTRY.values()]


def test_a_missing_file_is_told_in_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PAGE, "oracle_of", lambda learner, family: None)
    with pytest.raises(SystemExit, match=r"missing: Perceptron: an oracle in tests/oracles; PNormPerceptron: "):
        PAGE.page(strict=True)
    assert f"| {PAGE.NONE} |" in PAGE.page()


@every_learner
def test_the_file_of_a_rule_has_its_update(name: str) -> None:
    """A compiled function of the module, or, for learners made of others, a formula in its docstring."""
    module = importlib.import_module(rules.PARTS[name].__module__)
    if name in COMPOSITIONS:
        assert re.search(r"^    \S.*(=|<-|argmax)", module.__doc__ or "", re.MULTILINE)
        return
    compiled = [
        one
        for one in vars(module).values()
        if isinstance(one, Dispatcher) and one.py_func.__module__ == module.__name__
    ]
    assert compiled
