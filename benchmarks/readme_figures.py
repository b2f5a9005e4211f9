"""Write the measured table and the picture of the README: ``python benchmarks/readme_figures.py``.

The table has the prequential error and the microseconds per example of the Tracker and of some
peers, all at their defaults, on three streams. The picture shows the windowed error of the Tracker
and of a learner that stops learning, on a stream that drifts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIRST = "<!-- make readme-figures writes this table -->"
LAST = "<!-- end of the figures -->"
STREAMS = ("elec2", "sea", "bananas")
LIMIT = "20"
"""Seconds after which a peer is stopped."""
LEARNERS = {
    "driftline Tracker": "**driftline**, `Tracker()`",
    "driftline Tracker, light": '**driftline**, `Tracker(bank="light")`',
    "driftline AROW": "**driftline**, `AROW()`",
    "river ARF, 10 trees": "river, adaptive random forest of 10 trees",
    "river logistic regression": "river, logistic regression",
    "scikit-learn SGD, log loss": "scikit-learn, `SGDClassifier`, log loss",
    "Vowpal Wabbit": "Vowpal Wabbit",
}


def table(reports: list[dict[str, Any]]) -> str:
    """The table of the README, from the reports of the error benchmark, one for each stream."""
    streams = [stream for report in reports for stream in report["streams"] if stream["name"] in STREAMS]
    heads = [f"{stream['name']}, {stream['rows']:,} rows" for stream in streams]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for name, shown in LEARNERS.items():
        results = [next((one for one in stream["results"] if one["learner"] == name), None) for stream in streams]
        lines.append(f"| {shown} | " + " | ".join(_cell(one) for one in results) + " |")
    machine, versions = reports[0]["machine"], reports[0]["versions"]
    lines.append("")
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    lines.append(f"Error in % / microseconds per example, one example at a time. {machine['cpu']}; {listed}.")
    return "\n".join(lines)


def _cell(result: dict[str, Any] | None) -> str:
    if result is None:
        return "-"
    return f"{100 * result['error']:.1f} / {result['microseconds']:.3g}{'*' if result['cut'] else ''}"


def measured() -> list[dict[str, Any]]:
    """The reports of the error benchmark."""
    from error.__main__ import main
    from error.rivals import RIVALS

    peers = [option for rival in RIVALS if rival.name in LEARNERS for option in ("--peer", rival.name)]
    found = []
    for stream in STREAMS:
        target = ROOT / "benchmarks" / ".cache" / f"readme-{stream}.json"
        if main(["--only", stream, "--limit", LIMIT, "--processes", "1", *peers, "--json", str(target)]):
            raise SystemExit(f"readme_figures: the benchmark of {stream} must end with 0")
        found.append(json.loads(target.read_text()))
    return found


if __name__ == "__main__":
    import readme_picture

    readme_picture.draw(ROOT / "docs" / "site")
    if "--picture" not in sys.argv[1:]:
        sys.path.insert(0, str(ROOT))
        from generate.source import with_block

        (ROOT / "README.md").write_text(with_block("README.md", table(measured()), FIRST, LAST))
