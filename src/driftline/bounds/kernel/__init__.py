"""Theorems on kernel learners, one file per rule."""
