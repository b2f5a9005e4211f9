"""The pages of docs/bounds, one per theorem: ``python -m driftline.bounds.pages FOLDER``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path

from driftline.bounds import CATALOGUE
from driftline.bounds.bound import Bound

INTRODUCTION = """# Theorems

Each page is generated from the class that computes the bound. `driftline bounds NAME` prints the
same text, and the value of the bound if inputs are given. The figure in the list is the largest
share of the bound that was reached on sequences with a known comparator.
"""

OPEN = 0.8
"""Below this observed share, the tests do not determine the constants of a bound."""


def page(kind: type[Bound]) -> str:
    """The page of one theorem."""
    parts = [f"# {kind.name}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n"]
    parts.append(f"Bounded quantity: {kind.limits}.\n\n    {inspect.cleandoc(inspect.getdoc(kind.value) or '')}\n")
    parts.append("## Inputs\n\n| input | meaning | default |\n|---|---|---|")
    for one in fields(kind):
        default = "" if one.default is MISSING else f"{one.default}"
        parts.append(f"| `{one.name}` | {_cell(one.metadata['meaning'])} | {default} |")
    parts.append("\n## Conditions\n")
    parts += [f"* {one}" for one in kind.conditions]
    parts.append(f"\n## How tight\n\n{tightness(kind)}")
    parts.append(f"\n## Source\n\n{kind.citation}.")
    if kind.proof:
        parts.append(f"\n## Proof\n\n{kind.proof}")
    if kind.erratum:
        parts.append(f"\n## Erratum\n\n{kind.erratum}")
    return "\n".join(parts) + "\n"


def tightness(kind: type[Bound]) -> str:
    """How close observations come to the bound, and what that leaves open."""
    share, on = kind.tight.share, kind.tight.on
    often = ", after the worst share delta of the cases is left out" if kind.limits == "risk" else ""
    said = (
        f"The largest observed share of the bound is {share:.2f}, on {on}{often}. "
        "`tests/bounds/test_every_theorem.py` checks the figure."
    )
    if share > OPEN:
        return said
    return (
        f"{said} A bound {1.0 / share:.2g} times smaller would also pass: "
        "the constants are justified by the proof, not by the tests."
    )


def pages() -> dict[str, str]:
    """The content of the index and of every page, by file name."""
    lines = [
        f"* [{name}]({name}.md): {kind.limits}; {kind.tight.share:.2f} reached" for name, kind in CATALOGUE.items()
    ]
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
