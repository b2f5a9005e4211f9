"""Synthetic streams with drifting targets."""
