"""The blocks of a page of the guide, run as doctests (Python) or commands (console).

A command that ends with & is a server: it runs until the end of the page, on a free port in place
of 8000.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftline.cli.main import main
from tests.support.page_servers import Servers, fetched

FENCE = re.compile(r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
PROMPT, PROGRAM, ERROR = "$ ", "driftline", "driftline: "


FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int
    """Of its first line in the page, from 0."""


@dataclass(frozen=True)
class Command:
    """A line of the command line, and what it prints."""

    words: list[str]
    output: str
    program: str = PROGRAM


def blocks(text: str) -> list[Block]:
    """The blocks of a page in their order."""
    return [Block(one["language"], one["text"], text.count("\n", 0, one.start()) + 1) for one in FENCE.finditer(text)]


def prose(text: str) -> str:
    """A page without its blocks."""
    return FENCE.sub("", text)


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; text before the first command is an error."""
    before, *rest = re.split(rf"^{re.escape(PROMPT)}", block.text, flags=re.MULTILINE)
    assert before == "", f"a console block must begin with {PROMPT!r}, got {before!r}"
    for one in rest:
        line, _, output = re.sub(r"\\\n *", "", one).partition("\n")
        program, *words = shlex.split(line)
        assert program in (PROGRAM, "curl"), f"a command must be one of {PROGRAM} or curl, got {line!r}"
        yield Command(words, output, program)


def failures(page: Path) -> list[str]:
    """Run all blocks of a page in this folder, in one namespace; return the failures."""
    names: dict[str, Any] = {}
    found: list[str] = []
    with Servers() as servers:
        for block in blocks(servers.with_port(page.read_text())):
            if block.language == "python":
                found += _failed_doctest(block, names, page)
            else:
                found += [said for one in commands(block) if (said := _failed_command(one, servers))]
    return found


def _failed_doctest(block: Block, names: dict[str, Any], page: Path) -> list[str]:
    test = doctest.DocTestParser().get_doctest(block.text, names, page.stem, str(page), block.line)
    assert test.examples, f"{page.name}: a Python block must have an example, got {block.text!r}"
    said = io.StringIO()
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    return [said.getvalue()] if said.getvalue() else []


def _failed_command(command: Command, servers: Servers) -> str:
    """What differs from the page; nothing where it agrees."""
    if command.program == "curl":
        code, said = fetched(command.words)
    elif command.words[-1:] == ["&"]:
        code, said = servers.start(command.words[:-1])
    else:
        code, said = run(command.words)
    expected = 2 if command.output.startswith(ERROR) else 0
    line = shlex.join([command.program, *command.words])
    if code != expected:
        return f"{line}: must end with {expected}, got {code}:\n{said}"
    if not doctest.OutputChecker().check_output(command.output, said, FLAGS):
        return f"{line}: must print\n{command.output}got\n{said}"
    return ""


def run(words: list[str]) -> tuple[int, str]:
    """The exit code of a command, and all that it prints, as on a terminal."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = main(words)
    return code, said.getvalue()
