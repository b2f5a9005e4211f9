"""``make TARGET ONLY=TEXT``: every benchmark takes a part of its name, and refuses anything else
with the choices.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from only import chosen  # noqa: E402

SCRIPTS = {
    "bench": (
        ["bench.py", "--only"],
        ["sparse, blocks of 100", "start-up", "csv and parquet tables", "lists of dicts", "serve", "serve-replay"],
    ),
    "bench-error": (["-m", "error", "--only"], ["drawn-sea", "drawn-hyperplane"]),
    "certificates": (["certificates.py", "page.md", "--only"], ["Elec2", "USPS, four phases"]),
    "tuning": (["tuning.py", "page.md", "--only"], ["turning", "drifting"]),
    "memory": (["memory.py", "--kind"], ["svm.gz", "csv"]),
}


def test_names_with_the_text_are_chosen_in_their_order() -> None:
    assert chosen("blocks", ["a, blocks of 1", "b", "c, blocks of 2"]) == ["a, blocks of 1", "c, blocks of 2"]
    assert chosen("", ["a", "b"]) == ["a", "b"]
    with pytest.raises(ValueError, match=r"--only must be part of one of these names, got 'moon': a; b"):
        chosen("moon", ["a", "b"])


@pytest.mark.parametrize("target", SCRIPTS)
def test_an_unknown_part_is_refused_with_the_choices(target: str, tmp_path: Path) -> None:
    command, choices = SCRIPTS[target]
    env = {name: value for name, value in os.environ.items() if name != "DRIFTLINE_DATA"}
    path = os.pathsep.join([str(BENCHMARKS), *sys.path])
    command = [str(BENCHMARKS / part) if part.endswith(".py") else part for part in command]
    done = subprocess.run(
        [sys.executable, *command, "moon"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**env, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 2 and all(choice in done.stderr for choice in ("moon", *choices)), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", SCRIPTS)
def test_the_makefile_passes_the_part_on(target: str) -> None:
    recipe = (ROOT / "Makefile").read_text().split(f"\n{target}:")[1].split("\n\n")[0]
    assert ('--kind "$(ONLY)"' if target == "memory" else "$(PART)") in recipe
