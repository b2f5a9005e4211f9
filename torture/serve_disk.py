"""A disk that becomes full while a server writes to it.

As root the disk is a small tmpfs, with a file that takes the rest of its space. Otherwise no file of
the server may grow any more (RLIMIT_FSIZE).
"""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from serve_log import LossError
from serve_process import ServerProcess, StartError

if TYPE_CHECKING:
    from serve_kill import Torture

EPISODES = 6
SIZE = "64m"
PATIENCE = 60.0
"""Seconds until the server must notice that the disk is full, or has space."""
BLOCK = bytes(1 << 16)


class Tmpfs:
    """A small file system in memory.

    Parameters
    ----------
    folder : Path
        Where it is mounted.
    """

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"

    def fill(self, server: ServerProcess) -> None:
        """Take all space that is left."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 16, 4096, 1):
                try:
                    while file.write(BLOCK[:size]):
                        pass
                except OSError:
                    continue

    def free(self, server: ServerProcess | None) -> None:
        """Give the space back."""
        self._ballast.unlink(missing_ok=True)


class Limited:
    """A limit on the size of the files of the server.

    Parameters
    ----------
    folder : Path
        Where the database is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fill(self, server: ServerProcess) -> None:
        """Let no file of the server grow any more."""
        size = max(path.stat().st_size for path in self._folder.iterdir())
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def free(self, server: ServerProcess | None) -> None:
        """Let the files grow again."""
        if server is not None and server.alive():
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def disk_in(stack: ExitStack, folder: Path) -> Tmpfs | Limited:
    """Return a tmpfs at a folder if it can be mounted, or else a limit."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        return Limited(folder)
    stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=False)
    return Tmpfs(folder)


def full_disk(stack: ExitStack, folder: Path, seed: int, make: Callable[..., Torture]) -> Torture:
    """Fill the disk several times; LossError unless the server notices and goes on afterwards."""
    disk = disk_in(stack, folder / "disk")
    torture = make(str(folder / "disk" / "service.db"), folder, seed)
    stack.callback(torture.end)
    torture.begin()
    for episode in range(EPISODES):
        torture.gate.open(torture.port)
        sleep(torture.rng.uniform(0.3, 1.0))
        _fill(torture, disk)
        if episode % 2 and isinstance(disk, Tmpfs):
            torture.kill()
            torture.kills["on a full disk"] += 1
            _start_on_full_disk(torture)
            disk.free(None)
            torture.start()
        else:
            disk.free(torture.server)
            _until(torture, 200, "ready again when there is space")
            before = torture.labels + len(torture.gate.acknowledged)
            sleep(0.5)
            torture.gate.close()
            if torture.labels + len(torture.gate.acknowledged) == before:
                raise LossError("the server must acknowledge labels when there is space again, got none")
        torture.check()
        torture.gate.open(torture.port)
        sleep(torture.rng.uniform(0.1, 0.5))
        torture.kill()
        torture.kills["after a full disk"] += 1
        torture.start()
        torture.check()
    torture.kill()
    return torture


def _fill(torture: Torture, disk: Tmpfs | Limited) -> None:
    """Fill the disk under load, and check that nothing is acknowledged any more."""
    server, counts = torture.server, torture.gate.counts
    assert server is not None
    disk.fill(server)
    end = monotonic() + PATIENCE
    answers: set[int] = set()
    while answers != {503}:  # the log may still have room in blocks that it owns
        if monotonic() > end:
            raise LossError(f"the server must become unready on a full disk, got {sorted(answers)} from /readyz")
        disk.fill(server)
        seen = len(torture.gate.acknowledged)
        answers = set()
        for _ in range(10):
            answers.add(torture.request("GET", "/readyz")[0])
            sleep(0.05)
        if answers == {503} and len(torture.gate.acknowledged) > seen + len(torture.clients):
            raise LossError("an unready server must acknowledge nothing, got acknowledgements")
        torture.check_clients()
    if torture.request("GET", "/healthz")[0] != 200:
        raise LossError("/healthz must be answered 200 on a full disk, got another status")
    if counts["503"] == 0:
        raise LossError("requests must be answered 503 on a full disk, got none")
    status, reply = torture.request("GET", "/readyz")
    if status == 503 and "detail" not in json.loads(reply):
        raise LossError(f"/readyz must say why the server is unready, got {reply!r}")


def _start_on_full_disk(torture: Torture) -> None:
    """Start a server on a full disk: it must refuse with one line, or be unready."""
    server = torture.launch()
    try:
        server.port()
    except StartError as error:
        lines = [line for line in str(error).splitlines() if not line.startswith("{")]
        if len(lines) != 1 or not lines[0].startswith("driftline: "):
            raise LossError(f"a start on a full disk must be refused with one line, got: {error}") from None
    else:
        server.kill()


def _until(torture: Torture, status: int, what: str) -> None:
    end = monotonic() + PATIENCE
    while torture.request("GET", "/readyz")[0] != status:
        if monotonic() > end:
            raise LossError(f"the server must be {what}, got {torture.request('GET', '/readyz')[1]!r}")
        sleep(0.05)
