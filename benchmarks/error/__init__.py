"""Compare the errors of driftline and its peers at their defaults (`make bench-error`)."""
