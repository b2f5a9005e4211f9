"""A learner for each key, such as a customer, a device or a topic: see ``Keyed``."""

from driftline.keyed.hashing import stable_hash
from driftline.keyed.keyed import Keyed

__all__ = ["Keyed", "stable_hash"]
