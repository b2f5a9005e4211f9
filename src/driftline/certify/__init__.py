"""Certificates of finished runs: a search for comparators, and the tightest bound that they give."""
