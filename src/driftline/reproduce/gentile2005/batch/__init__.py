"""Online-to-batch conversion: which hypothesis of a run to keep, and its risk certificate."""

from driftline.reproduce.gentile2005.batch.claims import notes, verdicts
from driftline.reproduce.gentile2005.batch.figures import drawings
from driftline.reproduce.gentile2005.batch.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
