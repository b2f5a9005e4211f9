"""Engines for more than two classes."""
