"""The option --delay of ``run`` and ``compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main


@pytest.fixture
def file(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    lines = ["asked,answered,a,b,y"]
    for k, (a, b) in enumerate(rng.normal(size=(300, 2)).round(3).tolist()):
        lines.append(f"{k},{k + int(rng.integers(0, 40))},{a},{b},{int(a > b)}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(list(words)) == 0
    return json.loads(capsys.readouterr().out)


def test_rows_and_columns(file: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given: dict[str, Any] = {"target": "y", "time": "asked", "drop": ["answered"], "keep": ["asked", "answered"]}
    words = (file, "--target", "y", "--time", "asked", "--json")
    for delay in (7, "answered"):
        run = dl.run(dl.PA1(), dl.streams.read(file, **given), delay=delay)
        drop = () if delay == "answered" else ("--drop", "answered")
        model = str(tmp_path / f"{delay}.dl")
        found = printed(capsys, "run", *words, "--learner", "pa1", "--delay", str(delay), "--save", model, *drop)
        assert found["runs"][0]["mistakes"] == run.mistakes
        found = printed(capsys, "compare", *words, "--learners", "pa1,perceptron", "--delay", str(delay), *drop)
        assert found["runs"][0]["mistakes"] == run.mistakes
    more = dl.run(run.learner, dl.streams.read(file, keep=["asked", "answered"]), delay="answered")
    found = printed(capsys, "run", file, "--model", model, "--delay", "answered", "--json")
    assert found["runs"][0]["mistakes"] == more.mistakes


def test_a_delay_longer_than_the_stream_is_said(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", file, "--target", "y", "--learner", "pa1", "--delay", "300"]) == 0
    both = capsys.readouterr()
    assert "no label arrived before the end of the stream (delay: 300 rows)" in both.out + both.err


@pytest.mark.parametrize(
    ("delay", "said"),
    [
        ("-3", "--delay must be a whole number of rows >= 0 or a column, got '-3'"),
        ("2.5", "--delay must be a whole number of rows >= 0 or a column, got '2.5'"),
        ("answered", "--delay answered must come with --time"),
    ],
)
def test_wrong_delays(file: str, delay: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", file, "--target", "y", f"--delay={delay}"]) == 2
    assert said in capsys.readouterr().err


def test_no_certificate(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", file, "--target", "y", "--learner", "pa1", "--delay", "3", "--certify"]) == 2
    assert "delay must be 0 with certify=True" in capsys.readouterr().err


def test_a_mistyped_column_is_that_of_the_delay(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", file, "--target", "y", "--time", "asked", "--delay", "answerd"]) == 2
    assert "--delay must be one of the columns" in capsys.readouterr().err
