"""Shared by the parsers: numbers, names, records and cells from bytes."""
