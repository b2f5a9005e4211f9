"""Lines of the log, whatever a request contains."""

import io
import json

from driftline.serve.http.requestlog import RequestLine, RequestLog

PATH = '/v1/models/\u202e\u2028\u2029\x85\U0001f600 \\ " é'


def test_a_record_is_one_line_of_ascii() -> None:
    out = io.StringIO()
    log = RequestLog(out=out)
    log.request(RequestLine(1.0, "info", "request", "r1", "GET", PATH, 404, 0.5))
    log.event("error", "exception", where=PATH)
    text = out.getvalue()
    assert text.isascii()
    first, second = map(json.loads, text.splitlines())
    assert first["path"] == second["where"] == PATH
