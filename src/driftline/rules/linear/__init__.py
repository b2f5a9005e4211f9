"""Rules whose update is two numbers, a shrink and a step, and L1PA."""
