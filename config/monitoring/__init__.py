"""Monitoring of the running site: logs, metrics, probes, health."""
