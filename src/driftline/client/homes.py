"""Which server holds a model, when several servers share a database.

A server that does not hold a model answers 307 with the address of the one that does. The client
follows, and sends the next requests about the model there at once. If nobody answers there, the
request goes to the address of the client again.
"""

from __future__ import annotations

import httpx

from driftline.client.calls import MODELS, Call

MOVED = 307
MOST_HOPS = 5
"""A model may move again while a request follows it, but not often."""


class Homes:
    """The servers of models, as far as they are known.

    Parameters
    ----------
    secure : bool
        Whether the address of the client begins with https. Then no request follows to http.
    """

    def __init__(self, secure: bool) -> None:
        self._secure = secure
        self._origins: dict[str, str] = {}

    def url(self, call: Call[object]) -> str:
        """Return where to send a call: its path, or an address of another server."""
        return self._origins.get(_model(call), "") + call.path

    def follow(self, call: Call[object], answer: httpx.Response) -> str | None:
        """Return where to send a call again, or None if the answer is its result."""
        if answer.status_code != MOVED:
            if answer.status_code >= 500:
                self.forget(call)
            return None
        target: str = answer.headers.get("location", "")
        origin = target.removesuffix(call.path)
        scheme = origin.partition("://")[0]
        if not _model(call) or origin == target or scheme not in (("https",) if self._secure else ("http", "https")):
            return None
        self._origins[_model(call)] = origin
        return target

    def forget(self, call: Call[object]) -> bool:
        """Send the calls about this model to the address of the client again; return whether they were not."""
        return self._origins.pop(_model(call), None) is not None


def _model(call: Call[object]) -> str:
    """The name of the model in the path; empty if there is none."""
    rest = call.path.removeprefix(f"{MODELS}/")
    return "" if rest == call.path else rest.partition("/")[0].partition("?")[0]
