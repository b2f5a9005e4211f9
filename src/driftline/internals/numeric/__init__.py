"""Numeric primitives for compiled updates and loops: vectors, exponentials, factorisations, random numbers."""
