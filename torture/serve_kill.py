"""Kill a server at random moments under load: ``python torture/serve_kill.py --kills 200``.

Clients predict, label and learn, alone and in batches, and send every request again with the same
id until it is answered. The server is killed with SIGKILL while it starts, while it is under load,
after SIGTERM, or during a snapshot, promotion or rollback. It is started again on the same
database. Then:

* every acknowledged label, example, durable ticket and change is in the log, at its position;
* no label is learned twice;
* the hash chain of the log is intact;
* every model and snapshot has the bits of a replay in this process, which is never killed.

With ``--full-disk`` the disk fills up instead. The server must then answer 503, become unready, and
go on when there is space again. The first fault ends the script with code 1.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from serve_client import Client, Gate
from serve_disk import full_disk
from serve_load import BRIEF, MODELS, PLAIN, C, Changer, Labeller
from serve_log import LossError, Trace, check_chains
from serve_process import ServerProcess, StartError, attached, cut_connections, postgres_server

from driftline.serve.storage.storage import DamagedError

STARTING, UNDER_LOAD, CHANGING = "while starting", "under load", "during a change of a model"
STOPPING = "after SIGTERM"
CHANGES = {"promote": "promotions", "add": "challengers", "rollback": "rollbacks"}
LABELLERS, REPLAYS = 4, 2
COMPILE_SECONDS = 300.0
"""Seconds for a request; the first one with a Tracker compiles it."""
CHANGE_SECONDS = 0.003
LEASE_PATIENCE = 60.0
"""Seconds until the lease of a killed server must have ended."""


class Torture:
    """A database, its clients, and one server at a time.

    Parameters
    ----------
    address : str
        The database.
    folder : Path
        Folder for files.
    seed : int
        Seed of the random choices.
    postgres : bool
        Whether the database is PostgreSQL.
    """

    def __init__(self, address: str, folder: Path, seed: int, *, postgres: bool = False) -> None:
        self.address = address
        self.folder = folder
        self.postgres = postgres
        self.rng = random.Random(seed)
        self.gate = Gate()
        self.clients: list[Client] = [Labeller(self.gate, f"client{k}", seed) for k in range(LABELLERS)]
        self.clients.append(Changer(self.gate, "changer", seed))
        self.traces: dict[str, Trace] = {}
        self.kills: Counter[str] = Counter()
        self.confirmed = self.labels = self.snapshots = self.cuts = 0
        self.server: ServerProcess | None = None
        self.port = 0

    # the server --------------------------------------------------------------------------------
    def launch(self) -> ServerProcess:
        """Start a server, and do not wait."""
        small = self.postgres or not self.traces or self.rng.random() < 0.6
        return ServerProcess(self.address, self.folder, small=small)

    def start(self) -> None:
        """Start a server, and wait until it answers and its predecessor's lease has ended."""
        end = monotonic() + LEASE_PATIENCE
        while True:
            self.server = self.launch()
            try:
                self.port = self.server.port()
            except StartError as error:
                if "with a lease until" not in str(error) or monotonic() > end:
                    raise LossError(f"the server must start again, got: {error}") from None
                sleep(0.2)
            else:
                return

    def kill(self) -> None:
        """Kill the server under load, and close the gate."""
        assert self.server is not None
        if not self.server.alive():
            raise LossError(f"the server must run until it is killed, got an end: {self.server.written()}")
        self.server.kill()
        self.gate.close()

    def stop(self) -> None:
        """Stop the server by SIGTERM; it must end with code 0."""
        assert self.server is not None
        code = self.server.stop(60.0)
        if code != 0:
            raise LossError(f"the server must stop with code 0, got {code}: {self.server.written()}")

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Send one request to the server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=COMPILE_SECONDS)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, path, content, {"Content-Type": "application/json"} if content else {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def begin(self) -> None:
        """Start the first server and the clients, and create the models."""
        self.start()
        for name, spec in MODELS.items():
            status, reply = self.request("POST", "/v1/models", {"name": name, **spec})
            if status != 201:
                raise LossError(f"model {name} must be created, got {status}: {reply!r}")
        with attached(self.address) as storage:
            for row in storage.models():
                self.traces[row.name] = Trace(row.name, row.model)
        for one in self.clients:
            one.start()

    # checks ------------------------------------------------------------------------------------
    def check(self) -> None:
        """Compare the log and the models with what was acknowledged; the gate must be closed."""
        self.check_clients()
        acknowledged = [self.gate.acknowledged.popleft() for _ in range(len(self.gate.acknowledged))]
        with attached(self.address) as storage:
            exists = BRIEF in [row.name for row in storage.models()]
            if self.gate.brief not in (None, exists):
                raise LossError(f"{BRIEF}: the model must exist: {self.gate.brief}, got {exists}")
            for trace in self.traces.values():
                trace.read(storage)
                status, content = self.request("GET", f"/v1/models/{trace.name}/export")
                if status != 200:
                    raise LossError(f"{trace.name}: export must be answered 200, got {status}: {content!r}")
                trace.compare("the export after a restart", content)
                if self.rng.random() < 0.3:
                    self.request("POST", f"/v1/models/{trace.name}/snapshot", {})
                self.snapshots += trace.compare_snapshots(storage)
            stored = {row.id for trace in self.traces.values() for row in storage.snapshots(trace.number)}
        for one in acknowledged:
            if one.what != "snapshot":
                self.traces[one.model].confirm(one)
            elif one.y not in stored:
                raise LossError(f"{one.model}: the snapshots must have {one}, got {sorted(stored)}")
        self.confirmed += len(acknowledged)
        self.labels += sum(one.what in ("label", "learn") for one in acknowledged)

    def check_clients(self) -> None:
        """LossError if a client got a wrong answer."""
        if self.gate.faults:
            raise LossError(f"every request must be answered as documented, got: {self.gate.faults[0]}")

    def finish(self) -> int:
        """Check everything once more from the beginning of the log; return the number of events."""
        for one in self.clients:
            one.join(60.0)
        self.start()
        self.check()
        exports = {name: self.request("GET", f"/v1/models/{name}/export")[1] for name in self.traces}
        with attached(self.address) as storage:
            events = check_chains(storage, list(self.traces.values()))
        loop = self.traces[PLAIN].loop(C)
        if loop != exports[PLAIN]:
            raise LossError(f"{PLAIN}: the model must have the bits of a loop over the log, got others")
        with ThreadPoolExecutor(REPLAYS) as pool:
            for name, found in zip(exports, pool.map(self.replayed, exports), strict=True):
                if found != sha256(exports[name]).hexdigest():
                    raise LossError(f"{name}: driftline replay must make the bits of the live model, got others")
        if "Traceback" in self.server.log.read_text(errors="replace"):  # type: ignore[union-attr]
            raise LossError(f"the server must write no traceback, got one: see {self.folder}")
        self.stop()
        return events

    def replayed(self, name: str) -> str:
        """The digest of the model that ``driftline replay`` makes from the log, in another process."""
        command = [sys.executable, "-m", "driftline.cli", "replay", self.address, "--model", name, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
        if done.returncode != 0:
            raise LossError(f"{name}: driftline replay must succeed, got: {done.stderr.strip()}")
        return str(json.loads(done.stdout)["digest"])

    # kills -------------------------------------------------------------------------------------
    def kill_once(self) -> None:
        """Start a server, and kill it at a random moment."""
        if self.traces and self.rng.random() < 0.15:
            self.launch().killed_while_starting(self.rng.uniform(0.0, 2.5))
            self.kills[STARTING] += 1
            return
        if self.traces:
            self.start()
            self.check()
        else:
            self.begin()
        self.gate.open(self.port)
        moment = CHANGING if self.rng.random() < 0.3 else UNDER_LOAD
        if moment == CHANGING:
            sleep(self.rng.uniform(0.0, 0.3))
            self.gate.changing.clear()
            self.gate.changing.wait(2.0)
            sleep(self.rng.expovariate(1 / CHANGE_SECONDS))
        else:
            sleep(self.rng.uniform(0.05, 1.2))
        if self.postgres and self.rng.random() < 0.5:
            cut_connections(self.address)
            self.cuts += 1
            sleep(self.rng.uniform(0.0, 1.0))
        if moment == UNDER_LOAD and self.rng.random() < 0.15:
            self.server.stop(self.rng.uniform(0.0, 0.3))  # type: ignore[union-attr]
            late = not self.server.alive()  # type: ignore[union-attr]
            self.server.kill()  # type: ignore[union-attr]
            self.gate.close()
            self.kills[STOPPING] += not late
            return
        moment = UNDER_LOAD if moment == CHANGING and not self.gate.changing.is_set() else moment
        self.kill()
        self.kills[moment] += 1

    def end(self) -> None:
        """Stop the clients, and kill the server if it runs."""
        self.gate.opened.clear()
        self.gate.stopped.set()
        if self.server is not None and self.server.alive():
            self.server.kill()


def report(torture: Torture, events: int, seconds: float) -> str:
    """The result in one line."""
    counts = torture.gate.counts
    changes = ", ".join(f"{counts[f'{what} done']} {name}" for what, name in CHANGES.items())
    cuts = f"{torture.cuts} times all connections to PostgreSQL cut; " if torture.postgres else ""
    return (
        f"{torture.confirmed:,} acknowledgements, {torture.labels:,} of them of labels: 0 lost, 0 learned twice; "
        f"{changes}, {counts['creation']} models created and {counts['deletion']} deleted; {cuts}"
        f"{counts['lost requests']:,} requests lost and sent again, {counts['503']:,} answered 503; chain of "
        f"{events:,} events intact; every model and {torture.snapshots:,} snapshots the same to the last bit, "
        f"in {seconds:.0f} s"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Kill servers until there have been enough kills; return 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--full-disk", action="store_true", help="fill the disk instead; SQLite only")
    given = parser.parse_args(argv)
    if given.full_disk and given.backend == "postgres":
        parser.error("--full-disk needs --backend sqlite")
    begun = monotonic()
    folder = Path(tempfile.mkdtemp(prefix="driftline-torture-"))
    torture = None
    try:
        with ExitStack() as stack:
            if given.full_disk:
                torture = full_disk(stack, folder, given.seed, Torture)
            else:
                postgres = given.backend == "postgres"
                address = stack.enter_context(postgres_server()) if postgres else str(folder / "service.db")
                torture = Torture(address, folder, given.seed, postgres=postgres)
                stack.callback(torture.end)
                while torture.kills.total() < given.kills or not torture.traces:
                    torture.kill_once()
                    if sys.stderr.isatty():
                        print(f"\r{torture.kills.total()} of {given.kills} kills ", end="", file=sys.stderr, flush=True)
            torture.gate.stopped.set()
            events = torture.finish()
    except Exception as error:
        print(f"torture: {error}: see {folder}", file=sys.stderr)
        if not isinstance(error, LossError | DamagedError):
            raise
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    print(
        f"{torture.kills.total()} kills: " + ", ".join(f"{count} {moment}" for moment, count in torture.kills.items())
    )
    print(report(torture, events, monotonic() - begun))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
