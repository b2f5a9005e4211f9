"""A cache on disk for the results of the peers, which are deterministic for a version, stream and
seed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from pathlib import Path

from error.play import Outcome
from error.rivals import Rival
from error.stored import Stream

FED = 3  # part of the cache key; increase it when peers are created or fed differently


class Kept:
    """Cached outcomes in `folder`. The key is peer, version, stream and seed.

    A run that was cut short counts only for the same time limit.
    """

    def __init__(self, folder: Path, versions: dict[str, str], limit: float) -> None:
        self._folder = folder
        self._versions = versions
        self._limit = limit

    def get(self, rival: Rival, stream: Stream) -> Outcome | None:
        """Return the cached outcome, or None if there is none or another limit cut it short."""
        file = self._file(rival, stream)
        if not file.exists():
            return None
        told = json.loads(file.read_text())
        outcome = Outcome(**{one.name: told[one.name] for one in fields(Outcome)})
        return outcome if outcome.rows == stream.rows or told["limit"] == self._limit else None

    def put(self, rival: Rival, stream: Stream, outcome: Outcome) -> None:
        """Store an outcome."""
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
