"""Loops for second-order rules: full matrix or diagonal."""
