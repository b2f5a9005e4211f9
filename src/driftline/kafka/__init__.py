"""Kafka as a source of examples. It needs confluent-kafka: ``pip install "driftline[kafka]"``."""
