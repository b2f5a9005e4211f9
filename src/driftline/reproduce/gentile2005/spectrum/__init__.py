"""First against second order, as the eigenvalues of the examples' correlation spread."""

from driftline.reproduce.gentile2005.spectrum.drawings import drawings
from driftline.reproduce.gentile2005.spectrum.solve import solve, tasks
from driftline.reproduce.gentile2005.spectrum.verdicts import notes, verdicts

__all__ = ["drawings", "notes", "solve", "tasks", "verdicts"]
