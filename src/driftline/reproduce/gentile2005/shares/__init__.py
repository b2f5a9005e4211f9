"""Sharing weights among experts: what it gains where the best one changes, and costs where it does not."""

from driftline.reproduce.gentile2005.shares.drawings import drawings
from driftline.reproduce.gentile2005.shares.solve import solve, tasks
from driftline.reproduce.gentile2005.shares.verdicts import notes, verdicts

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
