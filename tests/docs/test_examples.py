"""The scripts in docs/examples run, and print and write what they promise."""

from __future__ import annotations

from pathlib import Path
from random import Random

from generate.datasets import payments
from tests.support.paths import ROOT
from tests.support.processes import python

FRAUD = ROOT / "docs" / "examples" / "fraud.py"


def test_payments_become_decisions_alarms_an_explanation_and_a_report(tmp_path: Path) -> None:
    assert len(FRAUD.read_text().splitlines()) < 40
    table, report = tmp_path / "payments.csv", tmp_path / "report.html"
    lines = list(payments(Random(3), rows=20_000, share=0.002))
    table.write_text("\n".join(lines) + "\n")
    assert 20 <= sum(line.endswith(",yes") for line in lines) <= 60
    assert sum(",," in line for line in lines) > 1000  # missing values
    done = python(str(FRAUD), str(table), str(report))
    assert done.returncode == 0, done.stderr
    metrics, decision, *rest = done.stdout.splitlines()
    assert metrics.startswith("<Metrics: 20,000 examples") and "auc" in metrics
    assert decision.startswith("<Decision least cost") and "recall" in decision
    assert any(line.startswith("P(fraud) = 0.") for line in rest)
    assert any(line.startswith("amount") for line in rest)  # a line of the explanation
    page = report.read_text()
    assert "confusion" in page.lower() and "calibration" in page.lower() and "GB" in page
