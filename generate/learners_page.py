"""Write the page of learners: ``python -m generate.learners_page docs/learners.md [--strict]``.

The page has one row per learner with links to its rule, theorems, oracle and tests. It is
generated from the package and the files of the repository. ``--strict`` fails if an oracle or a
test is missing.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import driftline as dl
from driftline import rules
from generate.source import learners_of_the_registry

ROOT = Path(__file__).resolve().parents[1]
NONE = "-"
HEAD = """# Learners

Made by `make docs`. [Which learner](guide/choosing.md) says when to use which.

"""
FILES = """
## Rules, theorems, oracles and tests

One row per learner: the file with its update, the theorems about it or the reason why there is
none, the oracle (a slow version, written from the paper, with which the results are compared), and
its tests. Theorems are in `src/driftline/bounds`, at the same path as their rule. Tests that run
over many learners take their settings from `tests/support`: `linear_cases.py`, `expert_cases.py`
and `learner_cases.py`.

| learner | rule | theorems | oracle | tests |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """The files of one learner. An oracle or a test that was not found is None."""

    name: str
    rule: Path
    bounds: tuple[str, ...]
    no_bound: str
    oracle: Path | None
    test: Path | None

    def missing(self) -> list[str]:
        """Return a line for each file that was not found."""
        kinds = {"an oracle in tests/oracles": self.oracle, "a test in tests/rules": self.test}
        return [f"{self.name}: {what}" for what, path in kinds.items() if path is None]

    def line(self, folder: Path) -> str:
        """Return the row of the table, with links relative to the folder of the page."""
        theorems = ", ".join(
            _link(theorem, ROOT / "docs" / "bounds" / f"{theorem}.md", folder) for theorem in self.bounds
        )
        found = (NONE if path is None else _link(path.name, path, folder) for path in (self.oracle, self.test))
        cells = [f"`{self.name}`", _link(self.rule.name, self.rule, folder), theorems or self.no_bound, *found]
        return f"| {' | '.join(cells)} |"


def row(name: str) -> Row:
    """Return the files of the learner with this name in the registry."""
    learner, rule = dl.REGISTRY[name].__name__, rules.PARTS[name]
    *_, family, module = rule.__module__.split(".")
    path = ROOT / "src" / Path(*rule.__module__.split(".")).with_suffix(".py")
    return Row(
        learner, path, rule.bounds, rule.no_bound, oracle_of(learner, family), test_of(learner, name, family, module)
    )


def oracle_of(learner: str, family: str) -> Path | None:
    """Return the file of tests/oracles that defines the learner's name.

    Its family's file comes first.
    """
    files = sorted((ROOT / "tests" / "oracles").glob("*.py"), key=lambda path: (path.stem != family, path.name))
    return next((path for path in files if learner in _defined(path)), None)


def test_of(learner: str, name: str, family: str, module: str) -> Path | None:
    """Return the test file of the module, or the family's test file that mentions the learner
    most.

    Files that use oracles come first.
    """
    folder = ROOT / "tests" / "rules" / family
    for own in (f"test_{module}.py", "test_oracle_agreement.py"):
        if (folder / own).exists():
            return folder / own
    mention = re.compile(rf"\b{learner}\b|\"{name}\"")
    counts = {path: len(mention.findall(path.read_text(encoding="utf-8"))) for path in folder.glob("test_*.py")}
    found = [path for path, count in counts.items() if count]
    return max(found, key=lambda path: ("oracles" in path.read_text(encoding="utf-8"), counts[path]), default=None)


def page(folder: Path = ROOT / "docs", strict: bool = False) -> str:
    """Return the page for a file in this folder."""
    found = [row(name) for name in dl.REGISTRY]
    missing = [what for one in found for what in one.missing()]
    if strict and missing:
        raise SystemExit(f"learners_page: every learner must have an oracle and a test, missing: {'; '.join(missing)}")
    return HEAD + ideas() + FILES + "\n".join(one.line(folder) for one in found) + "\n"


def ideas() -> str:
    """The table with the idea and the paper of every learner."""
    rows = ["| learner | the idea | paper |", "|---|---|---|"]
    for one in learners_of_the_registry():
        named = ", ".join(each.name for each in one.parameters if not each.keyword_only)
        call = f"{one.name}({named})" if named else one.name
        rows.append(f"| `{call}` | {one.doc.summary.replace('``', '`').removesuffix('.')} | {one.rule.paper} |")
    return "\n".join(rows) + "\n"


def _defined(path: Path) -> set[str]:
    """Return the names of the classes and functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def _link(text: str, path: Path, folder: Path) -> str:
    return f"[{text}]({Path(os.path.relpath(path, folder)).as_posix()})"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(page(target.resolve().parent, "--strict" in sys.argv[2:]), encoding="utf-8")
