"""Copy the figures of the guide from the output folder of ``driftline reproduce all``.

    python benchmarks/guide_figures.py REPRODUCED

A page that links ``figures/EXPERIMENT-FIGURE.svg`` gets
``REPRODUCED/EXPERIMENT/figures/FIGURE.svg``. Figures that no page links are removed. The output
of a quick run is refused, because its figures come from few repetitions.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guide"
LINKED = re.compile(r"\]\(figures/((\w+)-([\w.-]+)\.svg)\)")
MOST = 150_000
"""Largest size of a figure, in bytes."""


def main(arguments: list[str]) -> int:
    """Copy the figures.

    Return 0, or 2 after printing one line to stderr if something is missing.
    """
    if len(arguments) != 1:
        return _say("a folder must be given, got none. Give the output folder of driftline reproduce all")
    try:
        copy(Path(arguments[0]), GUIDE)
    except ValueError as error:
        return _say(str(error))
    return 0


def copy(reproduced: Path, guide: Path) -> None:
    """Copy the figures. All are read before the first is written."""
    linked = {found for page in sorted(guide.glob("*.md")) for found in LINKED.findall(page.read_text())}
    found = {name: _figure(reproduced / experiment, figure) for name, experiment, figure in sorted(linked)}
    folder = guide / "figures"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        if old.name not in found:
            old.unlink()
    for name, content in found.items():
        (folder / name).write_bytes(content)


def _figure(folder: Path, name: str) -> bytes:
    """Read the figure of an experiment. It must come from a full run."""
    try:
        quick = json.loads((folder / "manifest.json").read_text())["quick"]
        content = (folder / "figures" / f"{name}.svg").read_bytes()
    except (OSError, ValueError, KeyError):
        raise ValueError(
            f"{folder} must have the figure {name}, got none. Run driftline reproduce, or correct the page"
        ) from None
    if quick:
        raise ValueError(f"{folder} must be of a full run, got a quick one. Run it without --quick")
    if len(content) > MOST:
        raise ValueError(f"{name}.svg must have at most {MOST:,} bytes, got {len(content):,}. Thin its curves")
    return content


def _say(what: str) -> int:
    print(f"guide_figures: {what}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
