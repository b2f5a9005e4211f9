"""The reference of the command line: the help of every command, as it is printed."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from driftline.cli.main import COMMANDS, main

WIDTH = "100"


def pages() -> dict[str, str]:
    """The text of each page, by its path."""
    rows = "\n".join(f"* [`driftline {name}`]({name}.md): {what}" for name, what in COMMANDS.items())
    names = "\n".join(COMMANDS)
    index = (
        "# Command line\n\nThe help of every command, as `driftline COMMAND --help` prints it. [Files and the command "
        f"line](../guide/files.md) explains the common tasks.\n\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
    made = {f"commands/{name}.md": _page(name, what) for name, what in COMMANDS.items()}
    return made | {"commands/index.md": index}


def _page(name: str, what: str) -> str:
    return f"# driftline {name}\n\n{what}\n\n```text\n{help_of(name)}\n```\n"


def help_of(command: str) -> str:
    """What ``driftline COMMAND --help`` prints on a terminal of 100 columns."""
    said = io.StringIO()
    with patch.dict(os.environ, {"COLUMNS": WIDTH}), redirect_stdout(said), redirect_stderr(said):
        code = main([command, "--help"])
    if code:
        raise ValueError(f"driftline {command} --help must end with 0, got {code}: {said.getvalue()}")
    return "\n".join(line.rstrip() for line in said.getvalue().strip("\n").splitlines())
