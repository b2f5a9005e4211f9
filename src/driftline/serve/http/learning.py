"""Handlers of the loop: predict, label, learn, dismiss, and their batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from driftline.serve.errors import BadRequest, ServeError, TooLarge
from driftline.serve.http import types
from driftline.serve.http.exchange import Exchange, Reply, as_json, encoded
from driftline.serve.http.problems import Problem, body_fault
from driftline.serve.http.service import Service

NDJSON = b"application/x-ndjson"
_raw = msgspec.json.Decoder(list[msgspec.Raw])


class _RawBatch(msgspec.Struct, forbid_unknown_fields=True):
    items: list[msgspec.Raw]


_raw_batch = msgspec.json.Decoder(_RawBatch)
_predicts, _tells, _learns = (msgspec.json.Decoder(one) for one in (types.Predict, types.Tell, types.Learn))


async def predict(service: Service, exchange: Exchange, body: types.Predict) -> Reply:
    """Predict one example."""
    hub = service.hub
    model = hub.model(exchange.parts[3])
    found = model.predict(body.x, body.id)
    if body.durable:
        await hub.durable(model)
    return as_json(found)


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
    items = _items(service, exchange, body, _predicts)
    good = [one for one in items if isinstance(one, types.Predict)]
    found = await model.predict_many([(one.x, one.id) for one in good])
    if any(one.durable for one in good):
        await hub.durable(model)
    return _results(exchange, items, found)


async def label_batch(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Learn the labels of a batch."""
    model = service.hub.model(exchange.model)
    items = _items(service, exchange, body, _tells)
    good = [(one.ticket, one.y, one.x) for one in items if isinstance(one, types.Tell)]
    return _results(exchange, items, await model.label_many(good, exchange.caller.name))


async def learn_batch(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Learn the examples of a batch."""
    model = service.hub.model(exchange.model)
    items = _items(service, exchange, body, _learns)
    good = [(one.x, one.y, one.id) for one in items if isinstance(one, types.Learn)]
    return _results(exchange, items, await model.learn_many(good, exchange.caller.name))


def _items(service: Service, exchange: Exchange, body: bytes, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
    """Return the items of a batch, or a `BadRequest` in the place of an item that cannot be read."""
    lines = exchange.media == NDJSON
    where = exchange.where
    raw: Sequence[Any]
    if lines:
        raw = [line for line in body.split(b"\n") if line and not line.isspace()]
    else:
        try:
            raw = _raw_batch.decode(body).items
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadRequest(body_fault(where, error)) from None
    most = service.hub.settings.max_batch
    if len(raw) > most:
        raise TooLarge(f"{where}: a batch must have at most {most} items, got {len(raw)}. Send smaller batches")
    if len(raw) > 1:
        exchange.caller.pay(service.auth.ticks(), len(raw) - 1)
    decode = decoder.decode
    items: list[Any] = []
    for one in raw:
        try:
            items.append(decode(one))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            items.append(BadRequest(body_fault(f"{where}: item {len(items)}", error)))
    return items


def _results(exchange: Exchange, items: list[Any], found: Sequence[Any]) -> Reply:
    """Return one result for each item, in the form of the request."""
    rest = iter(found)
    each = [one if isinstance(one, ServeError) else next(rest) for one in items]
    each = [_problem(exchange, one) if isinstance(one, ServeError) else one for one in each]
    if exchange.media == NDJSON:
        return Reply(b"".join(encoded(one) + b"\n" for one in each), media=NDJSON)
    return as_json({"items": each})


def _problem(exchange: Exchange, error: ServeError) -> Problem:
    return Problem("about:blank", error.title, error.status, error.detail, f"urn:request:{exchange.id}")
