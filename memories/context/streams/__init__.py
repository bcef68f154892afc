"""The stream of one robot: what it observed, thought and understood, for itself alone."""
