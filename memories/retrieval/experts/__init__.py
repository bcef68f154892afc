"""Who knows about a topic, and what stands beside an entity, with the memories as evidence."""
