"""``python -m generate [FOLDER]``: write all generated sources to this or another folder.

The sources are always read from the repository. A test writes to another folder and compares the
result with the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

from generate import exports, learners, river, sklearn
from generate.source import ROOT, formatted, learners_of_the_registry


def sources() -> dict[str, str]:
    """The text of each generated file, by its path from the root of the repository."""
    every = learners_of_the_registry()
    wrapped = [one for one in every if one.wrapped]
    regressors = [one for one in wrapped if one.rule.regresses]
    classifiers = [one for one in wrapped if not one.rule.regresses]
    signed = [one for one in classifiers if one.rule.signed]
    made = {
        "src/driftline/__init__.py": exports.of_driftline(every),
        "src/driftline/rules/__init__.py": exports.of_rules(every),
        "src/driftline/learners/__init__.py": exports.of_learners(every),
        "src/driftline/learners/linear.py": learners.module([one for one in every if one.linear]),
        "src/driftline/sklearn/__init__.py": exports.of_sklearn(signed, regressors),
        "src/driftline/sklearn/estimators.py": sklearn.classifiers(signed),
        "src/driftline/sklearn/regressors.py": sklearn.regressors(regressors),
        "src/driftline/river/__init__.py": exports.of_river(classifiers, regressors),
        "src/driftline/river/wrappers.py": river.classifiers(classifiers),
        "src/driftline/river/regressors.py": river.regressors(regressors),
    }
    return {path: formatted(path, text) for path, text in made.items()}


def main(folder: Path) -> None:
    """Write the generated files that have changed."""
    for path, text in sources().items():
        target = folder / path
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            print(f"written: {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
