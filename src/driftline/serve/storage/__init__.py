"""The storage of the service: logs, snapshots, ids and tokens in SQLite or PostgreSQL."""
