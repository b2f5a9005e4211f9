"""Linear rules: the two-number rules, which return a shrink and a step, and L1PA."""
