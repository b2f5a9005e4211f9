"""A folder of finished settings of a sweep, so that a sweep that was killed need not start again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.ledger import Ledger
from driftline.learners import Learner
from driftline.saved import ModelError


class FinishedSettings:
    """Finished settings on disk: a checkpoint in a folder of its own for each.

    Parameters
    ----------
    folder
        The folder; it is created if it does not exist.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def read(self, each: Mapping[str, Learner], digest: str, points: int) -> dict[str, tuple[Ledger, Learner]]:
        """The settings that are finished.

        Parameters
        ----------
        each
            The learners before the sweep, by name.
        digest
            The digest of the stream. Raise ModelError if a setting was run on another stream.
        points
            The most points of the curves.
        """
        found = {}
        for name, learner in each.items():
            checkpoint = self._checkpoint(learner, points)
            saved = checkpoint.read(learner, False)
            if saved is None:
                continue
            finished, ledger, _, progress = saved
            if progress["stream"] != {"digest": digest}:
                raise ModelError(
                    f"{self.folder}: must be the folder of a sweep over the same stream, got one of another stream. "
                    "Give the same stream, or choose another folder"
                )
            found[name] = ledger, finished
        return found

    def write(
        self, found: Mapping[str, tuple[Ledger, Learner]], each: Mapping[str, Learner], digest: str, points: int
    ) -> None:
        """Save settings; each is saved completely or not at all.

        Parameters
        ----------
        found
            Ledger and learner of each finished setting, by name.
        each, digest, points
            As for ``read``.
        """
        for name, (ledger, learner) in found.items():
            checkpoint = self._checkpoint(each[name], points)
            checkpoint.prepare()
            progress: dict[str, Any] = {"done": ledger.examples, "stream": {"digest": digest}, "refused": None}
            checkpoint.write(learner, ledger, None, progress)

    def _checkpoint(self, learner: Learner, points: int) -> Checkpoint:
        """Where the setting of this learner is saved."""
        fresh = deepcopy(learner)
        fresh.recipe = None
        key = sha256(fresh.to_bytes() + points.to_bytes(8, "little")).hexdigest()[:32]
        return Checkpoint(self.folder / key, resume=True)
