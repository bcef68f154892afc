"""Durable work: rows, leases, hints and the runner. The code of a job is in its capability's
folder."""
