"""The best p of the p-norm Perceptron for targets with few or with many relevant features."""

from driftline.reproduce.gentile2005.norms.claims import notes, verdicts
from driftline.reproduce.gentile2005.norms.figures import drawings
from driftline.reproduce.gentile2005.norms.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
