"""All experiments of the papers in the quick setting and without data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftline.cli.main import main
from driftline.reproduce import EXPERIMENTS


def test_all_experiments_in_a_quick_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    assert main(["reproduce", "all", "--quick", "--jobs", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    for name in EXPERIMENTS:
        folder = tmp_path / name
        verdicts = json.loads((folder / "verdicts.json").read_text())["verdicts"]
        assert len(verdicts) >= 10 and all({"claim", "where", "holds", "numbers", "says"} <= v.keys() for v in verdicts)
        figures = {path.stem for path in (folder / "figures").glob("*.svg")}
        assert figures and figures == {path.stem for path in (folder / "figures").glob("*.png")}
        assert (folder / "results.csv").read_text().count("\n") > 10
        page = (folder / "report.html").read_text()
        assert "quick run" in page and "<script" not in page and page.count("<svg") >= len(figures)
        assert str(folder / "report.html") in said
    assert "standing in for USPS" in (tmp_path / "shen2009" / "report.html").read_text()
