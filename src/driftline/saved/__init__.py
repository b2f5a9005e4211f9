"""Saving and loading of learners: a loaded learner continues learning bit for bit.

Loading never executes code from a file. A checksum covers every byte.
"""

from driftline.saved.fault import ModelError
from driftline.saved.model import load, save

__all__ = ["ModelError", "load", "save"]
