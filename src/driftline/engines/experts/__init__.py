"""The engine of the rules over experts."""
