"""Saved learners: a file that holds all that one knows, so that it can learn on bit for bit.

Nothing in a file is ever executed, and every byte of it is under a sum.
"""

from driftline.saved.fault import ModelError
from driftline.saved.model import load, save

__all__ = ["ModelError", "load", "save"]
