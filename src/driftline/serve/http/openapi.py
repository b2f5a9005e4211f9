"""The OpenAPI 3.1 document, generated from the table of routes and the types of the bodies."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from driftline.serve.http.problems import Problem
from driftline.serve.http.routes import NDJSON, ROUTES, Route
from driftline.version import __version__

SCHEMAS = "#/components/schemas/{name}"
PROBLEMS = {
    "307": "Another server holds the model. Location is the address to send the request to.",
    "400": "The request cannot be read.",
    "401": "No token, or one that is unknown, expired or revoked.",
    "403": "The token lacks the scope, or a page of another site sent the request.",
    "404": "Unknown model, ticket or token.",
    "408": "The body did not arrive in time.",
    "409": "An id or name with other content than before.",
    "413": "The body or the batch is too large.",
    "415": "The body has another media type or encoding.",
    "422": "The library refuses the example, label or parameter. Nothing has changed.",
    "429": "Too many requests. Retry-After says when to try again.",
    "503": "The server cannot store anything at the moment, or is not started yet. Try again.",
}
BATCHES = ("PredictionResults", "OutcomeResults")
"""Their items are results or problems: msgspec knows no union of two types without tags."""
BODY_ONLY = ("408", "413", "415", "422")
QUERY: dict[str, dict[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
    "after": {"type": "integer", "minimum": 0},
    "contender": {"type": "string"},
    "id": {"type": "string"},
}
ABOUT = """Predict now, learn when the label comes.

`predict` answers an example and opens a ticket. `label` tells the ticket's label, minutes or weeks
later, and the model learns from it exactly once. All errors are problem documents (RFC 9457).
Batches take JSON or NDJSON and answer in the same form, one result for each item.
"""


def document() -> bytes:
    """Return the document as JSON."""
    taken = [route.takes for route in ROUTES if _is_schema(route.takes)]
    given = [route.gives for route in ROUTES if _is_schema(route.gives)]
    types = list({id(one): one for one in [Problem, *taken, *given]}.values())
    found, components = msgspec.json.schema_components(types, ref_template=SCHEMAS)
    for name in BATCHES:
        items = components[name]["properties"]["items"]
        items["items"] = {"anyOf": [items["items"], {"$ref": SCHEMAS.format(name="Problem")}]}
    schemas = {id(kind): schema for kind, schema in zip(types, found, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "driftline", "version": __version__, "description": ABOUT},
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {
                    "token": {
                        "type": "http",
                        "scheme": "bearer",
                        "description": "dl_<name>_<secret>, made by `driftline token add`.",
                    }
                },
            },
        }
    )


def _is_schema(kind: Any) -> bool:
    return kind is not None and kind not in (bytes, str)


def _operation(route: Route, schemas: dict[int, Any]) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", route.path)
    parameters = [{"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in names]
    parameters += [{"name": one, "in": "query", "schema": QUERY[one]} for one in route.query]
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{route.handler.__name__}",
        "summary": route.summary,
        "tags": ["models" if "{model}" in route.path or route.path == "/v1/models" else "server"],
        "responses": {str(route.status): _success(route, schemas)} | _problems(route),
    }
    if parameters:
        operation["parameters"] = parameters
    if route.has_body:
        content = {one: {"schema": _schema(route.takes, schemas, one)} for one in route.media}
        operation["requestBody"] = {"required": True, "content": content}
    if route.scope is None:
        operation["security"] = []
    else:
        operation["security"] = [{"token": [route.scope]}, {}]
        operation["description"] = f"Needs a token with the scope {route.scope}, unless the server has no tokens."
    return operation


def _schema(kind: Any, schemas: dict[int, Any], media: str) -> dict[str, Any]:
    if media == NDJSON:
        return {"type": "string", "description": "One item a line, as JSON."}
    if kind is bytes:
        return {"type": "string", "contentMediaType": media}
    if kind is str:
        return {"type": "string"}
    found: dict[str, Any] = schemas[id(kind)]
    return found


def _success(route: Route, schemas: dict[int, Any]) -> dict[str, Any]:
    text = "Done." if route.status == 204 else "Success."
    if route.gives is None:
        return {"description": text}
    media = {route.replies, *([NDJSON] if NDJSON in route.media else [])}
    return {
        "description": text,
        "content": {one: {"schema": _schema(route.gives, schemas, one)} for one in sorted(media)},
    }


def _problems(route: Route) -> dict[str, Any]:
    body = {"application/problem+json": {"schema": {"$ref": SCHEMAS.format(name="Problem")}}}
    given = [one for one in PROBLEMS if route.has_body or one not in BODY_ONLY]
    if "{model}" not in route.path:
        given.remove("307")
    return {one: {"description": PROBLEMS[one], "content": body} for one in given}
