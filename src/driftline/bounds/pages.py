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
value. The figure is the largest share of the bound that was seen on sequences whose comparator is known.
"""

OPEN = 0.8
"""Where less than this was seen, the tests do not settle the constants."""


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
    parts.append(f"\n## How tight\n\n{tightness(kind)}")
    parts.append(f"\n## Source\n\n{kind.citation}.")
    if kind.erratum:
        parts.append(f"\n## Erratum\n\n{kind.erratum}")
    return "\n".join(parts) + "\n"


def tightness(kind: type[Bound]) -> str:
    """How much of the bound the tests reach, and what that leaves open."""
    share, on = kind.tight.share, kind.tight.on
    often = ", in all but a share delta of them" if kind.limits == "risk" else ""
    said = f"At most {share:.2f} of it was seen, on {on}{often}. `tests/test_every_theorem.py` asserts the figure."
    if share > OPEN:
        return said
    return f"{said} A bound that is {1.0 / share:.2g} times smaller would have passed: its constants rest on the proof."


def pages() -> dict[str, str]:
    """File name to content: the index and every page."""
    lines = [f"* [{name}]({name}.md): {kind.limits}; {kind.tight.share:.2f} seen" for name, kind in CATALOGUE.items()]
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
