"""Convex sets for the weights of ``ProjectionPerceptron``; a set may also be given by name.

>>> import driftline as dl
>>> dl.ProjectionPerceptron(region=dl.regions.L1Ball(radius=2.0)).rule.region
L1Ball(radius=2.0)
>>> dl.ProjectionPerceptron(region="box(0.0, 1.0)").rule.region
Box(low=0.0, high=1.0)
"""

from driftline.rules.linear.regions import Box, Ellipsoid, L1Ball, Region, Simplex

__all__ = ["Box", "Ellipsoid", "L1Ball", "Region", "Simplex"]
