"""Kill and suspend servers that share a database: ``python torture/serve_fleet.py --rounds 20``.

Servers share one PostgreSQL database, each with some of the models. Clients predict, label and
learn through any of them, and follow to the server that holds a model. In each round one server is
killed with SIGKILL under load and started again, or suspended with SIGSTOP beyond its lease and
continued with SIGCONT. Then:

* another server holds all its models and answers for them within the lease, counted from the
  signal; the time to the first acknowledged label after that includes the pauses and time-outs of
  the clients, and is printed separately;
* every acknowledged label and example is in the log, at its position, and none is learned twice;
* a request that the suspended server had received is refused, or its answer is in the log;
* every model has the bits of a replay in this process, and of a loop over the examples of its log.

Each round prints a line. The first fault ends the script with code 1, and so does, after the last
round, a take-over that took longer than the lease.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

from serve_log import Acknowledged, LossError, Trace, check_chains
from serve_process import attached, postgres_server

from driftline.client import Client, ServiceError

MODELS = [f"m{k}" for k in range(4)]
C = 0.5
LABELLERS = 3
REFUSED = (307, 429, 503)
START_SECONDS, WAIT_SECONDS = 120.0, 60.0
ASK_SECONDS = 0.01
EARLIEST = 0.25
"""No lease ends within this part of it after a signal: it was renewed shortly before."""


class FleetServer:
    """One ``driftline serve`` on the shared database.

    Parameters
    ----------
    address : str
        The database.
    lease : float
        Seconds of its leases.
    log : Path
        Where it writes its log.
    """

    def __init__(self, address: str, lease: float, log: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = ["-m", "driftline.cli", "serve", address, "--port", str(self.port), "--no-log-requests"]
        command += ["--advertise", self.url, "--lease", str(lease)]
        self.log = log
        with log.open("ab") as written:
            self.process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=written)

    def get(self, path: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
        """Send one request to this server, and follow nowhere; (0, None) without an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, path, content, {"Content-Type": "application/json"} if content else {})
            response = connection.getresponse()
            data = response.read()
            return response.status, data if path.endswith("/export") else json.loads(data or b"null")
        except (OSError, http.client.HTTPException):
            return 0, None
        finally:
            connection.close()

    def holds(self) -> list[str]:
        """The names of its models."""
        status, found = self.get("/v1/models")
        return [one["name"] for one in found["models"]] if status == 200 else []

    def wait_until_ready(self) -> None:
        """Wait until it answers; LossError if it ends."""
        end = monotonic() + START_SECONDS
        while self.get("/readyz")[0] != 200:
            if self.process.poll() is not None or monotonic() > end:
                raise LossError(f"a server must start, got: {self.log.read_text(errors='replace')[-2000:]}")
            sleep(0.02)


class Watcher(Thread):
    """Asks a server for models until it answers for each, and notes when it did.

    Parameters
    ----------
    servers : list of FleetServer
        The servers that may take the models.
    models : list of str
        The names of the models.
    """

    def __init__(self, servers: list[FleetServer], models: list[str]) -> None:
        super().__init__(daemon=True)
        self.servers = servers
        self.missing = set(models)
        self.at: dict[str, float] = {}
        self.stopped = Event()

    def run(self) -> None:
        """Ask until all are found, or until stopped."""
        while self.missing and not self.stopped.is_set():
            for one in self.servers:
                found = self.missing.intersection(one.holds())
                self.at |= dict.fromkeys(found, monotonic())
                self.missing -= found
            sleep(ASK_SECONDS)


