"""Errors as problem documents, RFC 9457: ``application/problem+json``.

Every response outside 2xx has this form. Its ``instance`` is the id of the request, which is also
in the header ``X-Request-ID`` and in the log.
"""

# ruff: noqa: N818 (the names say what happened; the base class says that it is an error)

from __future__ import annotations

import re
from http import HTTPStatus

import msgspec

from driftline.serve.errors import ServeError

MEDIA = b"application/problem+json"
SHOWN = 2000
"""Longest detail, in characters."""


class Problem(msgspec.Struct):
    """What went wrong with a request."""

    type: str
    """A URI of the kind of problem; about:blank means that the status says it."""
    title: str
    status: int
    detail: str
    """Where the error is, what must hold and what was given instead, then a remedy."""
    instance: str
    """urn:request: and the id of the request."""


def problem(status: int, detail: str, request: str, title: str = "") -> bytes:
    """Return the document as JSON."""
    text = detail if len(detail) <= SHOWN else f"{detail[: SHOWN - 1]}…"
    text = text.encode("utf-8", "backslashreplace").decode()
    named = title or HTTPStatus(status).phrase
    return msgspec.json.encode(Problem("about:blank", named, status, text, f"urn:request:{request}"))


class Unauthorized(ServeError):
    """No token, or one that is unknown, expired or revoked."""

    status = 401
    title = "Unauthorized"


class Forbidden(ServeError):
    """The caller may not do this."""

    status = 403
    title = "Forbidden"


class NotFound(ServeError):
    """No such route."""

    status = 404
    title = "Not Found"


class WrongMethod(ServeError):
    """The path exists, but does not take this method.

    Parameters
    ----------
    where : str
        The method and the path of the request.
    got : str
        The method of the request.
    methods : list of str
        The methods of the routes with this path. ``HEAD`` is taken wherever ``GET`` is.

    >>> found = WrongMethod("PUT /readyz", "PUT", ["GET"])
    >>> found.allowed, str(found)
    ('GET, HEAD', 'PUT /readyz: the method must be GET or HEAD, got PUT. Repeat the request with GET')
    """

    status = 405
    title = "Method Not Allowed"

    def __init__(self, where: str, got: str, methods: list[str]) -> None:
        taken = [*methods, "HEAD"] if "GET" in methods else methods
        self.allowed = ", ".join(taken)
        listed = ", ".join(taken[:-1]) + f" or {taken[-1]}" if len(taken) > 1 else taken[0]
        remedy = f"Repeat the request with {' or '.join(methods)}"
        super().__init__(f"{where}: the method must be {listed}, got {got}. {remedy}")


class WrongMedia(ServeError):
    """The body has a type that the route does not take."""

    status = 415
    title = "Unsupported Media Type"


EXPECTED = re.compile(r"Expected (?P<wanted>.+?)(?:, got (?P<got>.+?))?(?: - at `(?P<at>.*)`)?")
UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*?)`(?: - at `(?P<at>.*)`)?", re.DOTALL)
MISSING = re.compile(r"Object missing required field `(?P<field>.*?)`(?: - at `(?P<at>.*)`)?")
RANGE = re.compile(r"(?:Number|Integer) out of range(?: - at `(?P<at>.*)`)?")


def body_fault(where: str, error: Exception, takes: object = None) -> str:
    """Return the message about a body that could not be decoded, in the form of the library's errors.

    ``takes`` is the type of the body, whose fields the message names.

    >>> import msgspec
    >>> try:
    ...     msgspec.json.decode(b'[1, "a"]', type=list[int])
    ... except msgspec.ValidationError as error:
    ...     body_fault("learn", error)
    'learn: body[1] must be int, got str. /openapi.json describes it'
    """
    text = str(error)
    if found := EXPECTED.fullmatch(text):
        got = (found["got"] or "another value").replace("`", "")
        wanted = found["wanted"].replace("`", "")
        wanted = NAME if wanted.startswith("str matching regex") else wanted
        return f"{where}: {_place(found['at'])} must be {wanted}, got {got}. {DESCRIBED}"
    if found := UNKNOWN.fullmatch(text):
        got, known = found["field"], _known(takes, found["at"])
        return f"{where}: {_place(found['at'])} must have known fields only, got {got!r}. {known}{DESCRIBED}"
    if found := MISSING.fullmatch(text):
        return f"{where}: {_place(found['at'])} must have the field {found['field']}, got none. {DESCRIBED}"
    if found := RANGE.fullmatch(text):
        return f"{where}: {_place(found['at'])} must be a finite number, got one beyond the range of a float"
    if isinstance(error, RecursionError):
        return f"{where}: the body must be nested less deeply, got too many levels. {DESCRIBED}"
    if isinstance(error, UnicodeDecodeError):
        return f"{where}: the body must be UTF-8, got other bytes. Encode it as UTF-8"
    return f"{where}: the body must be valid JSON, got an error: {text}. NaN and Infinity are not JSON"


DESCRIBED = "/openapi.json describes it"
NAME = "a lower-case letter, then up to 63 of a-z, 0-9, _ and -"
"""The meaning of the only pattern in the types of bodies: see ``types.Name``."""


def _known(takes: object, path: str | None) -> str:
    """The fields of a body of this type, as a sentence; nothing for a record within the body.

    >>> from driftline.serve.http.types import PredictBatch, Tell
    >>> _known(Tell, None), _known(PredictBatch, None), _known(Tell, "$.x")
    ('The fields are ticket, y, x. ', 'The only field is items. ', '')
    """
    if path or not (isinstance(takes, type) and issubclass(takes, msgspec.Struct)):
        return ""
    names = [one.encode_name for one in msgspec.structs.fields(takes)]
    return f"The only field is {names[0]}. " if len(names) == 1 else f"The fields are {', '.join(names)}. "


def _place(path: str | None) -> str:
    return "the body" if not path or path == "$" else f"body{path[1:]}" if path.startswith("$") else path
