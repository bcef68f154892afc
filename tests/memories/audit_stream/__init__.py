"""The audit trail at a syslog server."""