class Labeller(Thread):
    """A client that predicts, labels and learns until it is stopped, and keeps what was acknowledged."""

    def __init__(self, fleet: Fleet, name: str, seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.fleet = fleet
        self.rng = random.Random(f"{seed} {name}")
        self.acknowledged: list[tuple[float, Acknowledged]] = []
        self.fault = ""
        self.stopped = Event()
        self._ids = 0

    def run(self) -> None:
        """Act until stopped. A wrong answer ends the client, and later the torture."""
        clients: dict[str, Client] = {}
        while not self.stopped.is_set():
            url = self.rng.choice(self.fleet.entrances)
            if url not in clients:
                clients[url] = Client(url, timeout=1.0, retries=0)
            try:
                self.act(clients[url])
            except ServiceError as error:
                if error.status not in (0, *REFUSED):
                    self.fault = f"{self.name}: {error}"
                    return
        for one in clients.values():
            one.close()

    def act(self, client: Client) -> None:
        """Send a prediction and its label, or an example, until it is acknowledged or the client is stopped."""
        model = client.model(self.rng.choice(MODELS))
        x = {f"f{k}": round(self.rng.uniform(-1.0, 1.0), 3) for k in range(4)}
        y = "spam" if x["f0"] + x["f1"] > 0.0 else "ham"
        self._ids += 1
        if self.rng.random() < 0.3:
            ticket = model.predict(x).ticket
            outcome, what = model.label(ticket, y, x), "label"
        else:
            ticket = f"{self.name}-{self._ids}"
            outcome, what = self.repeated(client, model.name, x, y, ticket), "learn"
        at = Acknowledged(model.name, what, outcome.kind, outcome.position or 0, ticket, x, y)
        self.acknowledged.append((monotonic(), at))

    def repeated(self, client: Client, name: str, x: Any, y: str, ticket: str) -> Any:
        """Learn with an id, again until it is acknowledged."""
        end = monotonic() + WAIT_SECONDS
        while True:
            try:
                return client.model(name).learn(x, y, ticket)
            except ServiceError as error:
                if error.status not in (0, *REFUSED) or self.stopped.is_set():
                    raise
                if monotonic() > end:
                    raise LossError(f"{name}: a server must take over, got {error}") from None
                client = self.fleet.client
                sleep(0.02)


class Fleet:
    """The servers, their clients, and what must be in the logs."""

    def __init__(self, address: str, folder: Path, lease: float, seed: int, count: int) -> None:
        self.address, self.folder, self.lease = address, folder, lease
        self.rng = random.Random(seed)
        self.seed = seed
        self.count = count
        self.servers: list[FleetServer] = []
        self.entrances: list[str] = []
        self.client: Client
        self.traces: dict[str, Trace] = {}
        self.takeovers: list[float] = []
        """Seconds from a signal until another server answered for a model."""
        self.labelled: list[float] = []
        """Seconds from a signal until a client had a label of a model acknowledged by another server."""
        self.kills = self.stops = self.acknowledged = self.late = 0

    def begin(self) -> None:
        """Start the servers and create the models."""
        self.servers = [self.launch(k) for k in range(self.count)]
        for one in self.servers:
            one.wait_until_ready()
        self.enter(self.servers)
        for name in MODELS:
            self.client.create(name, "pa1", options={"C": C}, labels=["ham", "spam"])
        with attached(self.address) as storage:
            self.traces = {row.name: Trace(row.name, row.model) for row in storage.models()}

    def launch(self, number: int) -> FleetServer:
        """Start a server."""
        return FleetServer(self.address, self.lease, self.folder / f"server{number}.log")

    def enter(self, servers: list[FleetServer]) -> None:
        """Let the clients send to these servers first."""
        self.entrances = [one.url for one in servers]
        self.client = Client(self.entrances[0], timeout=1.0, retries=0)

    def spread(self) -> None:
        """Wait until every server has its share."""
        end = monotonic() + WAIT_SECONDS
        low = len(MODELS) // len(self.servers)
        while min(len(one.holds()) for one in self.servers) < low or len(self.held()) < len(MODELS):
            if monotonic() > end:
                raise LossError(f"the models must be shared out, got {[one.holds() for one in self.servers]}")
            sleep(0.05)

    def held(self) -> set[str]:
        """The models that a server holds."""
        return {name for one in self.servers for name in one.holds()}

    def round(self) -> None:
        """Kill or suspend a server under load, and check everything."""
        self.spread()
        number = self.rng.randrange(self.count)
        victim = self.servers[number]
        others = [one for one in self.servers if one is not victim]
        clients = [Labeller(self, f"c{self.kills + self.stops}-{k}", self.seed) for k in range(LABELLERS)]
        for one in clients:
            one.start()
        sleep(self.rng.uniform(0.2, 0.8))
        lost = victim.holds()
        self.enter(others)
        began = monotonic()
        killed = self.kills <= self.stops
        if killed:
            victim.process.kill()
            victim.process.wait()
            self.kills += 1
        else:
            victim.process.send_signal(signal.SIGSTOP)
            self.stops += 1
        try:
            with ThreadPoolExecutor(1) as pool:
                body = {"x": {"f0": 1.0}, "y": "spam", "id": f"late-{self.stops}"}
                late = None if killed else pool.submit(victim.get, f"/v1/models/{lost[0]}/learn", "POST", body)
                self.wait_for(others, lost, clients, began, "kill" if killed else "suspension")
                if late is not None:
                    victim.process.send_signal(signal.SIGCONT)
                    self.confirm_late(lost[0], body, *late.result())
        finally:
            if not killed:
                victim.process.send_signal(signal.SIGCONT)
            for one in clients:
                one.stopped.set()
            for one in clients:
                one.join(WAIT_SECONDS)
        if killed:
            self.servers[number] = self.launch(number)
        self.servers[number].wait_until_ready()
        self.check(clients)

    def wait_for(
        self, others: list[FleetServer], lost: list[str], clients: list[Labeller], began: float, what: str
    ) -> None:
        """Wait until other servers have these models and each has acknowledged something; print how long it took."""
        watcher = Watcher(others, lost)
        watcher.start()
        first: dict[str, float] = {}
        try:
            while len(first) < len(lost) or watcher.is_alive():
                for one in clients:
                    if one.fault:
                        raise LossError(one.fault)
                    for at, acknowledged in list(one.acknowledged):
                        if acknowledged.model in lost and at > began + EARLIEST * self.lease:
                            first[acknowledged.model] = min(at, first.get(acknowledged.model, at))
                if monotonic() > began + self.lease + WAIT_SECONDS:
                    missing = sorted((set(lost) - set(first)) | watcher.missing)
                    raise LossError(f"another server must take {missing}, got nothing")
                sleep(0.02)
        finally:
            watcher.stopped.set()
        taken = max(watcher.at.values()) - began
        labelled = max(first.values()) - began
        self.takeovers += [at - began for at in watcher.at.values()]
        self.labelled += [at - began for at in first.values()]
        verdict = "within the lease" if taken <= self.lease else "LATER THAN THE LEASE"
        print(
            f"round {self.kills + self.stops}, {what}: {len(lost)} models answered after {taken:.2f} s, {verdict} of "
            f"{self.lease:g} s; first acknowledged labels after {labelled:.2f} s",
            flush=True,
        )

    def confirm_late(self, model: str, body: dict[str, Any], status: int, answer: Any) -> None:
        """A request that the suspended server had received must be refused, or its answer be in the log."""
        if status == 200:
            one = Acknowledged(model, "learn", answer["kind"], answer["position"], body["id"], body["x"], body["y"])
            with attached(self.address) as storage:
                self.traces[model].read(storage)
            self.traces[model].confirm(one)
        elif status not in (0, *REFUSED):
            raise LossError(f"{model}: a late request must be refused, got {status}: {answer}")
        self.late += status != 200

    def check(self, clients: list[Labeller]) -> None:
        """Compare the logs and the models with what was acknowledged."""
        for one in clients:
            if one.fault:
                raise LossError(one.fault)
        self.spread()
        with attached(self.address) as storage:
            for trace in self.traces.values():
                trace.read(storage)
                content = next(one.get(f"/v1/models/{trace.name}/export")[1] for one in self.servers
                               if trace.name in one.holds())  # fmt: skip
                trace.read(storage)
                trace.compare("the export", content)
        for one in clients:
            for _, what in one.acknowledged:
                self.traces[what.model].confirm(what)
                self.acknowledged += 1

    def finish(self) -> int:
        """Check everything once more from the beginning of the log; return the number of events."""
        with attached(self.address) as storage:
            events = check_chains(storage, list(self.traces.values()))
        for trace in self.traces.values():
            assert trace.model is not None
            if trace.loop(C) != trace.model.champion.learner.to_bytes():
                raise LossError(f"{trace.name}: the model must have the bits of a loop over the log, got others")
        for one in self.servers:
            one.process.send_signal(signal.SIGTERM)
            if one.process.wait(WAIT_SECONDS) != 0:
                raise LossError(f"a server must stop with code 0, got {one.process.returncode}")
        if any("Traceback" in log.read_text(errors="replace") for log in self.folder.glob("*.log")):
            raise LossError(f"the servers must write no traceback, got one: see {self.folder}")
        return events

    def end(self) -> None:
        """Kill what still runs."""
        for one in self.servers:
            if one.process.poll() is None:
                one.process.kill()


def main() -> int:
    """Run the rounds; return 1 after the first fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="kills and suspensions, in turn")
    parser.add_argument("--lease", type=float, default=2.0, help="seconds of the leases")
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="driftline-fleet-"))
    begun = monotonic()
    try:
        with ExitStack() as stack:
            address = stack.enter_context(postgres_server())
            fleet = Fleet(address, folder, given.lease, given.seed, given.servers)
            stack.callback(fleet.end)
            fleet.begin()
            for _ in range(given.rounds):
                fleet.round()
            events = fleet.finish()
    except Exception as error:
        print(f"torture: {error}: see {folder}", file=sys.stderr)
        if not isinstance(error, LossError):
            raise
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    print(
        f"{fleet.kills} kills, {fleet.stops} suspensions of {given.servers} servers: {fleet.acknowledged:,} "
        f"acknowledged labels, {events:,} events, {fleet.late} late requests refused; all bits equal; "
        f"{monotonic() - begun:.0f} s"
    )
    for what, times in (("another server answers", fleet.takeovers), ("a label is acknowledged", fleet.labelled)):
        print(
            f"from the signal until {what}, {len(times)} models, lease of {given.lease:g} s: "
            f"median {median(times):.2f} s, longest {max(times):.2f} s"
        )
    late = sum(one > given.lease for one in fleet.takeovers)
    print(f"take-overs within the lease: {len(fleet.takeovers) - late} of {len(fleet.takeovers)}")
    return 1 if late else 0


if __name__ == "__main__":
    raise SystemExit(main())
