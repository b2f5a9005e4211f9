"""The page of learners: current, complete, without dead links; every rule file holds its update."""

from __future__ import annotations

import importlib
import re

import pytest
from numba.core.dispatcher import Dispatcher

import driftline as dl
from driftline import rules
from generate import learners_page
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
COMPOSITIONS = {"bank", "committee", "onevsrest", "labelefficient", "batchonline", "tracker", "trackerregressor"}
"""Learners made of other learners: their rule is a formula, and their parts have the compiled updates."""
every_learner = pytest.mark.parametrize("name", dl.REGISTRY)


def rows() -> dict[str, str]:
    """Learner to its line of the page."""
    _, files = (DOCS / "learners.md").read_text(encoding="utf-8").split(learners_page.FILES)
    lines = files.splitlines()
    return {found[1]: line for line in lines if (found := re.match(r"\| `(\w+)` \|", line))}


def test_the_page_is_current() -> None:
    assert (DOCS / "learners.md").read_text(encoding="utf-8") == learners_page.page()


@every_learner
def test_a_learner_has_a_row_with_all_its_links(name: str) -> None:
    line = rows()[dl.REGISTRY[name].__name__]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert len(cells) == 5 and learners_page.NONE not in cells
    linked = re.findall(r"\]\((.*?)\)", line)
    assert len(linked) == 3 + len(rules.PARTS[name].bounds)
    assert all((DOCS / path).resolve().is_file() for path in linked)
    assert cells[2] == rules.PARTS[name].no_bound or "](bounds/" in cells[2]


def test_there_is_one_row_per_learner() -> None:
    assert list(rows()) == [learner.__name__ for learner in dl.REGISTRY.values()]


def test_the_page_has_the_idea_and_the_paper_of_every_learner() -> None:
    before, _ = (DOCS / "learners.md").read_text(encoding="utf-8").split(learners_page.FILES)
    assert [one.__name__ for one in dl.REGISTRY.values() if f"| `{one.__name__}" not in before] == []


def test_a_missing_file_is_told_in_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners_page, "oracle_of", lambda learner, family: None)
    with pytest.raises(SystemExit, match=r"missing: Perceptron: an oracle in tests/oracles; PNormPerceptron: "):
        learners_page.page(strict=True)
    assert f"| {learners_page.NONE} |" in learners_page.page()


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
