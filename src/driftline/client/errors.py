"""The errors of the clients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class ServiceError(Exception):
    """The service refused a request, or could not be reached.

    Attributes
    ----------
    status
        The HTTP status, for example 409. It is 0 if there was no answer.
    title
        The kind of error in a few words.
    detail
        What must hold, what the service got, and a remedy.
    request_id
        The id of the request in the log of the service; empty if there was no answer.
    """

    def __init__(self, status: int, title: str, detail: str = "", request_id: str = "") -> None:
        super().__init__(status, title, detail, request_id)
        self.status = status
        self.title = title
        self.detail = detail
        self.request_id = request_id

    def __str__(self) -> str:
        what = f"{self.status} {self.title}" if self.status else self.title
        told = f"{what}: {self.detail}" if self.detail else what
        return f"{told} (request {self.request_id})" if self.request_id else told


class UnreachableError(ServiceError):
    """No answer came: the connection failed, or the time-out passed.

    The request may have been applied. A request with an id can be sent again.

    Parameters
    ----------
    detail
        What failed.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(0, "no answer from the service", detail)
        self.args = (detail,)


class BatchError(ServiceError):
    """Some items of a batch were refused; the others were applied.

    Attributes
    ----------
    results
        One entry per item, in order: its result, or the ``ServiceError`` of a refused item.
    items
        The refused items of a ``Batcher``, one per result; empty for other batches.
    """

    def __init__(self, results: Sequence[Any], items: Sequence[Any] = ()) -> None:
        refused = [one for one in results if isinstance(one, ServiceError)]
        first = next(k for k, one in enumerate(results) if isinstance(one, ServiceError))
        detail = f"{len(refused):,} of {len(results):,} items were refused, the first is item {first}: {refused[0]}"
        super().__init__(refused[0].status, "refused items", detail)
        self.args = (results, items)
        self.results = list(results)
        self.items = list(items)
