"""A real server: slow, half-closed and hostile clients, and the end of the process."""

from __future__ import annotations

import gzip
import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from driftline.serve.log.events import Learned, decode
from driftline.serve.storage.opening import open_storage
from tests.serve.http.live import Live, live, received, request

PREDICT, LEARN = "/v1/models/mail/predict", "/v1/models/mail/learn"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("live") / "a.db") as running:
        yield running
        assert httpx.get(f"{running.url}/readyz").status_code == 200, "a test has hurt the server"


def check_refused(answer: bytes, status: int, part: str) -> None:
    """A problem document, after which the connection is closed."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0].startswith(f"http/1.1 {status}"), answer
    assert "content-type: application/problem+json" in lines and "connection: close" in lines
    problem = json.loads(body)
    assert problem["status"] == status and part in problem["detail"]
    assert f"x-request-id: {problem['instance'].removeprefix('urn:request:')}" in lines


@pytest.mark.parametrize("start", [b"POST ", b"POST / HTTP/1.1\r\nhost: a\r\n", b"GET / HTTP/1.1\r\nx: "])
def test_headers_that_never_end(server: Live, start: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(start)
        check_refused(received(connection), 408, "headers: must arrive within 0.5 seconds")


def test_a_connection_that_sends_nothing_is_closed(server: Live) -> None:
    with server.connect() as connection:
        assert received(connection) == b""


def test_blank_lines_after_a_request_do_not_keep_a_connection(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
        connection.sendall(b"\r\n")
        check_refused(received(connection), 408, "headers")


@pytest.mark.parametrize("sent", [b"", b'{"x":'])
def test_a_body_that_never_ends(server: Live, sent: bytes) -> None:
    with server.connect() as connection:
        whole = request(PREDICT, b'{"x":[1.0]}')
        connection.sendall(whole[: whole.index(b"\r\n\r\n") + 4] + sent)
        check_refused(received(connection), 408, "body: must arrive within 0.5 seconds")


def test_a_client_that_closes_its_side_gets_its_answer(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(request(LEARN, b'{"x":[1.0],"y":"spam","id":"half-closed"}'))
        connection.shutdown(1)
        answer = received(connection)
        assert answer.startswith(b"HTTP/1.1 200") and b'"learned"' in answer


def test_an_answer_is_written_before_the_connection_ends(server: Live) -> None:
    """Both sides are done when the server sees the end of the client: it has answered, but not yet written."""
    for _ in range(50):
        with server.connect() as connection:
            connection.sendall(request(PREDICT, b'{"x":[1.0]}'))
            connection.shutdown(1)
            assert received(connection).startswith(b"HTTP/1.1 200")


def test_a_client_that_goes_away_in_the_middle(server: Live) -> None:
    for count in (3, 40, 150):
        with server.connect() as connection:
            connection.sendall(request(PREDICT, b'{"x":[1.0]}')[:count])
    assert httpx.get(f"{server.url}/healthz").status_code == 200


@pytest.mark.parametrize("text", [b"\x16\x03\x01\x02\x00\x01\x00", b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"])
def test_bytes_that_are_not_http(server: Live, text: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(text)
        check_refused(received(connection), 400, "request: must be HTTP/1.1")


def test_too_many_headers(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n")
        check_refused(received(connection), 400, "request")


def test_headers_that_are_too_long(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        try:
            for _ in range(100):
                connection.sendall(b"a: " + b"b" * 8000 + b"\r\n")
            answer = received(connection)
        except (BrokenPipeError, ConnectionResetError):
            return  # closed while we were sending
        assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400")


def test_a_gzip_bomb(server: Live) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    answer = httpx.post(f"{server.url}{PREDICT}", content=bomb, headers=headers)
    assert answer.status_code == 413 and "at most 100000 bytes" in answer.json()["detail"]


def test_a_large_body_sees_its_refusal(server: Live) -> None:
    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{server.url}{PREDICT}", content=b" " * 300_000, headers=headers)
    assert answer.status_code == 413


def test_pipelined_requests_are_answered_in_order(server: Live) -> None:
    with server.connect() as connection:
        bodies = [b'{"x":[%d.0],"id":"pipe-%d"}' % (k, k) for k in range(5)]
        whole = b"".join(request(PREDICT, body) for body in bodies[:4]) + request(
            PREDICT, bodies[4], "connection: close"
        )
        connection.sendall(whole)
        answer = received(connection)
    assert [int(part.partition(b'"')[0]) for part in answer.split(b'"ticket":"pipe-')[1:]] == list(range(5))


def test_more_connections_than_allowed(tmp_path: Path) -> None:
    with live(tmp_path / "a.db") as server:
        kept = [server.connect() for _ in range(20)]
        try:
            kept[0].sendall(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
            assert kept[0].recv(65536).startswith(b"HTTP/1.1 200")
            with server.connect() as one_more:
                check_refused(received(one_more), 503, "at most 20 may be open")
        finally:
            for one in kept:
                one.close()


# the end ----------------------------------------------------------------------------------------
def learned_ids(database: Path) -> list[str]:
    """The ids of learned examples in the log of the model, which ends with a snapshot."""
    storage = open_storage(str(database))
    try:
        (row,) = storage.models()
        assert storage.snapshots(row.model)[-1].position == storage.head(row.model)[0]
        events = [decode(one) for page in storage.pages(row.model) for one in page.events if one is not None]
        return [str(event.ticket) for event in events if isinstance(event, Learned)]
    finally:
        storage.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_loses_no_acknowledged_label(tmp_path: Path, number: int) -> None:
    acknowledged: list[str] = []
    enough = threading.Event()

    def send(url: str, worker: int) -> None:
        with httpx.Client(base_url=url, timeout=20) as client:
            for k in range(100_000):
                body = {"x": {"a": k, "b": worker}, "y": ("spam", "ham")[k % 2], "id": f"{worker}-{k}"}
                try:
                    answer = client.post(LEARN, json=body)
                except httpx.TransportError:
                    return
                if answer.status_code != 200:
                    assert answer.status_code == 503, answer.text
                    return
                acknowledged.append(body["id"])
                if len(acknowledged) > 200:
                    enough.set()

    with live(tmp_path / "a.db") as server:
        threads = [threading.Thread(target=send, args=(server.url, worker)) for worker in range(4)]
        for one in threads:
            one.start()
        assert enough.wait(60)
        server.process.send_signal(number)
        for one in threads:
            one.join(30)
        code, out, err = server.stop()
    assert code == 0 and out == "stopped\n", err
    assert json.loads(err.splitlines()[-1])["event"] == "stopped"
    stored = learned_ids(tmp_path / "a.db")
    assert len(stored) == len(set(stored)) and set(acknowledged) <= set(stored)


def test_open_streams_do_not_delay_the_end(tmp_path: Path) -> None:
    with live(tmp_path / "a.db") as server:
        with httpx.stream("GET", f"{server.url}/v1/events", timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 2000"
            server.process.terminate()
            assert "" in list(lines)
        assert server.stop()[0] == 0


def test_a_restarted_server_knows_the_tickets(tmp_path: Path) -> None:
    with live(tmp_path / "a.db") as server:
        ticket = httpx.post(f"{server.url}{PREDICT}", json={"x": {"a": 1.0}}).json()["ticket"]
        server.process.terminate()
        assert server.stop()[0] == 0
    with live(tmp_path / "a.db") as server:
        answer = httpx.post(f"{server.url}/v1/models/mail/label", json={"ticket": ticket, "y": "spam"})
        assert answer.json()["kind"] == "learned", answer.text
