"""Theorems on learners that keep all that is consistent with the labels."""
