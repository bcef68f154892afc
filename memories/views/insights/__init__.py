"""Overview, audit trail, tiers and index layouts."""
