"""Layout of a weight array v: v[0] belongs to the constant feature, v[FIRST + i] to feature i.

The entries between them stay 0, so that the weights of the features start on a cache line.
"""

FIRST = 8
