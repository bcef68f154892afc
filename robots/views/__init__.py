"""Pages of robots, people and groups."""
