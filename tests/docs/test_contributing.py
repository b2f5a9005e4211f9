"""The steps in CONTRIBUTING.md add a rule: they are followed in a copy of the repository, and its tests then run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.paths import ROOT

COPIED = ("src", "tests", "generate", "wheels", "pyproject.toml", "README.md")
STEP = re.compile(r"^\*\*\d\. [^`]*?\*\*, `([^`]+)`.*?^```(python|diff)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOUCHED = [
    "src/driftline/rules/linear/stepped_perceptron.py",
    "src/driftline/rules/linear/step_table.py",
    "tests/oracles/linear.py",
    "tests/support/linear_cases.py",
]
SUITE = (
    "tests/learners/test_linear_contract.py",
    "tests/rules/linear/test_oracle_agreement.py",
    "tests/rules/test_parameters.py",
)
USED = """
import numpy as np
import driftline as dl
import driftline.river, driftline.sklearn

X, y = np.eye(3), np.array([True, False, True])
assert list(dl.REGISTRY).index("steppedperceptron") == 1
assert dl.SteppedPerceptron(eta=2.0, bias=False).learn_many(X, y).tolist() == [0.0, 0.0, 0.0]
assert driftline.sklearn.SteppedPerceptronClassifier(eta=2.0, bias=False).fit(X, y).coef_.tolist() == [[2.0, -2.0, 2.0]]
classifier = driftline.river.SteppedPerceptron(eta=2.0, bias=False)
classifier.learn_one({"a": 1.0}, True)
assert classifier.learner.weights() == {"a": 2.0}
assert "eta : float, default=0.5" in dl.SteppedPerceptron.__doc__
"""


def steps(text: str) -> dict[str, tuple[str, str]]:
    """Path to language and text of the block, for each step that shows one."""
    return {path: (language, block) for path, language, block in STEP.findall(text)}


def follow(root: Path) -> None:
    """Write the files and apply the changes that CONTRIBUTING.md shows."""
    for path, (language, block) in steps((ROOT / "CONTRIBUTING.md").read_text()).items():
        target = root / path
        if language == "python":
            assert not target.exists(), path
            target.write_text(block)
            continue
        text = target.read_text()
        for hunk in block.strip("\n").split("\n\n"):
            lines = hunk.split("\n")
            assert {line[:1] for line in lines} == {" ", "+"}, hunk
            before = "".join(f"{line[1:]}\n" for line in lines if line.startswith(" "))
            assert text.count(f"\n{before}") == 1, f"{path} must have these lines once:\n{before}"
            text = text.replace(f"\n{before}", "\n" + "".join(f"{line[1:]}\n" for line in lines))
        target.write_text(text)


def python(root: Path, *arguments: str) -> str:
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        "NUMBA_CACHE_DIR": str(root / "cache"),
    }
    done = subprocess.run([sys.executable, *arguments], cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository to which the rule was added."""
    root: Path = tmp_path_factory.mktemp("repository")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(ROOT / name, root / name)
    follow(root)
    python(root, "-m", "generate")
    return root


def test_four_files_are_written_by_hand() -> None:
    assert list(steps((ROOT / "CONTRIBUTING.md").read_text())) == TOUCHED


def test_the_result_is_formatted(extended: Path) -> None:
    python(extended, "-m", "ruff", "check", "--no-cache", ".")
    python(extended, "-m", "ruff", "format", "--no-cache", "--check", ".")


def test_the_rule_is_a_learner_everywhere(extended: Path) -> None:
    python(extended, "-W", "error", "-c", USED)
    (extended / "some.svm").write_text("1 1:1\n-1 2:1\n1 1:1\n")
    said = python(extended, "-m", "driftline.cli", "run", "some.svm", "--learner", "steppedperceptron", "--eta", "2")
    assert said.split("\n")[1].split()[:2] == ["SteppedPerceptron", "2"]
    row = "| `SteppedPerceptron(eta)` | Add every misclassified example to the weights, multiplied by `eta` |"
    python(extended, "-m", "generate.learners_page", "learners.md")
    assert row in (extended / "learners.md").read_text()


def test_the_conformance_suite_runs_on_it_and_passes(extended: Path) -> None:
    report = extended / "report.xml"
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "steppedperceptron", f"--junitxml={report}")
    python(extended, "-m", "pytest", *options, *SUITE)
    cases = ET.parse(report).getroot().iter("testcase")
    passed = [str(case.get("name")) for case in cases if not list(case)]
    for test in (
        "test_same_road_as_the_oracle[steppedperceptron(eta=0.5)-dense]",
        "test_any_split_into_blocks_is_the_loop[csr-steppedperceptron(eta=0.5)]",
        "test_copies_resume_exactly[dense-plain-steppedperceptron(eta=0.5)]",
        "test_a_parameter_out_of_range[steppedperceptron-eta]",
    ):
        assert test in passed, passed
    assert len(passed) > 80
