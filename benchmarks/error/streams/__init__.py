"""The streams of the error benchmark, one module for each kind of source."""
