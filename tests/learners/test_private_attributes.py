"""Only ``learners/`` looks inside a learner: other packages call ``driftline.learners.state``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import driftline

HOME = Path(driftline.__file__).parent
INSIDE = {"_engine", "_encoder", "_labels", "_scaler"}


def reached(source: str) -> Iterator[tuple[int, str]]:
    """The line and name of each private attribute of a learner that is read or set on anything
    but ``self``.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in INSIDE:
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            if not own:
                yield node.lineno, node.attr


def test_no_other_package_reads_the_inside_of_a_learner() -> None:
    found = [
        f"{path.relative_to(HOME)}:{line} {name}"
        for path in sorted(HOME.rglob("*.py"))
        if path.relative_to(HOME).parts[0] != "learners"
        for line, name in reached(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_such_access_would_be_found() -> None:
    assert sorted(reached("self._labels\nlearner._engine.v[0] = 1.0\nself.learner._scaler")) == [
        (2, "_engine"),
        (3, "_scaler"),
    ]
