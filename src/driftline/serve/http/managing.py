"""Handlers about models: create, describe, compare, snapshots, rollback, import and export."""

from __future__ import annotations

from driftline.serve.errors import BadRequest
from driftline.serve.http import types
from driftline.serve.http.exchange import Exchange, Reply, as_json
from driftline.serve.http.service import Service

OCTETS = b"application/octet-stream"
MOST = 1000
"""The largest ``limit`` of a list."""


async def list_models(service: Service, exchange: Exchange, body: None) -> Reply:
    """List all models."""
    hub = service.hub
    if hub.sharing is None:
        return as_json(types.Models(hub.models()))
    return as_json(types.Models(hub.models(), hub.sharing.elsewhere()))


async def create_model(service: Service, exchange: Exchange, body: types.NewModel) -> Reply:
    """Create a model."""
    hub = service.hub
    return as_json(await hub.create(body.name, body.spec(), exchange.caller.name), 201)


async def get_model(service: Service, exchange: Exchange, body: None) -> Reply:
    """Describe a model and its contenders."""
    return as_json(service.hub.model(exchange.model).info())


async def delete_model(service: Service, exchange: Exchange, body: None) -> Reply:
    """Delete a model with its log and snapshots."""
    await service.hub.delete(exchange.model, exchange.caller.name)
    return Reply(status=204)


async def explain(service: Service, exchange: Exchange, body: types.Explain) -> Reply:
    """Explain a score."""
    model = service.hub.model(exchange.model)
    if (body.x is None) == (body.ticket is None):
        got = "neither" if body.x is None else "both"
        raise BadRequest(f"{exchange.where}: the body must have either x or ticket, got {got}")
    x = body.x if body.x is not None else model.example_of(body.ticket)  # type: ignore[arg-type]
    return as_json(model.explain(x, body.contender))


async def metrics(service: Service, exchange: Exchange, body: None) -> Reply:
    """Metrics over all labels and over the last ones."""
    query = exchange.query(("contender",))
    return as_json(service.hub.model(exchange.model).metrics(query.get("contender")))


async def series(service: Service, exchange: Exchange, body: None) -> Reply:
    """Counts over time."""
    return as_json(types.AllSeries(service.hub.model(exchange.model).series()))


async def questions(service: Service, exchange: Exchange, body: None) -> Reply:
    """Open questions, the worthiest first."""
    limit = _limit(exchange, exchange.query(("limit",)), 20)
    return as_json(types.Questions(service.hub.model(exchange.model).questions(limit)))


async def alarms(service: Service, exchange: Exchange, body: None) -> Reply:
    """Alarms about a rising error."""
    return as_json(types.Alarms(service.hub.model(exchange.model).alarms()))


async def weights(service: Service, exchange: Exchange, body: None) -> Reply:
    """The largest weights."""
    query = exchange.query(("limit", "contender"))
    model = service.hub.model(exchange.model)
    return as_json(types.Weights(model.largest_weights(_limit(exchange, query, 20), query.get("contender"))))


async def leaders(service: Service, exchange: Exchange, body: None) -> Reply:
    """The leading experts of a Tracker."""
    query = exchange.query(("limit", "contender"))
    model = service.hub.model(exchange.model)
    return as_json(types.Leaders(model.leaders(_limit(exchange, query, 10), query.get("contender"))))


async def export(service: Service, exchange: Exchange, body: None) -> Reply:
    """The learner of the champion as a model file."""
    content = await service.hub.model(exchange.model).export()
    name = f'attachment; filename="{exchange.model}.dl"'.encode()
    return Reply(content, media=OCTETS, headers=((b"content-disposition", name),))


async def import_model(service: Service, exchange: Exchange, body: bytes) -> Reply:
    """Replace the learner of the champion by a model file."""
    return as_json(await service.hub.model(exchange.model).import_(body, exchange.caller.name))


async def snapshot(service: Service, exchange: Exchange, body: types.Nothing) -> Reply:
    """Store a snapshot now."""
    return as_json(await service.hub.model(exchange.model).snapshot(exchange.caller.name), 201)


async def snapshots(service: Service, exchange: Exchange, body: None) -> Reply:
    """List the snapshots."""
    return as_json(types.Snapshots(service.hub.model(exchange.model).snapshots()))


async def rollback(service: Service, exchange: Exchange, body: types.Rollback) -> Reply:
    """Go back to a position of the log or to a snapshot."""
    if (body.position is None) == (body.snapshot is None):
        got = "neither" if body.position is None else "both"
        raise BadRequest(f"{exchange.where}: the body must have either position or snapshot, got {got}")
    model = service.hub.model(exchange.model)
    return as_json(await model.rollback(to=body.position, snapshot=body.snapshot, who=exchange.caller.name))


async def add_challenger(service: Service, exchange: Exchange, body: types.NewModel) -> Reply:
    """Add a challenger."""
    model = service.hub.model(exchange.model)
    return as_json(await model.add_challenger(body.name, body.spec(), exchange.caller.name), 201)


async def remove_challenger(service: Service, exchange: Exchange, body: None) -> Reply:
    """Remove a challenger."""
    await service.hub.model(exchange.model).remove_challenger(exchange.item, exchange.caller.name)
    return Reply(status=204)


async def promote(service: Service, exchange: Exchange, body: types.Promote) -> Reply:
    """Make a challenger the champion."""
    return as_json(await service.hub.model(exchange.model).promote(body.challenger, exchange.caller.name))


async def log(service: Service, exchange: Exchange, body: None) -> Reply:
    """Events of the log of a model."""
    query = exchange.query(("after", "limit"))
    after = exchange.whole("after", query.get("after", "0"), 0, 2**63 - 1)
    return as_json(types.Log(service.hub.model(exchange.model).log(after, _limit(exchange, query, 100))))


async def redact(service: Service, exchange: Exchange, body: None) -> Reply:
    """Remove the content of a ticket from the log. A ticket of digits alone is one of the server,
    unless ``?id`` says that it is an id of the caller.
    """
    query = exchange.query(("id",))
    text = exchange.item
    number = text.isascii() and text.isdigit() and len(text) < 19 and "id" not in query
    model = service.hub.model(exchange.model)
    return as_json(await model.redact(int(text) if number else text, exchange.caller.name))


def _limit(exchange: Exchange, query: dict[str, str], default: int) -> int:
    return exchange.whole("limit", query.get("limit", str(default)), 1, MOST)
