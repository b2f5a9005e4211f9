"""Which p-norm Perceptron suits which target: few relevant features among many, or all of them."""

from driftline.reproduce.gentile2005.norms.claims import notes, verdicts
from driftline.reproduce.gentile2005.norms.figures import drawings
from driftline.reproduce.gentile2005.norms.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
