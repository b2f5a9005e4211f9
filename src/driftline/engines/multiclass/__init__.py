"""Loops for more than two classes."""
