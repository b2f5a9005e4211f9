"""Errors side by side: driftline and its peers at their defaults (`make bench-error`)."""
