"""The size of a plain installation: driftline without extras, and every package that it needs."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

MEGABYTE = 1e6


def sizes(name: str = "driftline") -> dict[str, float]:
    """Megabytes of each package, the largest first; bytecode is not counted."""
    found: dict[str, float] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        try:
            package = distribution(one)
        except PackageNotFoundError:  # needed on other platforms only
            continue
        found[one] = _size(package)
        needed = [line for line in package.requires or [] if "extra ==" not in line]
        waiting += [re.split(r"[ ;<>=!~\[(]", line, maxsplit=1)[0].lower().replace("_", "-") for line in needed]
    # an editable installation holds only a link
    found[name] = _folder_size(Path(__file__).resolve().parents[1] / "src")
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _size(package: Distribution) -> float:
    paths = [Path(str(package.locate_file(file))) for file in package.files or []]
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file()) / MEGABYTE


def _folder_size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*.py")) / MEGABYTE


def lines(found: dict[str, float]) -> list[str]:
    """Return the sizes as lines of text: packages below 1 MB together."""
    large = {name: size for name, size in found.items() if size >= 1.0}
    rest = sum(found.values()) - sum(large.values())
    rows = [f"  {name:12}{size:7.0f} MB" for name, size in large.items()]
    return [
        "a plain installation:",
        *rows,
        f"  {'others':12}{rest:7.0f} MB",
        f"  {'all':12}{sum(found.values()):7.0f} MB",
    ]


if __name__ == "__main__":
    print("\n".join(lines(sizes())))
