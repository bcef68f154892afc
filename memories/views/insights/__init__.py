"""Overview, audit trail and the architectures compared."""
