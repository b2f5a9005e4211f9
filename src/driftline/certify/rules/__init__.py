"""Searches for the bounds of a run, one file per rule or family of rules."""
