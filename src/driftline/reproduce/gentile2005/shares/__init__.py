"""Fixed share: its gain if the best expert changes, and its cost if it does not."""

from driftline.reproduce.gentile2005.shares.claims import notes, verdicts
from driftline.reproduce.gentile2005.shares.figures import drawings
from driftline.reproduce.gentile2005.shares.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
