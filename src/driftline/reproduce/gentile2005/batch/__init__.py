"""From on-line to batch: which hypothesis of a run to keep, and what is certified of it."""

from driftline.reproduce.gentile2005.batch.drawings import drawings
from driftline.reproduce.gentile2005.batch.solve import solve, tasks
from driftline.reproduce.gentile2005.batch.verdicts import notes, verdicts

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
