"""Who knows about a topic, by the memories that show it."""
