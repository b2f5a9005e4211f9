"""The log: events, pages and the chain of digests."""
