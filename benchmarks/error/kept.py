"""The peers' outcomes on disk: a peer of one version on one stream does the same again, so it need not run again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from error.play import Outcome
from error.rivals import Rival
from error.stored import Stream

FED = 1  # raise it when peers are made or fed in another way: what is kept then counts no more


class Kept:
    """Outcomes in `folder`, by peer, version, stream and seed. Of a run that was cut short, also by its limit."""

    def __init__(self, folder: Path, versions: dict[str, str], limit: float) -> None:
        self._folder = folder
        self._versions = versions
        self._limit = limit

    def get(self, rival: Rival, stream: Stream) -> Outcome | None:
        """Return what is kept, None if nothing is or it was cut short by another limit."""
        file = self._file(rival, stream)
        if not file.exists():
            return None
        told = json.loads(file.read_text())
        outcome = Outcome(told["rows"], told["mistakes"], told["seconds"])
        return outcome if outcome.rows == stream.rows or told["limit"] == self._limit else None

    def put(self, rival: Rival, stream: Stream, outcome: Outcome) -> None:
        """Keep an outcome."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._file(rival, stream)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps({**self._key(rival, stream), "limit": self._limit, **asdict(outcome)}))
        unfinished.replace(file)

    def _key(self, rival: Rival, stream: Stream) -> dict[str, str | int]:
        return {
            "fed": FED,
            "package": rival.package,
            "version": self._versions[rival.package],
            "model": rival.model,
            "stream": stream.name,
            "seed": stream.seed,
            "digest": stream.digest,
        }

    def _file(self, rival: Rival, stream: Stream) -> Path:
        key = json.dumps(self._key(rival, stream), sort_keys=True).encode()
        name = f"{rival.model}-{stream.name}-{stream.seed}-{hashlib.sha256(key).hexdigest()[:12]}.json"
        return self._folder / name
