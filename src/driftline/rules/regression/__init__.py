"""Rules that learn real targets: two-number rules with a tube, and second-order rules."""
