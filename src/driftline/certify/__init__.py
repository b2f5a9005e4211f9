"""What is guaranteed about a finished run: comparators, and the tightest bound that they give."""
