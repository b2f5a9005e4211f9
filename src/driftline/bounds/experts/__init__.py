"""Theorems on expert learners, one file per rule."""
