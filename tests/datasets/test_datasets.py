"""The sample data sets: as their script writes them, readable, and with the properties they are for."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.datasets import FILES, path_of
from generate.datasets import SETS, text_of

TARGETS = {"mails": "label", "payments": "fraud", "sensors": "state"}
LABELS = {"mails": {"spam", "ham"}, "payments": {"no", "yes"}, "sensors": {"ok", "worn", "failing"}}
TEXT: dict[str, Any] = {"mails": {"text": ["subject", "body"]}}


def run(name: str, learner: dl.Learner) -> dl.Run:
    stream = dl.streams.read(path_of(name), target=TARGETS[name], time="when", **TEXT.get(name, {}))
    return dl.run(learner, stream)


def test_there_is_a_function_for_each() -> None:
    assert list(SETS) == list(FILES.values())
    assert [getattr(dl.datasets, name)() for name in FILES] == [path_of(name) for name in FILES]
    with pytest.raises(ValueError, match="datasets: name must be one of mails, payments, sensors, got 'cars'"):
        path_of("cars")


@pytest.mark.parametrize("name", FILES)
def test_the_script_writes_what_is_shipped(name: str) -> None:
    """Compressed bytes depend on the version of zlib; the content does not."""
    shipped = path_of(name).read_bytes()
    assert gzip.decompress(shipped) == text_of(FILES[name])
    assert len(shipped) <= 300_000


@pytest.mark.parametrize("name", FILES)
def test_it_can_be_learned(name: str) -> None:
    done = run(name, dl.Tracker() if name != "mails" else dl.PA1(hashing=dl.Hashing(18)))
    assert set(done.learner.labels) == LABELS[name] and done.warnings == []
    assert done.majority_error is not None and done.no_change_error is not None
    assert done.error < min(done.majority_error, done.no_change_error)


def test_fraud_is_rare_and_cells_are_missing() -> None:
    lines = text_of("payments.csv").decode().splitlines()[1:]
    assert 0.015 < sum(line.endswith(",yes") for line in lines) / len(lines) < 0.025
    for name in ("payments.csv", "sensors.csv"):
        assert sum(",," in line for line in text_of(name).decode().splitlines()) > 100


def test_the_command_writes_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["data", "mails"]) == 0
    assert main(["data", "mails", "copy.jsonl.gz"]) == 0
    assert capsys.readouterr().out.startswith("mails.jsonl: 3,000 lines, ")
    content = Path("mails.jsonl").read_bytes()
    assert content == gzip.decompress(Path("copy.jsonl.gz").read_bytes()) == text_of("mails.jsonl")
    assert main(["data", "cars"]) == 2
    assert main(["data", "mails", "nowhere/mails.jsonl"]) == 2
    assert "must be a file that can be written" in capsys.readouterr().err


def test_data_does_not_overwrite_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["data", "mails"]) == 0
    assert main(["data", "mails"]) == 0
    Path("payments.csv").write_text("mine")
    assert main(["data", "payments"]) == 2
    assert Path("payments.csv").read_text() == "mine"
    said = "payments.csv: must be a new file, got one with other content. Give another name: "
    assert f"{said}driftline data payments sample-payments.csv" in capsys.readouterr().err
