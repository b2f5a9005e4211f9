"""The bytes of a hosted model, for snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from driftline.saved import from_bytes
from driftline.saved.container import to_bytes
from driftline.saved.model import KIND, state_of
from driftline.serve.hosted.contender import Contender
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.open_items import Opened, events_of
from driftline.serve.hosted.scoreboard import BoardState, Scoreboard
from driftline.serve.hosted.tickets import Closed, How, Unmatched
from driftline.serve.log.events import Limits, TicketId
from driftline.serve.spec import Label, Spec

VERSION = 2
"""The version of snapshots. 2: open tickets may be those of batches."""


class ContenderState(msgspec.Struct, array_like=True):
    """A contender in a snapshot; the learner is a model file."""

    number: int
    name: str
    spec: Spec
    learner: bytes
    board: BoardState


class ModelState(msgspec.Struct, array_like=True):
    """A hosted model in a snapshot."""

    version: int
    spec: Spec
    limits: Limits
    position: int
    last_at: float
    tickets_above: int
    rolled_back: list[tuple[int, int]]
    next_number: int
    threshold: float
    forgotten: int
    contenders: list[ContenderState]
    open: list[bytes]
    closed: list[tuple[TicketId, int, Label | None, str]]
    unmatched: list[tuple[TicketId, float, Label, str]]
    rollbacks: int = 0


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(ModelState)


@dataclass(frozen=True)
class FrozenModel:
    """The state of one moment. Its bytes can be made later, in any thread."""

    position: int
    at: float
    plain: ModelState
    """Without the learners, and the tickets."""
    learners: list[tuple[dict[str, Any], dict[str, np.ndarray]]]
    open: dict[TicketId, Opened]
    closed: dict[TicketId, Closed]
    unmatched: dict[TicketId, Unmatched]

    def to_bytes(self) -> bytes:
        """The bytes of the snapshot."""
        state = self.plain
        for contender, learned in zip(state.contenders, self.learners, strict=True):
            contender.learner = to_bytes(KIND, *learned)
        state.open = list(events_of(self.open.items()))
        state.closed = [(ticket, one.how.value, one.y, one.digest) for ticket, one in self.closed.items()]
        state.unmatched = [(ticket, *one) for ticket, one in self.unmatched.items()]
        return _encoder.encode(state)


def freeze(model: HostedModel) -> FrozenModel:
    """The state of this moment. It copies arrays and tables but encodes nothing.

    Parameters
    ----------
    model
        The model.
    """
    tickets = model.tickets
    contenders = [ContenderState(one.number, one.name, one.spec, b"", one.board.state()) for one in model.contenders]
    plain = ModelState(
        VERSION,
        model.spec,
        model.limits,
        model.position,
        model.last_at,
        model.tickets_above,
        list(model.ids.rolled_back),
        model.lineup.next_number,
        0.0 if model.threshold is None else model.threshold.value,
        tickets.forgotten,
        contenders,
        [],
        [],
        [],
        model.ids.rollbacks,
    )
    learners = [state_of(one.learner) for one in model.contenders]
    return FrozenModel(
        model.position,
        model.last_at,
        plain,
        learners,
        tickets.open.copy(),
        tickets.closed.copy(),
        tickets.unmatched.copy(),
    )


def state_bytes(model: HostedModel) -> bytes:
    """The bytes of a model. Two models with the same bytes behave the same.

    Parameters
    ----------
    model
        The model.
    """
    return freeze(model).to_bytes()


def model_of(data: bytes) -> HostedModel:
    """The model of the bytes of a snapshot; ValueError if they cannot be read.

    Parameters
    ----------
    data
        What ``state_bytes`` returned.
    """
    try:
        version = msgspec.msgpack.decode(data)[0]
        if version > VERSION:
            raise ValueError(
                f"snapshot: format must be at most {VERSION}, got {version}, of a newer driftline. Upgrade driftline"
            )
        state = _decoder.decode(data)
    except (msgspec.MsgspecError, TypeError, IndexError) as error:
        raise ValueError(
            f"snapshot: content must be that of a snapshot, got {error}. Use an earlier snapshot"
        ) from None
    model = HostedModel(state.spec, state.limits)
    model.position, model.last_at, model.tickets_above = state.position, state.last_at, state.tickets_above
    model.ids.rolled_back, model.ids.rollbacks = state.rolled_back, state.rollbacks
    model.lineup.next_number = state.next_number
    if model.threshold is not None:
        model.threshold.value = state.threshold
    for one in state.contenders:
        learner = from_bytes(one.learner)
        board = Scoreboard.of(one.board, state.limits.window, learner.rule.regresses)
        model.contenders.append(Contender(one.number, one.name, one.spec, learner, board))
    tickets = model.tickets
    tickets.restore(state.open)
    for ticket, how, y, digest in state.closed:
        tickets.remember_closed(ticket, Closed(How(how), y, digest))
    tickets.unmatched = {ticket: Unmatched(at, y, who) for ticket, at, y, who in state.unmatched}
    tickets.forgotten = state.forgotten
    return model
