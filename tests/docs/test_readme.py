"""The code in the README runs and prints what is shown."""

from __future__ import annotations

import re
from typing import Any

from tests.support.paths import ROOT

README = ROOT / "README.md"


def test_the_code_of_the_readme_runs(capsys: Any) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["learner"].predict_one({"free": 1}) == "spam"
    assert names["run"].examples == 50_000
    assert "NORMA" in capsys.readouterr().out


def test_every_learner_is_in_the_readme() -> None:
    import driftline as dl

    text = README.read_text()
    assert [one.__name__ for one in dl.REGISTRY.values() if f"`{one.__name__}" not in text] == []
