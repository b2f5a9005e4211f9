"""Label efficiency: requesting labels when the score is small, against requesting at random."""

from driftline.reproduce.gentile2005.labels.claims import notes, verdicts
from driftline.reproduce.gentile2005.labels.figures import drawings
from driftline.reproduce.gentile2005.labels.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
