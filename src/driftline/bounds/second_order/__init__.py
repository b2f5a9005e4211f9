"""Theorems on second-order learners, one file per rule."""
