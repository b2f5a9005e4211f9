"""Loops for halving over a grid, the ellipsoid and the version space."""
