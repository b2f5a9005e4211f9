"""First- against second-order Perceptron, as the eigenvalues of the correlation matrix spread."""

from driftline.reproduce.gentile2005.spectrum.claims import notes, verdicts
from driftline.reproduce.gentile2005.spectrum.figures import drawings
from driftline.reproduce.gentile2005.spectrum.runs import solve, tasks

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
