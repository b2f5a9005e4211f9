"""``driftline run --alarms`` prints the alarms with their times, and lists them in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.doc_blocks import run


@pytest.fixture
def payments(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    amount = rng.normal(size=6000)
    wrong = rng.random(6000) < np.where(np.arange(6000) < 4000, 0.02, 0.4)
    labels = np.where((amount > 0.0) ^ wrong, "fraud", "ok")
    lines = ["when,amount,label"]
    lines += [f"{1_700_000_000 + 60 * k},{amount[k]:.4f},{labels[k]}" for k in range(6000)]
    path = tmp_path / "payments.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_alarms_are_printed_and_listed(payments: Path) -> None:
    words = ["run", str(payments), "--target", "label", "--time", "when", "--learner", "pa1"]
    code, printed, *_ = run([*words, "--alarms"])
    assert code == 0
    (line,) = [one for one in printed.splitlines() if one.startswith("alarm: ")]
    assert line.startswith("alarm: 2023-11-17 ") and ": the error rose from " in line
    code, printed, *_ = run([*words, "--alarms", "--json"])
    (alarm,) = json.loads(printed)["runs"][0]["alarms"]
    assert alarm["what"] == "error" and f"alarm: {alarm['text']}" == line
    assert alarm["time"].startswith("2023-11-17T") and alarm["seconds"] == 1_700_000_000 + 60 * (alarm["examples"] - 1)
    code, printed, *_ = run([*words, "--json"])
    assert json.loads(printed)["runs"][0]["alarms"] == []
