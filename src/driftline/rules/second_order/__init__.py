"""Second-order rules, which keep a variance for every direction of the weights."""
