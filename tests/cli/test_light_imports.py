"""A format imports only the libraries that it needs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.support.example_files import jsonl, svmlight, vw
from tests.support.paths import ROOT
from tests.support.processes import printed

HEAVY = ("pyarrow", "pandas", "polars", "sklearn", "matplotlib", "river")
CODE = """
import sys
from driftline.cli.main import main
assert main({arguments!r}) == 0
print("imported:", *({heavy!r} & sys.modules.keys()))
"""


def imported(*arguments: str) -> set[str]:
    """The heavy libraries that a command has imported."""
    last = printed(CODE.format(arguments=[*arguments, "--learner", "pa1"], heavy=set(HEAVY))).splitlines()[-1]
    return set(last.removeprefix("imported:").split())


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [("a.svm", svmlight, []), ("a.vw", vw, []), ("a.jsonl", jsonl, ["--target", "y"])],
    ids=["svmlight", "vw", "jsonl"],
)
def test_text_formats_import_no_table_library(name: str, content: object, options: list[str], tmp_path: Path) -> None:
    assert callable(content)
    (tmp_path / name).write_bytes(content())
    assert imported("run", str(tmp_path / name), *options) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["predict", "--help"], ["warm", "--help"]])
def test_help_imports_no_numeric_library(arguments: list[str]) -> None:
    numeric = {*HEAVY, "numpy", "scipy", "numba", "llvmlite", "orjson"}
    last = printed(CODE.format(arguments=arguments, heavy=numeric)).splitlines()[-1]
    assert last == "imported:"


def test_a_plain_install_has_the_command_line_and_every_format() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {one.partition(">")[0] for one in project["dependencies"]}
    assert needed == {"numpy", "scipy", "numba", "cyclopts", "orjson", "pyarrow"}
    assert project["optional-dependencies"]["cli"] == project["optional-dependencies"]["files"] == []
