"""The notebooks run from the first cell to the last, in a kernel of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import ROOT

nbformat = pytest.importorskip("nbformat", reason="nbformat")
nbclient = pytest.importorskip("nbclient", reason="nbclient")
pytest.importorskip("ipykernel", reason="ipykernel")


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # an error in a cell is raised here
    assert any(cell.get("outputs") for cell in notebook.cells)
