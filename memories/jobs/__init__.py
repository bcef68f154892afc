"""Durable work: rows, leases, hints and the runner. What a job does lives with its capability."""
