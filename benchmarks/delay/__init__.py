"""The benchmark of late labels."""
