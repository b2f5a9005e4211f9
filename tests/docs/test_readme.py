"""The code and the commands in the README, and the code on the first page of the site, run as they are written."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from driftline.cli.main import COMMANDS
from tests.support.doc_blocks import run
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
import readme_figures  # noqa: E402

README = ROOT / "README.md"
BLOCK_LINE = re.compile(r"^ {4}(\S.*)$", re.MULTILINE)
IN_PROSE = re.compile(r"`driftline\s+([^`]+)`")


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "index.md"], ids=lambda page: page.name)
def test_the_code_of_the_first_page_runs(page: Path, capsys: Any) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page.name, "exec"), {})
        shown = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        printed = capsys.readouterr().out.splitlines()
        assert printed == shown, "every printed line must be shown"


def test_the_readme_is_short_and_its_figures_were_made_by_a_command() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 120
    table = text.partition(readme_figures.FIRST)[2].partition(readme_figures.LAST)[0]
    assert all(shown in table for shown in readme_figures.LEARNERS.values())
    for theme in ("light", "dark"):
        assert f"docs/site/drift_{theme}.svg" in text and (ROOT / "docs" / "site" / f"drift_{theme}.svg").exists()


def commands_in(text: str) -> list[list[str]]:
    """The commands of indented blocks, then the commands with arguments in prose, as words after "driftline"."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    blocks = [shlex.split(line, comments=True) for line in BLOCK_LINE.findall(text)]
    prose = [shlex.split(found) for found in IN_PROSE.findall(text)]
    return [words for program, *words in blocks if program == "driftline"] + [
        words for words in prose if len(words) > 1 and not words[1].startswith("-")
    ]


def test_the_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    used = commands_in(README.read_text())
    assert {words[0] for words in used} <= set(COMMANDS)
    for words in used:
        code, said = run(words)
        assert code == 0, f"driftline {shlex.join(words)}: {said[-500:]}"
    written = {"out.html", "model.dl"}
    assert written <= {path.name for path in tmp_path.iterdir()}


def test_every_block_of_the_readme_is_of_a_kind_that_is_run() -> None:
    text = README.read_text()
    assert set(re.findall(r"^```(\w+)$", text, re.MULTILINE)) == {"python"}
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert {line.split()[0] for line in BLOCK_LINE.findall(plain)} == {"make", "driftline", "pip"}


def test_commands_are_found_in_blocks_and_prose() -> None:
    block = "    make demo\n    driftline data mails  # a file\n"
    prose = "Then `driftline\nrun a.csv`, `driftline predict` or `driftline run --model`.\n"
    assert commands_in(f"Try:\n\n{block}\n{prose}") == [["data", "mails"], ["run", "a.csv"]]
