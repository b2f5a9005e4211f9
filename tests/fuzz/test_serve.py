"""A short run of the fuzzer of the service; ``make fuzz-serve`` runs the long form."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.support.paths import ROOT


def test_a_short_run_finds_nothing() -> None:
    path = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    command = [
        sys.executable,
        str(ROOT / "fuzz" / "hunt_serve.py"),
        "--requests",
        "200",
        "--seed",
        "7",
        "--leak",
        "1000",
    ]
    run = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "serve: seed 7: 0 found" in run.stdout
    statuses = dict(re.findall(r"(\d{3}(?: \(sockets\))?) ([\d,]+)", run.stdout.partition("statuses: ")[2]))
    assert {"200", "400", "404"} <= set(statuses)
    assert any("sockets" in one for one in statuses)
