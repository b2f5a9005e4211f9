"""The errors of the service: each has the HTTP status and the title of its problem document."""

# ruff: noqa: N818 (the names say what happened; the base class says that it is an error)

from __future__ import annotations

from typing import ClassVar


class ServeError(Exception):
    """A request that the service refuses.

    Parameters
    ----------
    detail
        What must hold, what was found, and one remedy, in the form of the library's errors.
    """

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class BadRequest(ServeError):
    """A request that cannot be read."""

    status = 400
    title = "Bad request"


class UnknownModel(ServeError, KeyError):
    """A model that does not exist."""

    status = 404
    title = "Unknown model"

    __str__ = Exception.__str__


class UnknownTicket(ServeError):
    """A ticket that was never issued, was lost in a crash, or was closed long ago."""

    status = 404
    title = "Unknown ticket"


class UnknownContender(ServeError):
    """A contender that the model does not have."""

    status = 404
    title = "Unknown contender"


class Conflict(ServeError):
    """An id with other content than before, or a name that is taken."""

    status = 409
    title = "Conflict"


class Elsewhere(ServeError):
    """A model that another server holds.

    Parameters
    ----------
    detail
        The message.
    address
        The address of that server.
    """

    status = 307
    title = "Held by another server"

    def __init__(self, detail: str, address: str) -> None:
        super().__init__(detail)
        self.address = address


class TooLarge(ServeError):
    """A request beyond a limit of the service."""

    status = 413
    title = "Too large"


class Refused(ServeError):
    """An example, label or parameter that the library refuses. Nothing has changed."""

    status = 422
    title = "Refused"


class Busy(ServeError):
    """Too much work is waiting.

    Parameters
    ----------
    detail
        The message.
    retry_after
        Seconds after which the request may be sent again.
    """

    status = 429
    title = "Too many requests"

    def __init__(self, detail: str, retry_after: float = 1.0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unready(ServeError):
    """The service cannot store anything at the moment, or is not started yet."""

    status = 503
    title = "Not ready"
