"""``driftline backup`` copies the database of a running server."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftline.cli.main import main
from driftline.serve.chain import next_page
from driftline.serve.storage.opening import open_storage
from driftline.serve.storage.storage import Batch, NewSnapshot


def test_the_copy_of_a_database_in_use_is_checked_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = open_storage("service.db")
    model = server.create_model("shop", "{}", 1.0)
    page = next_page(model, server.head(model), [b"event"] * 1200)
    server.commit(Batch([page], snapshots=[NewSnapshot(model, 1200, 1.0, "auto", b"state")]))
    assert main(["backup", "service.db", "copy.db"]) == 0
    assert capsys.readouterr().out == "the server: events 0, snapshots 0\nshop: events 1,200, snapshots 1\n"
    assert main(["backup", "service.db", "copy.db"]) == 2
    assert "backup must be a new file, got one that exists" in capsys.readouterr().err
    assert main(["backup", "none.db", "other.db"]) == 2
    assert "got no such file" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(("copy", "other", "none"))) == [
        "copy.db"
    ]
    server.close()


def test_damage_in_the_log_fails_the_backup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = open_storage(str(tmp_path / "service.db"))
    model = server.create_model("shop", "{}", 1.0)
    server.commit(Batch([next_page(model, server.head(model), [b"event"])]))
    with server.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE pages SET chain = ?", (bytes(32),))
    server.close()
    assert main(["backup", str(tmp_path / "service.db"), str(tmp_path / "copy.db")]) == 2
    assert "log of model 1: must agree with its hash chain, got a damaged page from event 1" in capsys.readouterr().err
