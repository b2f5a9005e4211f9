"""Theorems on multiplicative learners, one file per rule."""
