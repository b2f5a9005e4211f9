"""Numeric primitives of compiled code: vectors, exponentials, factorisations, random numbers."""
