"""Saving and loading of learners: a loaded learner continues learning bit for bit.

Loading never executes code from a file or bytes. A checksum covers every byte.
"""

from driftline.saved.fault import ModelError
from driftline.saved.model import from_bytes, load, save, to_bytes

__all__ = ["ModelError", "from_bytes", "load", "save", "to_bytes"]
