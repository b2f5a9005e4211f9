"""The benchmarks of the service: requests per second, latency, and the replay of a log."""
