"""driftline stress: its checks, and what it prints about a service on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from driftline.cli.main import main
from tests.client.fake_service import FakeService, problem
from tests.support.doc_blocks import run


@pytest.fixture
def service() -> Iterator[tuple[str, list[httpx.Request]]]:
    """The address of a fake service, and the requests that came."""
    fake, lock = FakeService(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = dict(self.headers.items())
            request = httpx.Request(self.command, f"http://x{self.path}", content=body, headers=headers)
            with lock:
                if self.headers.get("authorization") == "Bearer wrong":
                    found = problem(401, "Unauthorized", "token: must be known")
                elif self.command == "GET":
                    fake.requests.append(request)
                    found = httpx.Response(200, json={"name": "stress"})
                else:
                    found = fake(request)
            self.send_response(found.status_code)
            self.send_header("content-length", str(len(found.content)))
            self.end_headers()
            self.wfile.write(found.content)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", fake.requests
    server.shutdown()
    server.server_close()


def test_the_figures_are_printed_for_people(service: tuple[str, list[Any]]) -> None:
    code, said = run(["stress", service[0], "--requests", "30", "--clients", "2"])
    header, predict, label, total, errors = said.splitlines()
    assert code == 0 and header.split()[0] == "route" and errors == "no errors"
    assert int(predict.split()[1]) + int(label.split()[1]) == 30
    assert total.endswith(" s") and " requests/s, 2 at a time, " in total


def test_the_figures_are_printed_as_json(service: tuple[str, list[Any]]) -> None:
    code, said = run(["stress", service[0], "--requests", "6", "--batch", "4", "--label-share", "0", "--json"])
    found = json.loads(said)
    assert code == 0 and found["interrupted"] is False and found["batch"] == 4
    assert found["routes"]["predict"]["requests"] == 6 and found["routes"]["label"]["requests"] == 0
    assert found["routes"]["label"]["p50_ms"] is None


def test_the_token_comes_from_the_option_or_the_environment(
    service: tuple[str, list[httpx.Request]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTLINE_TOKEN", "dl_a_b")
    assert run(["stress", service[0], "--requests", "1"])[0] == 0
    assert {one.headers["authorization"] for one in service[1]} == {"Bearer dl_a_b"}
    code, said = run(["stress", service[0], "--requests", "1", "--token", "wrong"])
    assert code == 2 and said == f"driftline: {service[0]}: 401 Unauthorized: token: must be known (request r-1)\n"


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1:8000", "https://example.com", "http://0.0.0.0:1", "http://127.0.0.1.nip.io"]
)
def test_another_machine_is_refused_before_anything_is_sent(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.client.load.LoadRun.run", lambda self: pytest.fail("sent"))
    code, said = run(["stress", url])
    assert code == 2 and f"url must be on this machine, got {url}. Pass --allow-remote" in said


def test_another_machine_is_allowed_by_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def noted(self: Any) -> None:
        asked.append(self.load.url)

    monkeypatch.setattr("driftline.client.load.LoadRun.run", noted)
    assert run(["stress", "http://192.0.2.1:8000", "--allow-remote"])[0] == 0
    assert asked == ["http://192.0.2.1:8000"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--clients", "0"], "--clients must be a whole number from 1 to 256, got 0"),
        (["--clients", "257"], "--clients must be a whole number from 1 to 256, got 257"),
        (["--batch", "0"], "--batch must be a whole number from 1 to 10000, got 0"),
        (["--seconds", "0"], "--seconds must be > 0, got 0"),
        (["--seconds", "nan"], "--seconds must be a number, got nan"),
        (["--requests", "0"], "--requests must be a whole number >= 1, got 0"),
        (["--label-share", "1.5"], "--label-share must be from 0 to 1, got 1.5"),
    ],
    ids=str,
)
def test_options_out_of_range_are_errors(options: list[str], said: str) -> None:
    code, text = run(["stress", "http://127.0.0.1:9", *options])
    assert code == 2 and said in text


def test_nobody_at_the_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stress", "http://127.0.0.1:9", "--requests", "1"]) == 2
    assert "http://127.0.0.1:9: no answer from the service: GET /v1/models/stress" in capsys.readouterr().err


def test_ctrl_c_prints_the_figures_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(self: Any) -> None:
        self.routes["predict"].seconds.append(0.001)
        self.elapsed = 1.0
        raise KeyboardInterrupt

    monkeypatch.setattr("driftline.client.load.LoadRun.run", interrupted)
    code, said = run(["stress", "http://127.0.0.1:9", "--json"])
    assert code == 130
    assert json.loads(said.splitlines()[0])["routes"]["predict"]["requests"] == 1
    assert said.splitlines()[1] == "driftline: interrupted"
