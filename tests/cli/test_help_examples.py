"""The examples in the help of each command run, and their options exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from driftline.cli.examples import EXAMPLES
from driftline.cli.main import COMMANDS, main
from tests.support.doc_blocks import run
from tests.support.service_log import write_log
from tests.support.word_order_mails import mails

SLOW = ("reproduce", "demo", "bench", "stress", "serve", "feed", "follow")
"""Commands with tests of their own; here only their options are checked."""
WIDEST = 78
"""Longer lines would be broken on a terminal of 80 columns."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples name."""
    monkeypatch.chdir(tmp_path)
    rows = [(k % 7, k % 5 - 2, ("north", "south")[k % 2], "yes" if k % 7 + k % 2 > 3 else "no") for k in range(150)]
    shop = [f"{price},{rain},{place},{sold}" for price, rain, place, sold in rows]
    Path("shop.csv").write_text("\n".join(["price,rain,shop,sold", *shop]) + "\n")
    Path("new.csv").write_text("price,rain,shop\n3,1,north\n6,0,south\n")
    homes = [f"{area},{area % 5},{2.5 * area + 10 * (area % 5)}" for area in range(30, 120)]
    Path("homes.csv").write_text("\n".join(["area,rooms,price", *homes]) + "\n")
    Path("mails.jsonl").write_text("".join(json.dumps(one) + "\n" for one in mails(100, 3)))
    for day in (1, 2):
        lines = [f"{1 if sold == 'yes' else -1} 1:{price} 2:{rain}\n" for price, rain, _, sold in rows]
        Path(f"day-{day}.svm").write_text("".join(lines))
    write_log(tmp_path / "service.db", events=64)
    assert main(["run", "shop.csv", "--target", "sold", "--save", "model.dl"]) == 0
    assert main(["run", "shop.csv", "--target", "sold", "--learner", "pa1", "--save", "linear.dl"]) == 0
    return tmp_path


def words(example: str) -> list[str]:
    program, *rest = shlex.split(example)
    assert program == "driftline"
    return rest


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in SLOW])
def test_the_examples_of_a_command_run(command: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for example in EXAMPLES[command]:
        capsys.readouterr()
        assert main(words(example)) == 0, (example, capsys.readouterr().err)
        out, err = capsys.readouterr()
        assert out and all(line.startswith("note: ") for line in err.splitlines()), example


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_ends_with_its_examples(command: str) -> None:
    code, text = run([command, "--help"])
    assert code == 0
    _, _, shown = text.partition("\nExamples:\n")
    assert [line.strip() for line in shown.splitlines() if line.strip()] == list(EXAMPLES[command])
    known = set(re.findall(r"--[a-z][\w-]*", text.partition("\nExamples:\n")[0]))
    for example in EXAMPLES[command]:
        assert words(example)[0] == command and len(example) <= WIDEST
        if command in SLOW:
            assert set(re.findall(r"--[a-z][\w-]*", example)) <= known


def test_every_command_has_examples() -> None:
    assert list(EXAMPLES) == list(COMMANDS) and all(EXAMPLES.values())


def test_help_with_a_learner_shows_its_parameters() -> None:
    for given in (["--learner", "pa1"], ["--learner=pa1"], ["--learner", "pa1(C=0.5)"]):
        code, text = run(["run", *given, "--help"])
        assert code == 0 and "Usage: driftline run" in text
        _, _, shown = text.partition("\nParameters of pa1:\n")
        assert "--C  float, default 1.0" in shown and "Largest step, > 0." in shown and "--when" in shown
    assert "\nParameters of" not in run(["run", "--help"])[1]
    code, text = run(["sweep", "--learner", "l2pb", "--help"])
    assert code == 2 and text.endswith("got 'l2pb'. Did you mean l2pa?\n")
