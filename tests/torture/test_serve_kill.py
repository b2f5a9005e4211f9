"""The torture of the service: a few kills, and faults that it must notice."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from driftline.serve import recovery
from driftline.serve.hosted.model import HostedModel
from driftline.serve.log.events import Asked, Learned, RolledBack, Told
from driftline.serve.storage.opening import attach_storage
from driftline.serve.storage.storage import DamagedError, Page
from tests.support.paths import ROOT
from tests.support.service_log import write_log

TORTURE = str(ROOT / "torture")
if TORTURE not in sys.path:
    sys.path.insert(0, TORTURE)


def test_a_few_kills(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import serve_kill
    import serve_load

    def replayed(torture: serve_kill.Torture, name: str) -> str:
        with closing(attach_storage(torture.address)) as storage:
            number = torture.traces[name].number
            model = recovery.state_at(storage, number, use_snapshots=False).model
        return sha256(model.champion.learner.to_bytes()).hexdigest()

    monkeypatch.setattr(serve_kill.Torture, "replayed", replayed)  # driftline replay has tests of its own
    monkeypatch.delitem(serve_load.MODELS, serve_load.TRACKED)
    assert serve_kill.main(["--kills", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 kills: ")
    assert "0 lost, 0 learned twice" in out


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, HostedModel]:
    path = tmp_path_factory.mktemp("torture") / "service.db"
    return path, write_log(path, 200)


@pytest.fixture
def trace(log: tuple[Path, HostedModel]) -> Any:
    from serve_log import Trace

    found = Trace("mails", 1)
    with closing(attach_storage(str(log[0]))) as storage:
        found.read(storage)
    return found


def acknowledged(trace: Any, kind: type) -> Any:
    """A true acknowledgement of the first event of a kind."""
    from serve_log import Acknowledged

    position, event = next((k, one) for k, one in enumerate(trace.events, 1) if isinstance(one, kind))
    if isinstance(event, Asked):
        return Acknowledged("mails", "predict", "durable", position - 1, event.ticket, event.x)
    assert isinstance(event, Learned | Told)
    x = event.x if isinstance(event, Learned) else None
    return Acknowledged("mails", "label", "learned", position, event.ticket, x, event.y)


@pytest.mark.parametrize("kind", [Asked, Told, Learned])
def test_an_acknowledgement_that_is_not_in_the_log(trace: Any, kind: type) -> None:
    from serve_log import LossError

    true = acknowledged(trace, kind)
    trace.confirm(true)
    for false in (replace(true, position=true.position + 1), replace(true, ticket=99), replace(true, position=10**6)):
        with pytest.raises(LossError, match="the log must have"):
            trace.confirm(false)
    if kind is not Asked:
        with pytest.raises(LossError, match="the log must have"):
            trace.confirm(replace(true, y="other"))


def test_a_label_that_is_learned_twice(trace: Any) -> None:
    from serve_log import LossError

    told = next(one for one in trace.events if isinstance(one, Told))
    with pytest.raises(LossError, match=r"must change ticket \d+ once, got told after learned"):
        trace._follow(len(trace.events) + 1, told)


def test_a_model_with_other_bits(log: tuple[Path, HostedModel], trace: Any) -> None:
    from serve_log import LossError

    content = log[1].champion.learner.to_bytes()
    trace.compare("the export", content)
    assert trace.loop(1.0) == content
    with pytest.raises(LossError, match="must have the bits of a replay"):
        trace.compare("the export", content + b" ")


def test_a_damaged_log(log: tuple[Path, HostedModel]) -> None:
    from serve_log import Trace

    class Damaged:
        def __init__(self, storage: Any) -> None:
            self.storage = storage

        def pages(self, *arguments: Any) -> Any:
            for page in self.storage.pages(*arguments):
                yield Page(page.model, page.first, page.last, page.events[::-1], page.digests, page.chain)

    with closing(attach_storage(str(log[0]))) as storage, pytest.raises(DamagedError, match="must agree with"):
        Trace("mails", 1).read(Damaged(storage))  # type: ignore[arg-type]


def test_a_rollback_of_a_rollback() -> None:
    from serve_log import LossError, Trace

    def learned(key: str) -> Learned:
        return Learned(0.0, key, {}, "yes", "", [])

    trace = Trace("mails", 1)
    for event in (learned("a"), learned("b"), RolledBack(0.0, 1, ""), learned("c"), RolledBack(0.0, 2, "")):
        trace.events.append(event)
        trace._follow(len(trace.events), event)
    assert trace.effective == [1, 2, 5] and trace.learned == 2
    trace._follow(6, learned("c"))
    with pytest.raises(LossError, match="must change ticket 'b' once, got learned after learned"):
        trace._follow(7, learned("b"))
