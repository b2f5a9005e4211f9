"""The Tracker, which has nothing to tune."""
