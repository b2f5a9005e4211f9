"""One Tracker and one PA1 behind a real web server, with handlers in a thread pool and no lock."""

from __future__ import annotations

import copy
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import assert_same, snapshot
from tests.support.threads import in_threads

uvicorn = pytest.importorskip("uvicorn")
applications = pytest.importorskip("starlette.applications")
CLIENTS, REQUESTS = 16, 40


class Service:
    """A web server that learns and predicts; its address is ``port``."""

    def __init__(self) -> None:
        from starlette.responses import JSONResponse
        from starlette.routing import Route

        self.learners: dict[str, dl.Learner] = {"tracker": dl.Tracker(), "pa1": dl.PA1()}

        def learn(request: Any) -> Any:
            given = request.path_params["given"]
            x, y = json.loads(given)
            block = self.learners[request.path_params["name"]].learn_block([x], [y])
            return JSONResponse({"round": block.start, "score": float(block.scores[0])})

        def score(request: Any) -> Any:
            x = json.loads(request.path_params["given"])
            return JSONResponse({"score": self.learners[request.path_params["name"]].score_one(x)})

        routes = [Route("/{name}/learn/{given:path}", learn, methods=["POST"])]
        routes += [Route("/{name}/score/{given:path}", score, methods=["POST"])]
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        app = applications.Starlette(routes=routes)
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", ws="none"))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))

    def __enter__(self) -> Service:
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()

    def client(self) -> Client:
        return Client(self.port)


class Client:
    """One connection; a refused or failed request is an error."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path: str, given: Any) -> dict[str, Any]:
        from urllib.parse import quote

        self.connection.request("POST", f"/{path}/{quote(json.dumps(given))}")
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        answer: dict[str, Any] = json.loads(body)
        return answer


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


def requests(client: int) -> list[tuple[dict[str, float], bool]]:
    """Rows with common features and one of this client alone, so that names appear at any time."""
    rng = np.random.default_rng(client)
    rows = []
    for k, row in enumerate(rng.normal(size=(REQUESTS, 5)).tolist()):
        x = {f"f{j}": value for j, value in enumerate(row)} | {f"client {client} {k // 10}": 1.0}
        rows.append((x, row[0] + row[1] > 0.1))
    return rows


def test_sixteen_clients_learn_and_predict(service: Service) -> None:
    done: dict[str, list[tuple[int, float, dict[str, float], bool]]] = {"tracker": [], "pa1": []}

    def work(number: int) -> None:
        client = service.client()
        for x, y in requests(number):
            for name, order in done.items():
                client.post(f"{name}/score", x)
                answer = client.post(f"{name}/learn", [x, y])
                order.append((answer["round"], answer["score"], x, y))
        client.connection.close()

    in_threads(*(lambda k=k: work(k) for k in range(CLIENTS)))  # type: ignore[misc]
    for name, replay in (("tracker", dl.Tracker()), ("pa1", dl.PA1())):
        order = sorted(done[name], key=lambda one: one[0])
        assert [one[0] for one in order] == list(range(CLIENTS * REQUESTS))
        for _, score, x, y in order:
            assert replay.learn_one(x, y) == score
        assert_same(snapshot(replay), snapshot(service.learners[name]))


def test_sixteen_clients_get_the_scores_of_a_frozen_copy(service: Service) -> None:
    for learner in service.learners.values():
        for x, y in requests(0):
            learner.learn_one(x, y)
    frozen = {name: copy.deepcopy(learner) for name, learner in service.learners.items()}

    def work(number: int) -> None:
        client = service.client()
        for x, _ in requests(number):
            for name, learner in expected.items():
                assert client.post(f"{name}/score", x)["score"] == learner[json.dumps(x)]
        client.connection.close()

    expected = {
        name: {json.dumps(x): learner.score_one(x) for number in range(CLIENTS) for x, _ in requests(number)}
        for name, learner in frozen.items()
    }
    in_threads(*(lambda k=k: work(k) for k in range(CLIENTS)))  # type: ignore[misc]
