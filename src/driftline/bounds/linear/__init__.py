"""Theorems on linear learners, one file per rule."""
