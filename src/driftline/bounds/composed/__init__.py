"""Theorems on learners made of other learners."""
