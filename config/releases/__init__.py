"""Releases: what an upgrade does to the database, and which release a database is of."""
