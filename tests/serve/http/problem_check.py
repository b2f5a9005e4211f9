"""What every refusal has in common."""

from __future__ import annotations

import httpx


def check_problem(answer: httpx.Response, status: int, *parts: str) -> str:
    """Check the form of a problem document, and that its detail has these parts; return the detail."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    body = answer.json()
    assert set(body) == {"type", "title", "status", "detail", "instance"}
    assert body["status"] == status and body["title"] and body["type"] == "about:blank"
    assert body["instance"] == f"urn:request:{answer.headers['x-request-id']}"
    detail: str = body["detail"]
    assert ": " in detail and "Traceback" not in detail
    for part in parts:
        assert part in detail, detail
    return detail
