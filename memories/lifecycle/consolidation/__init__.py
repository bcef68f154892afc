"""What several memories say together: near-duplicates and patterns of several groups."""
