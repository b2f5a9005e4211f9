"""What labels are worth: asking where the score says little, against asking at random."""

from driftline.reproduce.gentile2005.labels.claims import notes, verdicts
from driftline.reproduce.gentile2005.labels.figures import drawings
from driftline.reproduce.gentile2005.labels.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
