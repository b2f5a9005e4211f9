"""What labels are worth: asking where the score says little, against asking at random."""

from driftline.reproduce.gentile2005.labels.drawings import drawings
from driftline.reproduce.gentile2005.labels.solve import solve, tasks
from driftline.reproduce.gentile2005.labels.verdicts import notes, verdicts

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
