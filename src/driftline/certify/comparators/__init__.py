"""Search for comparators: vectors, paths and sequences of experts that make a bound small."""
