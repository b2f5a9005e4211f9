"""``driftline run --key``: a learner for each key of the files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.cli.main import main


def table(folder: Path, target: str = "label") -> str:
    path = folder / "rows.csv"
    lines = ["who,a,b,label,price"]
    lines += [f"c{n % 4},{(n * 7) % 5},{n % 3},{'no' if n % 4 < 2 else 'yes'},{n * 0.37:.2f}" for n in range(120)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def result(capsys: Any, *arguments: str) -> dict[str, Any]:
    assert main(["run", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_errors_by_key_and_a_saved_file(tmp_path: Path, capsys: Any) -> None:
    file, saved = table(tmp_path), tmp_path / "keyed.dl"
    options = [file, "--target", "label", "--drop", "price", "--key", "who", "--labels", "no,yes"]
    assert main(["run", *options, "--save", str(saved)]) == 0
    text = capsys.readouterr().out
    assert "for each of 4 keys, 120 examples" in text
    keyed = dl.Keyed.load(saved)
    assert sorted(keyed) == ["c0", "c1", "c2", "c3"]
    assert f"wrong predictions {keyed.totals.errors}" in text
    found = result(capsys, *options, "--worst", "2", "--max-keys", "2", "--spill", str(tmp_path / "spill"))
    assert (found["keys"], found["examples"], found["errors"], len(found["worst"])) == (4, 120, keyed.totals.errors, 2)
    # a keyed file is no model of the other commands, which say so
    assert main(["evaluate", str(saved), file]) == 2
    assert "dl.Keyed.load" in capsys.readouterr().err


def test_a_checkpoint_is_resumed(tmp_path: Path, capsys: Any) -> None:
    file = table(tmp_path)
    options = [file, "--target", "label", "--drop", "price", "--key", "who", "--checkpoint", str(tmp_path / "run")]
    once = result(capsys, *options, "--every", "50")
    assert main(["run", *options]) == 2
    assert "--resume" in capsys.readouterr().err
    assert result(capsys, *options, "--resume") == once
    assert main(["run", *options, "--resume", "--C", "0.5"]) == 2
    assert "Resume with the same options" in capsys.readouterr().err


def test_a_continuous_target(tmp_path: Path, capsys: Any) -> None:
    found = result(capsys, table(tmp_path), "--target", "price", "--drop", "label", "--key", "who")
    assert found["learner"].startswith("PA1Regressor")
    assert found["mae"] > 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--key", "who", "--alarms"], "--key must come without alarms"),
        (["--max-keys", "3"], "must come with --key"),
        (["--engine", "ray"], "must come with --key"),
        (["--key", "who", "--engine", "ray"], "--engine ray must come with --checkpoint"),
        (["--key", "who", "--max-keys", "3"], "must be given together"),
        (["--key", "nobody"], "nobody"),
    ],
)
def test_what_does_not_go_together(options: list[str], words: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["run", table(tmp_path), "--target", "label", "--drop", "price", *options]) == 2
    assert words in capsys.readouterr().err


WITHOUT_RAY = """
import importlib.util, sys
sys.modules["ray"] = None
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "ray" else find(name, *rest)
from driftline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_an_engine_that_is_not_installed(tmp_path: Path) -> None:
    options = ["--target", "label", "--key", "who", "--engine", "ray", "--checkpoint", str(tmp_path / "run")]
    command = [sys.executable, "-c", WITHOUT_RAY, "run", table(tmp_path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'driftline.scale needs Ray: pip install "driftline[ray]"' in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_predictions_of_a_keyed_file(tmp_path: Path, capsys: Any) -> None:
    file, saved = table(tmp_path), tmp_path / "keyed.dl"
    options = ["--target", "label", "--drop", "price", "--key", "who", "--labels", "no,yes"]
    assert main(["run", file, *options, "--save", str(saved)]) == 0
    Path(file).write_text(Path(file).read_text() + "new,1,1,no,0\n")
    capsys.readouterr()
    assert main(["predict", str(saved), file, "--truth", "--column", "price"]) == 0
    head, *rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert sorted(head) == sorted(["line", "label", "score", "truth", "who", "price"])
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert len(found) == 121
    keyed = dl.Keyed.load(saved)
    for row in (0, 1, 2, 3, 57):
        x = {"a": float((row * 7) % 5), "b": float(row % 3)}
        assert found[row]["who"] == f"c{row % 4}"
        assert float(found[row]["score"]) == keyed.score_one(x, key=f"c{row % 4}")
        assert found[row]["label"] == keyed.predict_one(x, key=f"c{row % 4}")
    assert found[120]["who"] == "new"
    assert float(found[120]["score"]) == 0.0
    assert main(["predict", str(saved), file, "--output", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["label"] for line in lines[:120]] == [one["label"] for one in found[:120]]
    assert main(["predict", str(saved), file, "--proba"]) == 2
    assert "Leave them out" in capsys.readouterr().err


def test_an_inspected_keyed_file(tmp_path: Path, capsys: Any) -> None:
    file, saved = table(tmp_path), str(tmp_path / "keyed.dl")
    assert main(["run", file, "--target", "price", "--drop", "label", "--key", "who", "--save", saved]) == 0
    capsys.readouterr()
    assert main(["inspect", saved]) == 0
    assert "for each of 4 keys\nkey: who\nexamples: 120\nloss: " in capsys.readouterr().out
    assert main(["inspect", saved, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["keys"], found["examples"], len(found["worst"])) == (4, 120, 4)
