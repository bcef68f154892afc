"""Pages of personas and blocks."""
