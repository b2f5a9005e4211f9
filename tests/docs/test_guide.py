"""The guide is correct: its blocks run and print what is shown, and its links exist."""

from __future__ import annotations

import ast
import json
import re
import sys
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import COMMANDS
from driftline.learners import LINEAR
from driftline.reproduce import EXPERIMENTS
from tests.support.doc_blocks import blocks, failures, prose, run
from tests.support.paths import ROOT

GUIDE = ROOT / "docs" / "guide"
FIGURES = sorted((GUIDE / "figures").glob("*.svg"))
PAGES = sorted(GUIDE.glob("*.md"))
WITHOUT_RAY = [page for page in PAGES if page.name != "scaling.md"]  # make integration runs that page
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")
NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|(?<![\w.])\d")
MOST = 150_000


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", WITHOUT_RAY, ids=named)
def test_the_blocks_of_a_page_print_what_stands_there(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    assert blocks(page.read_text()), "a page must have a block that is run"
    assert "\n".join(failures(page)) == ""


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_one_that_is_run(page: Path) -> None:
    text = page.read_text()
    assert {block.language for block in blocks(text)} <= {"python", "console"}
    assert "```" not in prose(text), "a fence must be closed"
    assert not re.search(r"^( {4}|\t)\S", prose(text), re.MULTILINE), "code must stand between fences"


def test_what_a_page_says_wrongly_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    wrong = {
        "```python\n>>> 1 + 1\n3\n```": "Expected:\n    3",
        "```python\n>>> 1 / 0\n```": "ZeroDivisionError",
        "```console\n$ driftline bounds nothing\n```": "must end with 0, got 2",
        "```console\n$ driftline bounds --json\ndriftline: an error\n```": "must end with 2, got 0",
        "```console\n$ driftline bounds winnow\nwinnow: a bound\n```": "must print\nwinnow: a bound\ngot\n",
    }
    for text, said in wrong.items():
        page.write_text(f"# A page\n\n{text}\n")
        assert said in "\n".join(failures(page)), text
    page.write_text(
        "```python\n>>> k = 2\n```\n```python\n>>> k\n2\n```\n```console\n$ driftline bounds pa\npa: ...\n```\n"
    )
    assert failures(page) == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=named)
def test_every_link_leads_to_a_file_and_every_figure_is_told_in_words(page: Path) -> None:
    for figure, text, target in LINK.findall(prose(page.read_text())):
        if re.match(r"\w+:", target):
            continue
        path, _, place = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), f"{target} must be a file, got nothing there"
        if place:
            headings = re.findall(r"^#+ (.*)$", there.read_text(), re.MULTILINE)
            assert place in [re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings], target
        assert not figure or len(text.split()) >= 5, f"{target} must have words for those who cannot see it"


def test_all_pages_are_in_the_index_and_the_readme_names_the_guide() -> None:
    index = (GUIDE / "README.md").read_text()
    assert [page.name for page in PAGES if page.name != "README.md" and f"]({page.name})" not in index] == []
    assert "](docs/guide/README.md)" in (ROOT / "README.md").read_text()


def test_every_learner_every_command_and_every_experiment_is_in_the_guide() -> None:
    """Of two-number rules the guide names those that it recommends; the README lists all."""
    text = "\n".join(page.read_text() for page in PAGES)
    code = "\n".join([*CODE.findall(prose(text)), *(block.text for block in blocks(text))])
    others = [one.__name__ for name, one in dl.REGISTRY.items() if name not in LINEAR]
    assert [name for name in others if not re.search(rf"\b{name}\b", code)] == []
    assert [name for name in COMMANDS if f"driftline {name}" not in code and name != "demo"] == []
    assert [name for name in EXPERIMENTS if name not in text] == []


def test_commands_and_options_in_prose_are_there() -> None:
    options = set(re.findall(r"--[a-z][\w-]*", "".join(run([name, "--help"])[1] for name in COMMANDS)))
    for page in PAGES:
        text = prose(page.read_text())
        if page.name == "from_vw.md":  # the first column of its table has the options of the other program
            text = re.sub(r"^\| .*? \|", "|", text, flags=re.MULTILINE)
        code = CODE.findall(text)
        said = [one.split()[1].strip("`") for one in code if re.match("`driftline [^-]", one)]
        code = [one for one in code if not one.startswith("`curl ")]
        assert [name for name in said if name not in COMMANDS] == [], page.name
        assert sorted(set(re.findall(r"--[a-z][\w-]*", "".join(code))) - options) == [], page.name


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_number_in_prose_that_no_block_prints(page: Path) -> None:
    """Years of papers aside; what stands in code is a parameter."""
    text = page.read_text()
    printed = "\n".join(block.text for block in blocks(text))
    plain = CODE.sub("", LINK.sub(r"\2", prose(text)))
    numbers = [one for one in NUMBER.findall(plain) if not re.fullmatch(r"(19|20)\d\d", one)]
    assert [one for one in numbers if one not in NUMBER.findall(printed)] == []


# figures ----------------------------------------------------------------------------------------------------------
@cache
def drawn_by(experiment: str) -> list[str]:
    """Patterns of the names of all drawings that an experiment makes, as its sources write them."""
    package = ROOT / "src" / Path(*EXPERIMENTS[experiment].split("."))
    found = []
    for source in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Drawing":
                name = node.args[0]
                parts = name.values if isinstance(name, ast.JoinedStr) else [name]
                found.append("".join(re.escape(p.value) if isinstance(p, ast.Constant) else r"[\w.-]+" for p in parts))
    return found


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_what_an_experiment_draws_can_be_told_from_its_sources(experiment: str) -> None:
    assert drawn_by(experiment), f"{experiment} must make drawings whose names are written where they are made"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda path: path.name)
def test_every_figure_is_one_that_an_experiment_draws_and_a_page_shows(figure: Path) -> None:
    experiment, _, name = figure.stem.partition("-")
    assert experiment in EXPERIMENTS
    assert any(re.fullmatch(pattern, name) for pattern in drawn_by(experiment)), f"{experiment} draws no {name}"
    assert any(f"](figures/{figure.name})" in page.read_text() for page in PAGES), "a page must show it"
    assert figure.stat().st_size <= MOST
    ET.parse(figure)


@pytest.fixture
def guide_figures(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import guide_figures

    yield guide_figures
    sys.modules.pop("guide_figures")


def test_figures_are_copied_as_pages_link_them(tmp_path: Path, guide_figures: object) -> None:
    guide, made = tmp_path / "guide", tmp_path / "reproduced" / "winnow"
    (guide / "figures").mkdir(parents=True)
    (made / "figures").mkdir(parents=True)
    (guide / "page.md").write_text("![Mistakes grow](figures/winnow-growing-1.svg)\n")
    (guide / "figures" / "winnow-old.svg").write_text("<svg/>")
    copy = guide_figures.copy  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"must have the figure growing-1, got none"):
        copy(made.parent, guide)
    assert (guide / "figures" / "winnow-old.svg").exists()
    (made / "figures" / "growing-1.svg").write_text("<svg/>")
    (made / "manifest.json").write_text(json.dumps({"quick": True}))
    with pytest.raises(ValueError, match="must be of a full run, got a quick one"):
        copy(made.parent, guide)
    (made / "manifest.json").write_text(json.dumps({"quick": False}))
    copy(made.parent, guide)
    assert [path.name for path in (guide / "figures").iterdir()] == ["winnow-growing-1.svg"]
    (made / "figures" / "growing-1.svg").write_text("<svg>" + " " * MOST + "</svg>")
    with pytest.raises(ValueError, match="must have at most 150,000 bytes"):
        copy(made.parent, guide)
