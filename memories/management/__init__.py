"""Management commands of memories."""
