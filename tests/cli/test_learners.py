"""``driftline learners``, learners given as text, and suggestions for mistyped names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import driftline as dl
from driftline.bounds import CATALOGUE
from driftline.cli.main import main
from driftline.streams import read


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_text("".join(f"{k % 3} 1:{k % 3} 2:{k % 5}\n" for k in range(60)))
    (tmp_path / "b.svm").write_text("".join(f"{k % 2} 1:{k % 3} 2:{k % 5}\n" for k in range(60)))
    return tmp_path


# what is listed -------------------------------------------------------------------------------------------------------
def test_all_learners_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learners"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["learner", "description", "paper"]
    assert [line.split()[0] for line in lines] == list(dl.REGISTRY)
    assert any(line.startswith("arow") and line.endswith("Crammer et al. 2009") for line in lines)
    assert main(["learners", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in facts] == list(dl.REGISTRY) and all(one["summary"] for one in facts)


@pytest.mark.parametrize("name", dl.REGISTRY)
def test_every_learner_is_described(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learners", name, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    learner = dl.REGISTRY[name]()
    assert [one["name"] for one in facts["parameters"]] == list(learner.parameters)
    assert all(one["text"] and one["default"] for one in facts["parameters"])
    assert bool(facts["theorems"]) != bool(facts["no_theorem"])
    assert all(theorem in CATALOGUE for theorem in facts["theorems"])


def test_one_learner(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learners", "L2PA"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("l2pa: Passive-aggressive inside the ball of L2 norm beta")
    assert "paper: Shen, Dietterich 2009" in lines and "theorems: l2pa, l2pa-path, steps" in lines
    assert any(line.startswith("  --beta  float") for line in lines)
    assert main(["learners", "scw"]) == 0
    assert "theorems: none; no theorem of the catalogue covers SCW" in capsys.readouterr().out
    assert main(["learners", "onevsrest"]) == 0
    assert '  --base  Learner, Rule or str, default "pa1"' in capsys.readouterr().out
    assert main(["learners", "arrow"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("driftline: learners: name must be one of perceptron, ")
    assert error.endswith("got 'arrow'. Did you mean arow?\n")


# learners as text -----------------------------------------------------------------------------------------------------
TEXTS = {
    "onevsrest(pa1)": lambda: dl.OneVsRest("pa1"),
    "onevsrest(pa1(C=0.5))": lambda: dl.OneVsRest("pa1(C=0.5)"),
    "OneVsRest(learner=kernelized(pa1(C=0.5), rbf(gamma=2), budget=9))": lambda: dl.OneVsRest(
        "kernelized(pa1(C=0.5), rbf(gamma=2), budget=9)"
    ),
    "multiclasspa()": dl.MulticlassPA,
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_learner_as_text(text: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.svm", "--learner", text, "--save", "m.dl"]) == 0
    due = TEXTS[text]()
    dl.run(due, read("a.svm"))
    due.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()


def test_several_learners_as_text(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = "pa1(C=0.5, when='mistake'),pa1:C=2,committee([pa1, norma(lam=0.1)]),committee(pa1)"
    assert main(["compare", "b.svm", "--learners", given, "--json"]) == 0
    found = [run["parameters"] for run in json.loads(capsys.readouterr().out)["runs"]]
    assert (found[0]["C"], found[0]["when"], found[1]["C"]) == (0.5, "mistake", 2.0)
    assert [one["learners"].count("C=") for one in found[2:]] == [1, 1]
    assert main(["sweep", "b.svm", "--learner", "averaged(pa1(C=0.5)),pa1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["settings"]) == 2


WRONG = {
    "pa1(": "--learner must be a name with parameters, got 'pa1('. Example: 'onevsrest(pa1(C=0.5))'",
    "pa1(C=1)(2)": "--learner must be a name with parameters, got 'pa1(C=1)(2)'. Example: 'onevsrest(pa1(C=0.5))'",
    "pa1(D=2)": "--learner: D must be a parameter of pa1, got 'pa1(D=2)'. pa1 has C, when",
    "pa1(bias=False)": "--learner: bias must be a parameter of pa1, got 'pa1(bias=False)'. pa1 has C, when",
    "pa1(C=-1)": "PA1: C must be > 0, got -1",
    "pa1(1, 'margin', 3)": "--learner must be a name with its parameters, got \"pa1(1, 'margin', 3)\": pa1 takes",
    "onevsrest(pb1)": "OneVsRest: a learner must be a name with parameters such as 'pa1(C=0.5)', got 'pb1'",
    "__import__('os')": "--learner must be one of ",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text(text: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.svm", "--learner", text]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.startswith(f"driftline: {WRONG[text]}") and error.count("\n") == 1


def test_a_parameter_is_given_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "b.svm", "--learner", "pa1(0.5)", "--C", "2"]) == 2
    assert capsys.readouterr().err == "driftline: --C must be given once, got it in 'pa1(0.5)' too. Leave one out\n"
    assert main(["run", "b.svm", "--learner", "averaged(learner=pa1)", "--base", "pa"]) == 2
    assert "--base must be given once, got it in 'averaged(learner=pa1)' too." in capsys.readouterr().err
    assert main(["run", "b.svm", "--learner", "pa1(0.5)", "--when", "mistake"]) == 0


# mistyped -------------------------------------------------------------------------------------------------------------
MISTYPED = {
    "run b.svm --learnr pa1": "--learner",
    "run b.svm --learner pa1 --hash-bit 3": "--hash-bits",
    "run b.svm --learner norma --lamm 3": "--lam",
    "run b.svm --taget y": "--target",
    "run b.svm --model m.dl --taget y": "--target",
    "sweep b.svm --learner pa1 --C 1,2 --repot r.html": "--report",
    "predict m.dl b.svm --taget y": "--target",
    "evaluate m.dl b.svm --lern": "--learn",
    "run b.svm --learner l2pb": "l2pa",
    "compare b.svm --learners pa1,arrow": "arow",
    "evaluat m.dl b.svm": '"evaluate"',
}


@pytest.mark.parametrize("command", MISTYPED)
def test_a_mistyped_name_is_answered_with_the_right_one(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 2
    error = capsys.readouterr().err
    assert f"Did you mean {MISTYPED[command]}?" in error and error.count("\n") == 1


def test_an_option_that_resembles_no_other(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "b.svm", "--learner", "pa1", "--lam", "3"]) == 2
    due = "--lam must be an option of this command or of pa1, got neither. pa1 has --C, --when"
    assert capsys.readouterr().err == f"driftline: {due}\n"
