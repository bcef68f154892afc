"""Pages of who knows what."""
