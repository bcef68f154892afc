"""The audit trail of all organisations, told to a syslog server in the order it was committed."""
