"""The counts and sums behind the metrics of a run, each in one compiled pass over a block."""
