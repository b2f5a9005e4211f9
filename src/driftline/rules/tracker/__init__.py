"""The Tracker, which has no parameters to tune."""
