"""Snapshots over HTTP, with what they take and give."""
