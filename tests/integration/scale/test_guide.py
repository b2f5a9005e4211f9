"""The page of the guide about several machines: its blocks run and print what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.doc_blocks import blocks, failures
from tests.support.paths import ROOT


@pytest.mark.usefixtures("two_workers")
def test_the_blocks_print_what_stands_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / "scaling.md"
    assert len(blocks(page.read_text())) >= 2
    assert "\n".join(failures(page)) == ""
