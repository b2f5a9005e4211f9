"""The result of a run that Ctrl-C may end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

from driftline.cli.main import INTERRUPTED
from driftline.evaluate.interrupted import Interrupted

R = TypeVar("R")


class PartialResult:
    """Calls a run, and keeps its result if Ctrl-C ends it after some examples.

    Attributes
    ----------
    interrupted
        Whether Ctrl-C ended the run.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._message = ""

    @property
    def note(self) -> str:
        """The end of the title of a report."""
        return ", interrupted" if self.interrupted else ""

    def of(self, run: Callable[..., R], *arguments: Any, **options: Any) -> R:
        """Return the result of the call, or the result so far."""
        try:
            return run(*arguments, **options)
        except Interrupted as stop:
            if not stop.examples:
                raise
            self.interrupted, self._message = True, str(stop)
            return cast("R", stop.result)

    def exit_code(self) -> int:
        """Return 0; or 130 after a message on stderr if Ctrl-C ended the run."""
        if not self.interrupted:
            return 0
        sys.stdout.flush()
        print(f"driftline: {self._message}", file=sys.stderr)
        return INTERRUPTED
