"""Handlers of the loop: predict, label, learn, dismiss, and their batches."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec

from driftline.serve.errors import BadRequest, ServeError, TooLarge
from driftline.serve.http import types
from driftline.serve.http.exchange import Exchange, Reply, as_json, encoded
from driftline.serve.http.problems import Problem, body_fault
from driftline.serve.http.service import Service
from driftline.serve.results import Outcome, Prediction

NDJSON = b"application/x-ndjson"
DURABLE = attrgetter("durable")
RESULTS = {Prediction, Outcome}
_raw = msgspec.json.Decoder(list[msgspec.Raw])


class _RawBatch(msgspec.Struct, forbid_unknown_fields=True):
    items: list[msgspec.Raw]


_raw_batch = msgspec.json.Decoder(_RawBatch)
_predicts, _tells, _learns = (msgspec.json.Decoder(one) for one in (types.Predict, types.Tell, types.Learn))
_whole: dict[Any, msgspec.json.Decoder[Any]] = {
    decoder: msgspec.json.Decoder(batch)
    for decoder, batch in ((_predicts, types.PredictBatch), (_tells, types.TellBatch), (_learns, types.LearnBatch))
}
"""The decoder of a whole batch in which every item can be read."""


async def predict(service: Service, exchange: Exchange, body: types.Predict) -> Reply:
    """Predict one example."""
    hub = service.hub
    model = hub.model(exchange.parts[3])
    found = model.predict(body.x, body.id)
    if body.durable:
        await hub.durable(model)
    return as_json(found.with_text_keys())


async def label(service: Service, exchange: Exchange, body: types.Tell) -> Reply:
    """Learn the label of a ticket."""
    model = service.hub.model(exchange.parts[3])
    return as_json(await model.label(body.ticket, body.y, exchange.caller.name, body.x))


async def learn(service: Service, exchange: Exchange, body: types.Learn) -> Reply:
    """Learn an example and its label."""
    model = service.hub.model(exchange.parts[3])
    return as_json(await model.learn(body.x, body.y, body.id, exchange.caller.name))


async def dismiss(service: Service, exchange: Exchange, body: types.Dismiss) -> Reply:
    """Close a ticket without a label."""
    return as_json(await service.hub.model(exchange.model).dismiss(body.ticket, exchange.caller.name))


async def predict_batch(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Predict the examples of a batch."""
    hub = service.hub
    model = hub.model(exchange.model)
    items, faults = _items(service, exchange, body, _predicts)
    durable = any(map(DURABLE, items))
    found = await model.predict_many([(one.x, one.id) for one in items], text_keys=True)
    del items
    if durable:
        await hub.durable(model)
    return _results(exchange, faults, found)


async def label_batch(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Learn the labels of a batch."""
    model = service.hub.model(exchange.model)
    items, faults = _items(service, exchange, body, _tells)
    stored = model.label_many([(one.ticket, one.y, one.x) for one in items], exchange.caller.name)
    del items
    return _results(exchange, faults, await stored)


async def learn_batch(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Learn the examples of a batch.

    Nothing holds the examples while it waits for the storage: the next batches find their memory in
    the caches of the processor.
    """
    model = service.hub.model(exchange.model)
    items, faults = _items(service, exchange, body, _learns)
    stored = model.learn_many([(one.x, one.y, one.id) for one in items], exchange.caller.name)
    del items
    return _results(exchange, faults, await stored)


def _items(
    service: Service, exchange: Exchange, body: bytes, decoder: msgspec.json.Decoder[Any]
) -> tuple[list[Any], dict[int, BadRequest]]:
    """Return the items of a batch that can be read, and for the others a `BadRequest` by place."""
    where = exchange.where
    items: list[Any]
    if exchange.media != NDJSON:
        try:
            items = _whole[decoder].decode(body).items
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass  # each item is read on its own
        else:
            _pay(service, exchange, len(items))
            return items, {}
    raw: Sequence[Any]
    if exchange.media == NDJSON:
        raw = [line for line in body.split(b"\n") if line and not line.isspace()]
    else:
        try:
            raw = _raw_batch.decode(body).items
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadRequest(body_fault(where, error, _RawBatch)) from None
    _pay(service, exchange, len(raw))
    decode = decoder.decode
    items, faults = [], {}
    for place, one in enumerate(raw):
        try:
            items.append(decode(one))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            faults[place] = BadRequest(body_fault(f"{where}: item {place}", error, decoder.type))
    return items, faults


def _pay(service: Service, exchange: Exchange, size: int) -> None:
    """Check the size of a batch, and take it from the rate limit of the caller."""
    most = service.hub.settings.max_batch
    if size > most:
        raise TooLarge(f"{exchange.where}: a batch must have at most {most} items, got {size}. Send smaller batches")
    if size > 1:
        exchange.caller.pay(service.auth.ticks(), size - 1)


def _results(exchange: Exchange, faults: dict[int, BadRequest], found: Sequence[Any]) -> Reply:
    """Return one result for each item, in the form of the request."""
    each = [*found]
    if faults:
        rest = iter(found)
        each = [faults[k] if k in faults else next(rest) for k in range(len(faults) + len(found))]
    if not {*map(type, each)} <= RESULTS:
        each = [_problem(exchange, one) if isinstance(one, ServeError) else one for one in each]
    if exchange.media == NDJSON:
        return Reply(b"".join(encoded(one) + b"\n" for one in each), media=NDJSON)
    return as_json({"items": each})


def _problem(exchange: Exchange, error: ServeError) -> Problem:
    return Problem("about:blank", error.title, error.status, error.detail, f"urn:request:{exchange.id}")
