"""Checkpoints: a run is saved at regular intervals, and can be resumed after it was killed.

The run may be killed at any moment. A resumed run gives the same bits as an uninterrupted one. It
must be given the stream from its start. Files and synthetic streams are compared with the saved
stream; other iterables have no identity, and only a stream that ends too early is noticed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driftline.evaluate.checkpoint_checks import check_margin, history_of, ledger_kind, parts_of, restore_observers
from driftline.evaluate.history import History
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.observer import Observer
from driftline.internals.require import require
from driftline.learners import Learner
from driftline.saved import ModelError
from driftline.saved.container import read, write
from driftline.saved.fault import UnfitError, loading
from driftline.saved.model import learner_from, state_of

KIND = "checkpoint"
NAME = "checkpoint.dl"
HALF_WRITTEN = f".{16 * '[0-9a-f]'}.tmp"
SAME = ("learner", "parameters", "options", "labels_declared")

Saved = tuple[Learner, Ledger, History | None, dict[str, Any]]


class Checkpoint:
    """Where and how often a run is saved.

    Parameters
    ----------
    folder
        The folder of the checkpoint; it is created if it does not exist.
    every
        The number of examples between two checkpoints.
    resume
        Whether to resume the run that is saved there, if any. If False, the folder must not
        contain a checkpoint.

    Attributes
    ----------
    path
        The file of the checkpoint.
    """

    def __init__(self, folder: str | os.PathLike[str], every: int = 100_000, resume: bool = False) -> None:
        whole = isinstance(every, int) and not isinstance(every, bool) and every >= 1
        require(whole, "Checkpoint", "every must be a whole number >= 1", every)
        self.folder = Path(folder)
        self.every = every
        self.resume = resume
        self.path = self.folder / NAME

    def prepare(self) -> None:
        """Create the folder, and remove incomplete files of a killed run.

        Raise ModelError if the folder cannot be written, or if it contains a checkpoint and
        ``resume`` is False.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for part in self.folder.glob(HALF_WRITTEN):
                part.unlink(missing_ok=True)
        except OSError as error:
            raise ModelError(
                f"{self.folder}: must be a folder that can be written, got {error.strerror}. Choose another one"
            ) from None
        if self.path.exists() and not self.resume:
            raise ModelError(
                f"{self.folder}: must not contain a checkpoint, got one. Resume it with --resume, or remove it"
            )

    def next(self, done: int) -> int:
        """The number of examples after which the run is saved next.

        Parameters
        ----------
        done
            The number of examples so far.

        Returns
        -------
        int
            The next multiple of ``every``.
        """
        return (done // self.every + 1) * self.every

    def write(
        self,
        learner: Learner,
        ledger: Ledger,
        history: History | None,
        progress: dict[str, Any],
        observers: Sequence[Observer] = (),
    ) -> None:
        """Save the run.

        Parameters
        ----------
        learner, ledger, history
            The state of the run. ``history`` is None if the run records none.
        progress
            The identity of the stream, and the position in it; plain values.
        observers
            The observers of the run.
        """
        model, arrays = state_of(learner)
        parts = {"model": arrays}
        meta: dict[str, Any] = {"model": model, "progress": progress}
        meta["ledger"], parts["ledger"] = ledger.state()
        if history is not None:
            meta["history"], parts["history"] = history.state()
        for observer in observers:
            values, parts[observer.name] = observer.state()
            meta.setdefault("observers", {})[observer.name] = values
        flat = {f"{part} {name}": array for part, some in parts.items() for name, array in some.items()}
        write(self.path, KIND, meta, flat)

    def read(self, fresh: Learner, wants_history: bool, observers: Sequence[Observer] = ()) -> Saved | None:
        """Read the saved run.

        Parameters
        ----------
        fresh
            A new learner with the same parameters and options as the saved one.
        wants_history
            Whether the saved run must have a history.
        observers
            New observers, which take over the saved states. One that a checkpoint of an earlier
            version does not know starts anew.

        Returns
        -------
        tuple or None
            Learner, ledger, history and progress; None if no run is saved.
        """
        if not self.path.exists():
            return None
        meta, flat = read(self.path, KIND)
        with loading(self.path, KIND):
            parts = parts_of(meta, flat)
            model, ledger, progress = meta["model"], meta["ledger"], meta["progress"]
            learner = learner_from(model, parts["model"])
            check_margin(ledger, learner)
            now = state_of(learner)[0]  # with the present names of parameters
            self._check_same(model | {"parameters": now["parameters"]}, state_of(fresh)[0])
            if learner.n_seen - ledger["examples"] != fresh.n_seen:
                raise UnfitError("a run that began with another model", "Start from the same model as before")
            history = None
            if "history" in meta:
                history = history_of(meta["history"], parts["history"], ledger["examples"])
            if (history is not None) != wants_history:
                raise UnfitError("a run with another report", "Resume with the same options as before")
            restore_observers(observers, meta.get("observers", {}), parts, ledger["examples"])
            return learner, ledger_kind(ledger).from_state(ledger, parts["ledger"]), history, progress

    def _check_same(self, saved: dict[str, Any], fresh: dict[str, Any]) -> None:
        for name in (*SAME, "labels") if fresh["labels_declared"] else SAME:
            # new classes may have appeared after the declared ones
            known = saved[name][: len(fresh[name])] if name == "labels" else saved[name]
            if known != fresh[name]:
                raise UnfitError(
                    f"a run with {name} {saved[name]!r} instead of {fresh[name]!r}",
                    "Resume with the same learner, or choose another folder",
                )
