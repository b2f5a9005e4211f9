"""One page a theorem, made of its object: ``python -m driftline.bounds.pages FOLDER`` writes them all."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path

from driftline.bounds import CATALOGUE
from driftline.bounds.bound import Bound

INTRODUCTION = """# Theorems

Each page is made of the object that computes the bound. `driftline bounds NAME` prints the same, and with inputs its
value.
"""


def page(kind: type[Bound]) -> str:
    """The page of one theorem."""
    parts = [f"# {kind.name}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n"]
    parts.append(f"It bounds: {kind.limits}.\n\n    {inspect.cleandoc(inspect.getdoc(kind.value) or '')}\n")
    parts.append("## Inputs\n\n| input | what it stands for | default |\n|---|---|---|")
    for one in fields(kind):
        default = "" if one.default is MISSING else f"{one.default}"
        parts.append(f"| `{one.name}` | {_cell(one.metadata['meaning'])} | {default} |")
    parts.append("\n## Conditions\n")
    parts += [f"* {one}" for one in kind.conditions]
    parts.append(f"\n## How tight\n\n{kind.tightness or 'Not reached closely in the tests'}.")
    parts.append(f"\n## Source\n\n{kind.citation}.")
    if kind.erratum:
        parts.append(f"\n## Erratum\n\n{kind.erratum}")
    return "\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """File name to content: the index and every page."""
    lines = [f"* [{name}]({name}.md): {kind.limits}" for name, kind in CATALOGUE.items()]
    return {"README.md": INTRODUCTION + "\n" + "\n".join(lines) + "\n"} | {
        f"{name}.md": page(kind) for name, kind in CATALOGUE.items()
    }


def main(arguments: Sequence[str]) -> None:
    """Write all pages into a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main(sys.argv[1:])
