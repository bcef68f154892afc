"""Who knows about a topic, with the memories as evidence."""
