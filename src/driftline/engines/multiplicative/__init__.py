"""Loops for multiplicative rules."""
