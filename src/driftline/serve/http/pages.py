"""The dashboard: static files from memory, with the headers that protect a page."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from driftline.serve.dashboard.files import POLICY
from driftline.serve.http.exchange import Exchange, Reply
from driftline.serve.http.service import Service

Files = Mapping[str, tuple[str, bytes]]
"""Path to content type and content."""
PROTECTED = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-cache"),
)
"""The headers of every page."""


def pages(files: Files) -> dict[str, Reply]:
    """Return the reply for each path."""
    found = {}
    for path, (media, content) in files.items():
        tag = b'"' + hashlib.sha256(content).hexdigest()[:24].encode() + b'"'
        found[path] = Reply(content, media=media.encode(), headers=((b"etag", tag),), protection=PROTECTED)
    return found


async def page(service: Service, exchange: Exchange, body: None) -> Reply:
    """A file of the dashboard."""
    reply = service.pages[exchange.path]
    if exchange.headers.get(b"if-none-match") == reply.headers[0][1]:
        return Reply(status=304, headers=reply.headers, protection=PROTECTED)
    return reply
