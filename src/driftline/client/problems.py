"""Problems of the service (RFC 9457) as errors, and answers as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import httpx
import msgspec

from driftline.client.errors import ServiceError, UnreachableError

if TYPE_CHECKING:
    from driftline.client.calls import Call

R = TypeVar("R")
REQUEST = "urn:request:"
LONGEST = 300
"""Characters of a body that is no problem document, such as the page of a proxy."""


class _Problem(msgspec.Struct):
    status: int
    title: str = ""
    detail: str = ""
    instance: str = ""


def problem_of(body: bytes) -> ServiceError | None:
    """Return the problem in this JSON; None if it is another document."""
    try:
        found = msgspec.json.decode(body, type=_Problem)
    except msgspec.MsgspecError:
        return None
    return ServiceError(found.status, found.title, found.detail, found.instance.removeprefix(REQUEST))


def value_of(call: Call[R], answer: httpx.Response | httpx.TransportError) -> R:
    """Return what the answer to a call says, or raise its error."""
    if not isinstance(answer, httpx.Response):
        reason = str(answer).rstrip(".") or type(answer).__name__
        raise UnreachableError(
            f"{call.method} {call.path}: {reason}. Check the address, and that the service runs"
        ) from answer
    request_id = answer.headers.get("x-request-id", "")
    if not answer.is_success:
        found = problem_of(answer.content)
        if found is None:
            text = " ".join(answer.text[:LONGEST].split())
            found = ServiceError(answer.status_code, answer.reason_phrase, text)
        found.request_id = found.request_id or request_id
        raise found
    try:
        return call.parse(answer.content)
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
        detail = f"{call.method} {call.path}: the answer must be that of a driftline service, got {error}"
        raise ServiceError(answer.status_code, "not understood", detail, request_id) from error
