"""What the parsers share: numbers, names, records and cells from bytes."""
