"""The hub: all models of a server, on one event loop, and the writer that stores their events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from driftline.serve.results import AuditEntry, ModelInfo, Update
from driftline.serve.served import ServedModel
from driftline.serve.settings import Settings
from driftline.serve.spec import Spec


class Hub:
    """All models of a server. Every method is called on the event loop, except ``open``."""

    @classmethod
    def open(cls, storage: Any, settings: Settings | None = None) -> Self:
        """Recover all models, and return a hub that is started with ``await hub.start()``.

        Parameters
        ----------
        storage
            Where the logs and snapshots are.
        settings
            Limits and times.
        """
        raise NotImplementedError

    async def start(self) -> None:
        """Start the writer thread and the timer on the running event loop."""
        raise NotImplementedError

    async def close(self) -> None:
        """Write everything that waits and a last snapshot of each model, and stop the writer."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Whether requests can be answered."""
        raise NotImplementedError

    @property
    def why_not_ready(self) -> str:
        """The reason why requests cannot be answered; empty if they can."""
        raise NotImplementedError

    @property
    def settings(self) -> Settings:
        """Limits and times."""
        raise NotImplementedError

    async def create(self, name: str, spec: Spec, who: str = "", model: bytes | None = None) -> ModelInfo:
        """Create a model. Conflict if the name is taken, Refused if the library refuses the spec.

        Parameters
        ----------
        name
            1 to 64 letters, digits, ``-`` and ``_``; it starts with a letter.
        spec
            What the model is made of.
        who
            The name of the caller, for the audit trail.
        model
            A saved learner to begin with.
        """
        raise NotImplementedError

    async def delete(self, name: str, who: str = "") -> None:
        """Delete a model."""
        raise NotImplementedError

    def models(self) -> list[ModelInfo]:
        """All models by name."""
        raise NotImplementedError

    def model(self, name: str) -> ServedModel:
        """A model; UnknownModel if there is none of this name."""
        raise NotImplementedError

    async def durable(self, model: ServedModel) -> None:
        """Wait until all events of a model so far are stored."""
        raise NotImplementedError

    async def note(self, who: str, what: str, model: str = "", detail: str = "") -> None:
        """Store an entry of the audit trail, for example about tokens."""
        raise NotImplementedError

    def audit(self, limit: int = 100) -> list[AuditEntry]:
        """The last entries of the audit trail, newest first."""
        raise NotImplementedError

    def subscribe(self) -> AsyncIterator[Update]:
        """Updates of all models from now on. A slow reader loses the oldest ones."""
        raise NotImplementedError

    def stats(self) -> dict[str, float]:
        """Figures for monitoring: waiting events and bytes, commits, events stored, failures, seconds."""
        raise NotImplementedError
