"""Which p-norm Perceptron suits which target: few relevant features among many, or all of them."""

from driftline.reproduce.gentile2005.norms.drawings import drawings
from driftline.reproduce.gentile2005.norms.solve import solve, tasks
from driftline.reproduce.gentile2005.norms.verdicts import notes, verdicts

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
