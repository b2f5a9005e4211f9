"""Tests against Ray, Spark and Kafka. `make integration` installs and runs them; `make test` does not collect them."""
