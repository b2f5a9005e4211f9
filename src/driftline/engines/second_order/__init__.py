"""Engines of second-order rules: full matrix or diagonal."""
